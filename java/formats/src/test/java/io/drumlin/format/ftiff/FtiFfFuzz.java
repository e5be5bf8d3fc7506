package io.drumlin.format.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.MemoryByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The target of {@code scripts/fuzz ftiff}, which calls it with the bytes that Jazzer makes of the files in the folder
 * fuzz beside this class. {@link FtiFfFuzzTest} gives it these files as they are.
 */
public final class FtiFfFuzz {

    private FtiFfFuzz() {}

    /**
     * Loads all classes: their memory is not that of a file.
     *
     * @throws IOException a whole file was refused
     */
    public static void fuzzerInitialize() throws IOException {
        for (Specimen file : new FtiFfMutationTest().files().toList()) {
            fuzzerTestOneInput(file.bytes());
            file.bytes()[0]++;
            fuzzerTestOneInput(file.bytes());
        }
        fuzzerTestOneInput(new byte[0]);
    }

    /**
     * Reads and verifies a file; then again with a fitting digest of the file record, which no fuzzer finds by itself.
     *
     * @param bytes the file, anything
     * @throws IOException must not happen
     */
    public static void fuzzerTestOneInput(byte[] bytes) throws IOException {
        HostileFile.isDamaged(bytes);
        ByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
        Optional<Recognition> found = Recognition.of(source);
        if (found.isPresent() && !found.get().signed()) {
            Layout layout = found.get().layout();
            byte[] signed = bytes.clone();
            ByteBuffer record =
                    ByteBuffer.wrap(signed).slice((int) found.get().recordOffset(), layout.fileMetaLength());
            record.put(layout.file().offset(Field.MY_HASH), layout.recordDigest(record));
            HostileFile.isDamaged(signed);
        }
    }
}
