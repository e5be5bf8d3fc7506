package io.drumlin.storage.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The loops over short transfers, which healthy file systems hardly ever make. */
class PositionalFileTest {

    private static final int LENGTH = 40 * 512;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 512})
    void goesOnAfterShortWrites(int alignment) throws IOException {
        long seed = System.nanoTime();
        System.out.println("seed: " + seed);
        Random random = new Random(seed);
        byte[] content = new byte[LENGTH];
        random.nextBytes(content);
        Path path = folder.resolve("file");
        try (PositionalFile file =
                new ShortFile(path, alignment, asked -> Math.min(asked, alignment + random.nextInt(asked)))) {
            file.write(aligned(content), 512);
            file.startWrite(aligned(content), 512 + LENGTH).await();
            ByteBuffer back = aligned(new byte[LENGTH]);
            if (alignment == 1) {
                assertThat(file.read(back, 512)).isEqualTo(LENGTH);
                assertThat(back).isEqualTo(ByteBuffer.wrap(content));
            }
        }
        byte[] written = Files.readAllBytes(path);
        assertThat(written).hasSize(512 + 2 * LENGTH);
        assertThat(ByteBuffer.wrap(written, 512, LENGTH)).isEqualTo(ByteBuffer.wrap(content));
        assertThat(ByteBuffer.wrap(written, 512 + LENGTH, LENGTH)).isEqualTo(ByteBuffer.wrap(content));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 511})
    void givesUpWhenLessThanABlockIsTaken(int count) throws IOException {
        try (PositionalFile file = new ShortFile(folder.resolve("file"), 512, asked -> count)) {
            assertThatThrownBy(() -> file.write(aligned(new byte[LENGTH]), 0))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("less than a block");
        }
    }

    @Test
    void saysHowMuchWasWrittenBeforeItFailed() throws IOException {
        int[] calls = {0};
        PositionalFile file = new ShortFile(folder.resolve("file"), 1, asked -> {
            if (calls[0]++ == 2) {
                throw new ErrnoException("pwrite", Errno.EDQUOT.number());
            }
            return 100;
        });
        try (file) {
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1000), 7))
                    .hasMessageContainingAll(
                            "write of 1000 bytes at offset 7",
                            "after 200 bytes",
                            "EDQUOT",
                            "free space below your quota");
        }
    }

    @Test
    void staysOpenWhileAWriteIsUnderWay() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Path path = folder.resolve("file");
        ShortFile file = new ShortFile(path, 1, asked -> {
            inside.countDown();
            awaitUninterruptibly(goOn);
            return asked;
        });
        file.startWrite(ByteBuffer.allocateDirect(100), 0);
        inside.await();
        Thread closer = new Thread(() -> {
            try {
                file.close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        closer.start();
        while (closer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        closer.interrupt();
        assertThat(file.released).isFalse();
        goOn.countDown();
        closer.join();
        assertThat(file.released).isTrue();
        assertThat(path).hasSize(100);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static ByteBuffer aligned(byte[] content) {
        return new DirectAlignedBuffer(content.length).buffer().put(content).flip();
    }

    /** How many of the asked bytes one call moves. */
    private interface Count {
        int of(int asked) throws IOException;
    }

    /** A real file whose calls are cut short. */
    private static final class ShortFile extends PositionalFile {

        private final FileChannel channel;
        private final Count count;
        private volatile boolean released;

        ShortFile(Path path, int alignment, Count count) throws IOException {
            super(path, alignment);
            this.channel = FileChannel.open(
                    path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
            this.count = count;
        }

        @Override
        int writeOnce(ByteBuffer source, long offset) throws IOException {
            source.limit(source.position() + count.of(source.remaining()));
            return channel.write(source, offset);
        }

        @Override
        int readOnce(ByteBuffer target, long offset) throws IOException {
            target.limit(target.position() + count.of(target.remaining()));
            return channel.read(target, offset);
        }

        @Override
        long length() throws IOException {
            return channel.size();
        }

        @Override
        void reserveTo(long size) {}

        @Override
        void reserveRange(long offset, long length) {}

        @Override
        void writeBack(long offset, long length) {}

        @Override
        void setLength(long size) {}

        @Override
        void flush() {}

        @Override
        void release() throws IOException {
            released = true;
            channel.close();
        }
    }
}
