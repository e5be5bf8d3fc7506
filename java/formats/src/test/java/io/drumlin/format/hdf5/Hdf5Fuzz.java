package io.drumlin.format.hdf5;

import io.drumlin.format.BoundedSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.hdf5.StoredDataset.Chunk;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The target of {@code scripts/fuzz Hdf5Fuzz}, which calls it with the bytes that Jazzer makes of the files in the folder
 * fuzz beside this class. {@link Hdf5FuzzTest} gives it these files as they are.
 */
public final class Hdf5Fuzz {

    private Hdf5Fuzz() {}

    /**
     * Loads all classes: their memory is not that of a file.
     *
     * @throws IOException a whole file was refused
     * @throws URISyntaxException must not happen
     */
    public static void fuzzerInitialize() throws IOException, URISyntaxException {
        for (Path path : Hdf5FuzzTest.files()) {
            byte[] bytes = Files.readAllBytes(path);
            Hdf5File file = Hdf5File.read(new MemoryByteSource(ByteBuffer.wrap(bytes)));
            file.datasets().forEach(dataset -> requireWithin(bytes.length, dataset));
            file.verify();
            bytes[0]++;
            isDamaged(bytes);
        }
    }

    /**
     * Reads and verifies a file.
     *
     * @param bytes the file, anything
     * @throws IOException must not happen
     */
    public static void fuzzerTestOneInput(byte[] bytes) throws IOException {
        isDamaged(bytes);
    }

    /** A file is refused, saying where, or gives datasets all of whose elements are in it, in their order. */
    static boolean isDamaged(byte[] bytes) throws IOException {
        return BoundedSource.withinMemory(bytes, file -> {
            try {
                Hdf5File read = Hdf5File.read(file);
                read.datasets().forEach(dataset -> requireWithin(file.size(), dataset));
                read.verify();
                return false;
            } catch (FormatException e) {
                return true;
            }
        });
    }

    private static void requireWithin(long size, StoredDataset dataset) {
        long from = 0;
        for (Chunk chunk : dataset.chunks()) {
            if (chunk.from() != from
                    || chunk.length() <= 0
                    || chunk.offset() < 0
                    || chunk.length() > size - chunk.offset()
                    || (chunk.stored() > 0 && chunk.stored() > size - chunk.offset() - Integer.BYTES)) {
                throw new AssertionError(chunk + " of " + dataset.path() + " in a file of " + size);
            }
            from += chunk.length();
        }
        if (from != 0 && from != dataset.bytes()) {
            throw new AssertionError(from + " bytes of " + dataset);
        }
    }
}
