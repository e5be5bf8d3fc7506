package io.drumlin.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LateFlushTest {

    /** A full disk is not filled with messages, too. */
    @Test
    void aFailedFlushIsNotRepeatedAtOnce() throws InterruptedException {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch again = new CountDownLatch(2);
        LateFlush late = new LateFlush(() -> {
            first.countDown();
            again.countDown();
            throw new IOException("the disk is full");
        });
        late.begin(0);
        try {
            first.await();
            assertThat(again.await(300, TimeUnit.MILLISECONDS)).isFalse();
        } finally {
            late.end();
        }
    }
}
