package io.drumlin.cli;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Copies ranges of files to the extracted output. */
final class RangeCopy {

    private static final int BUFFER = 1 << 20;

    private RangeCopy() {}

    static void copy(ByteSource source, long offset, long length, OutputStream target) throws IOException {
        byte[] buffer = new byte[(int) Math.min(BUFFER, length)];
        int piece;
        for (long done = 0; done < length; done += piece) {
            piece = (int) Math.min(buffer.length, length - done);
            source.readFully(offset + done, ByteBuffer.wrap(buffer, 0, piece));
            target.write(buffer, 0, piece);
        }
    }
}
