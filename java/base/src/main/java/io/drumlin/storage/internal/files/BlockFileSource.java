package io.drumlin.storage.internal.files;

import io.drumlin.DrumlinException;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.BlockFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Lets a format read from a file that was opened buffered. It is as thread-safe as the file. */
public final class BlockFileSource implements ByteSource {

    private final BlockFile file;
    private final long size;

    /**
     * Makes a source with the file's current size.
     *
     * @param file an open file, not direct
     * @throws IOException the file system does not report the length of the file
     */
    public BlockFileSource(BlockFile file) throws IOException {
        this.file = file;
        this.size = file.size();
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        readFully(file, offset, target);
    }

    /**
     * Fills the remaining bytes of a buffer from a file.
     *
     * @param file an open file, not direct
     * @param offset byte offset in the file, 0 or above
     * @param target its position moves to its limit
     * @throws IOException the bytes cannot be read, or the file ends too early
     */
    public static void readFully(BlockFile file, long offset, ByteBuffer target) throws IOException {
        int wanted = target.remaining();
        int read = file.read(target, offset);
        if (read < wanted) {
            throw DrumlinException.during("read")
                    .path(file.path())
                    .range(offset, wanted)
                    .problem("the file ends at " + (offset + read))
                    .advice("it became shorter since it was opened: let no other program write it")
                    .exception();
        }
        target.position(target.limit());
    }
}
