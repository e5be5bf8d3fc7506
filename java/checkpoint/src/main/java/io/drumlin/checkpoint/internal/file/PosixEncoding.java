package io.drumlin.checkpoint.internal.file;

import java.nio.ByteBuffer;

/**
 * How files without their own metadata enter a Reed-Solomon group: extended with zeros, and with nothing after the
 * code.
 */
public record PosixEncoding() implements Encoding {

    @Override
    public boolean embedsSize() {
        return false;
    }

    @Override
    public ByteBuffer record(String md5, long plainSize, long extendedSize) {
        return ByteBuffer.allocate(0);
    }
}
