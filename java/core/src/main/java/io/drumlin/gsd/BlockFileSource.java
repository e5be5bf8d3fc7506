package io.drumlin.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.BlockFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Lets the format read from a file as it is now. */
final class BlockFileSource implements ByteSource {

    private final BlockFile file;
    private final long size;

    BlockFileSource(BlockFile file) throws IOException {
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

    static void readFully(BlockFile file, long offset, ByteBuffer target) throws IOException {
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
