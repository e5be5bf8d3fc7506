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
        byte[] bytes = new byte[20 * PIECE];
        new Random(3).nextBytes(bytes);
        ByteBuffer[] memory = {ByteBuffer.allocateDirect(PIECE), ByteBuffer.allocateDirect(PIECE)};
        try (StreamDigest md5 = new StreamDigest(1, DigestEngine.md5(), threads)) {
            for (int i = 0; i < 20; i++) {
                // The piece before the last has been hashed.
                ByteBuffer piece = memory[i % 2].clear();
                md5.update(piece.put(bytes, i * PIECE, PIECE).flip());
            }
            assertThat(md5.digest()).isEqualTo(MessageDigest.getInstance("MD5").digest(bytes));
        }
    }
}
