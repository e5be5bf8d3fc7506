package io.drumlin.storage.internal.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
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

    /** A call that hangs in a file system has the lock of its file, and other files are flushed even so. */
    @Tag("exhaustive")
    @Test
    void theEndOfTheJvmDoesNotWaitForACallForEver() throws Exception {
        Process program = Mpirun.oneJvm(Program.class).start();
        try {
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(new String(program.getInputStream().readAllBytes())).contains("flushed the other");
        } finally {
            program.toHandle().destroyForcibly();
        }
    }

    /** Ends within a call. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) {
            Object lock = new Object();
            new LateFlush(() -> {
                        synchronized (lock) {
                            System.out.println("flushed what is locked");
                        }
                    })
                    .begin(LateFlush.NEVER);
            new LateFlush(() -> System.out.println("flushed the other")).begin(LateFlush.NEVER);
            synchronized (lock) {
                System.exit(0);
            }
        }
    }
}
