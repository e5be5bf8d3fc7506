package io.drumlin.format.hdf5.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.Deflater;

/**
 * Passes a chunk through the filters shuffle, gzip and Fletcher-32, in this order; docs/formats/fti-hdf5.md, section 10.
 *
 * @param level 1 to 9
 * @param elementSize size of an element in bytes
 */
record ChunkCompressor(int level, int elementSize) {

    /** Returns the bytes of the file for the bytes of a chunk. */
    ByteBuffer compress(byte[] chunk) {
        Deflater deflater = new Deflater(level);
        try {
            deflater.setInput(shuffled(chunk));
            deflater.finish();
            // Noise becomes larger, by less than this.
            byte[] made = new byte[chunk.length + chunk.length / 1000 + 64];
            int length = 0;
            while (!deflater.finished()) {
                length += deflater.deflate(made, length, made.length - length);
            }
            ByteBuffer stored = ByteBuffer.wrap(Arrays.copyOf(made, length + Integer.BYTES));
            Fletcher32 sum = new Fletcher32();
            sum.update(stored.slice(0, length));
            return stored.order(ByteOrder.LITTLE_ENDIAN).putInt(length, sum.value());
        } finally {
            deflater.end();
        }
    }

    /** Returns the first bytes of all elements, then their second bytes, and so on. */
    private byte[] shuffled(byte[] chunk) {
        if (elementSize == 1) {
            return chunk;
        }
        byte[] shuffled = new byte[chunk.length];
        int elements = chunk.length / elementSize;
        int at = 0;
        for (int part = 0; part < elementSize; part++) {
            for (int i = 0; i < elements; i++) {
                shuffled[at++] = chunk[i * elementSize + part];
            }
        }
        return shuffled;
    }
}
