package io.drumlin.checkpoint.internal.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.integrity.DigestEngine;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class StreamDigestTest {

    private static final int PIECE = 100_001;
    private static final int PIECES = 20;

    /** Bytes of the second stream, which ends within a piece of the first. */
    private static final int SHORTER = 11 * PIECE + 77;

    @Test
    void isThatOfAllPieces() throws Exception {
        check(work -> new Thread(work).start());
    }

    @Test
    void isTheSameWhereThereIsNoThread() throws Exception {
        check(work -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
    }

    private static void check(Consumer<Runnable> threads) throws Exception {
        byte[] first = random(PIECES * PIECE, 3);
        byte[] second = random(SHORTER, 4);
        ByteBuffer[] memory = {direct(), direct()};
        ByteBuffer[] beside = {direct(), direct()};
        try (StreamDigest md5 = new StreamDigest(1, DigestEngine.md5(), threads)) {
            for (int i = 0; i < PIECES; i++) {
                // The pieces before the last have been hashed.
                int rest = Math.min(PIECE, SHORTER - i * PIECE);
                md5.update(
                        piece(memory[i % 2], first, i, PIECE), rest > 0 ? piece(beside[i % 2], second, i, rest) : null);
            }
            assertThat(md5.digest(0)).isEqualTo(MessageDigest.getInstance("MD5").digest(first));
            assertThat(md5.digest(1)).isEqualTo(MessageDigest.getInstance("MD5").digest(second));
        }
    }

    private static ByteBuffer piece(ByteBuffer memory, byte[] bytes, int number, int length) {
        return memory.clear().put(bytes, number * PIECE, length).flip();
    }

    private static ByteBuffer direct() {
        return ByteBuffer.allocateDirect(PIECE);
    }

    private static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
