package io.drumlin.checkpoint.costs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.nativecore.NativeCore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A checkpoint leaves a few bytes of garbage for each slab. Counted is what all threads of the process allocate on the heap,
 * without the messages of threads as ranks, which are copied there.
 */
class AllocationTest {

    private static final int RANKS = 2;
    private static final int CHECKPOINTS = 3;

    private static final long MIB = 1 << 20;

    /** Mebibytes of a rank: from here on a variable has as many containers as there are lanes, and no more. */
    private static final int SMALL = 16;

    private static final int LARGE = 64;

    private static final boolean NATIVE = NativeCore.isAvailable();

    /**
     * Bytes on the heap for each MiB, in slabs of 1 MiB. With the C core each write of a slab is an object of 64 bytes; levels 2 and 3 write
     * two. What is made once, and threads that wait on a busy machine, add or take up to 60. Without the C core level 3 needs most, about 1,700.
     */
    private static final long MOST_PER_MIB = NATIVE ? 300 : 2500;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(names = {"L1", "L3"})
    void allocatesLittleOfWhateverSize(Level level) throws IOException {
        checkAllocations("3", level);
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"1, L1", "1, L2", "1, L3", "1, L4", "2, L4", "3, L2", "3, L4"})
    void allocatesLittleInOtherModesAndLevels(String ioMode, Level level) throws IOException {
        checkAllocations(ioMode, level);
    }

    /** Rows as long as those of a matrix, and so short that a mebibyte has thousands of them. */
    @ParameterizedTest
    @CsvSource({"1048576, 100", "16, 1024"})
    void allocatesLittleForRows(int columns, long morePerMib) throws IOException {
        checkAllocations("3", Level.L1, columns, MOST_PER_MIB + morePerMib);
    }

    private void checkAllocations(String ioMode, Level level) throws IOException {
        checkAllocations(ioMode, level, 0, MOST_PER_MIB);
    }

    private void checkAllocations(String ioMode, Level level, int columns, long mostPerMib) throws IOException {
        long small = perCheckpoint(ioMode, level, SMALL, columns);
        long large = perCheckpoint(ioMode, level, LARGE, columns);
        assertThat(small).isLessThan(MIB / 4);
        assertThat(large).isLessThan(MIB / 2);
        assertThat(large - small).isLessThan((LARGE - SMALL) * mostPerMib);
    }

    private static Object array(int doubles, int columns) {
        return columns == 0 ? new double[doubles] : new double[doubles / columns][columns];
    }

    private static void fill(Object array, double value) {
        if (array instanceof double[] values) {
            Arrays.fill(values, value);
        } else {
            Arrays.stream((double[][]) array).forEach(row -> Arrays.fill(row, value));
        }
    }

    /**
     * Bytes of the heap that a rank allocates for one checkpoint of {@code mebibytes} of data: the least of several.
     *
     * @param columns doubles in a row; 0 for one array
     */
    private long perCheckpoint(String ioMode, Level level, int mebibytes, int columns) throws IOException {
        Path folder = Files.createDirectory(directory.resolve(mebibytes + "-MiB"));
        RunFixture run =
                new RunFixture(folder, "ckpt_io=" + ioMode + ", node_size=1, group_size=2, drumlin.slab_memory=32");
        AtomicLong messages = new AtomicLong();
        long[] fewest = {Long.MAX_VALUE};
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(measured(comm, messages))
                    .open()) {
                Object data = array((int) (mebibytes * MIB / Double.BYTES), columns);
                checkpoints.protect(1, data);
                for (int id = 1; id <= CHECKPOINTS; id++) {
                    fill(data, id);
                    comm.barrier();
                    long before = Allocations.ofAllThreads() - messages.get();
                    comm.barrier();
                    checkpoints.checkpoint(id, level);
                    comm.barrier();
                    if (comm.rank() == 0 && id > 1) {
                        fewest[0] = Math.min(fewest[0], Allocations.ofAllThreads() - messages.get() - before);
                    }
                }
            }
        });
        return fewest[0] / RANKS;
    }

    /** The same communicator, and those made from it, with what its calls allocate added up. */
    private static Communicator measured(Communicator real, AtomicLong allocated) {
        return (Communicator) wrapped(Communicator.class, real, allocated);
    }

    private static Object wrapped(Class<?> type, Object real, AtomicLong allocated) {
        return Proxy.newProxyInstance(
                AllocationTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    long before = THREADS.getCurrentThreadAllocatedBytes();
                    // The array came from the proxy, before anything could be counted: another one of its size counts
                    // for it.
                    Object[] same = arguments == null ? null : arguments.clone();
                    long array = THREADS.getCurrentThreadAllocatedBytes() - before;
                    try {
                        Object result = method.invoke(real, same);
                        return result instanceof Communicator part
                                ? measured(part, allocated)
                                : result instanceof Communicator.Request request
                                        ? wrapped(Communicator.Request.class, request, allocated)
                                        : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        allocated.addAndGet(array + THREADS.getCurrentThreadAllocatedBytes() - before);
                    }
                });
    }
}
