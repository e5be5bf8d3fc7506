package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the JVM does with signals must work after MPI's beginning; run on ranks by {@link SignalsIT}. */
class SignalChecks {

    private static final class Node {
        int value = 1;
        Node next;
    }

    private NativeMpi world;

    @BeforeEach
    void begin() throws Exception {
        world = NativeMpi.world();
    }

    @AfterEach
    void end() throws Exception {
        world.close();
    }

    /** A null check is a load that faults: SIGSEGV. */
    @Test
    void nullPointerExceptionsAreThrown() {
        Node node = new Node();
        int caught = 0;
        for (int i = 0; i < 100_000; i++) {
            try {
                node.value += node.next.value;
            } catch (NullPointerException e) {
                caught++;
            }
        }
        assertThat(caught).isEqualTo(100_000);
    }

    /** The end of the stack is a page that faults: SIGSEGV. */
    @Test
    void stackOverflowsAreThrown() {
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> depth(0)).isInstanceOf(StackOverflowError.class);
        }
    }

    @SuppressWarnings("InfiniteRecursion")
    private static int depth(int level) {
        return 1 + depth(level + 1);
    }

    /** Integer division by zero: SIGFPE on x86. */
    @Test
    void divisionsByZeroAreThrown() {
        int caught = 0;
        for (int i = 0; i < 100_000; i++) {
            try {
                caught += 1 / (i - i);
            } catch (ArithmeticException e) {
                caught++;
            }
        }
        assertThat(caught).isEqualTo(100_000);
    }

    /** Reading a mapped page that the file no longer has: SIGBUS. */
    @Test
    void readingPastTheEndOfAMappedFileIsThrown() throws Exception {
        Path path = Files.createTempFile("drumlin-mapped", ".dat");
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(1 << 20);
            MappedByteBuffer mapped = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 1 << 20);
            file.setLength(0);
            assertThat(readUntilFault(mapped)).isTrue();
        } finally {
            Files.delete(path);
        }
    }

    /** The JVM throws the error a few instructions after the fault, so the whole loop is guarded. */
    private static boolean readUntilFault(MappedByteBuffer mapped) {
        int sum = 0;
        try {
            for (int i = 0; i < 100_000; i++) {
                sum += mapped.get(i);
            }
        } catch (InternalError e) {
            return true;
        }
        return sum == Integer.MIN_VALUE;
    }
}
