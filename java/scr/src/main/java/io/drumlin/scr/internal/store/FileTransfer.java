package io.drumlin.scr.internal.store;

import io.drumlin.DrumlinException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.zip.CRC32;

/** Copies files between a cache and the prefix directory and checks that they are what was written. */
public final class FileTransfer {

    private static final int BUFFER_BYTES = 1 << 22;

    private final KvTreeStore store;
    private final LongConsumer copied;

    public FileTransfer(KvTreeStore store) {
        this(store, Pace.unlimited());
    }

    public FileTransfer(KvTreeStore store, Pace pace) {
        this(store, pace::copied);
    }

    /** @param copied gets the number of bytes of each part that was copied */
    public FileTransfer(KvTreeStore store, LongConsumer copied) {
        this.store = store;
        this.copied = copied;
    }

    /**
     * Copies a file, durably, with its mode and time. Until it is complete, only its owner can read the copy.
     *
     * @param stat the attributes of the copy; without MODE, only its owner can read it
     * @param size required size in bytes
     * @param crc required CRC32
     * @return its CRC32
     */
    public long copy(Path from, Path to, KvTree stat, OptionalLong size, OptionalLong crc) throws IOException {
        Path parent = to.toAbsolutePath().getParent();
        if (parent != null) {
            store.makeDirectory(parent);
        }
        CRC32 computed = new CRC32();
        long offset = 0;
        try (BlockFile source = store.storage().open(from, EnumSet.of(OpenMode.READ));
                BlockFile target = store.openPrivate(to);
                AlignedBuffer memory = store.storage().allocate(BUFFER_BYTES)) {
            ByteBuffer buffer = memory.buffer().clear();
            for (int read = source.read(buffer, 0); read > 0; read = source.read(buffer, offset)) {
                computed.update(buffer.slice(0, read));
                target.write(buffer.slice(0, read), offset);
                offset += read;
                copied.accept(read);
            }
            FileStat.restore(to, stat);
            target.sync();
        }
        if (parent != null) {
            store.storage().syncDirectory(parent);
        }
        check(from, "bytes", size, offset);
        check(from, "CRC32", crc, computed.getValue());
        return computed.getValue();
    }

    private static void check(Path path, String what, OptionalLong expected, long found) throws DrumlinException {
        if (expected.isPresent() && expected.getAsLong() != found) {
            throw DrumlinException.during("copy")
                    .path(path)
                    .problem("it has " + what + " " + found + ", but " + expected.getAsLong() + " was written")
                    .exception();
        }
    }
}
