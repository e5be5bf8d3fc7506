package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.BlockFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of an open file. Its size is that at the beginning. */
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
        int wanted = target.remaining();
        int read = file.read(target, offset);
        if (read < wanted) {
            throw DrumlinException.during("read")
                    .path(file.path())
                    .range(offset, wanted)
                    .problem("the file ends at " + (offset + read))
                    .exception();
        }
        target.position(target.limit());
    }
}
