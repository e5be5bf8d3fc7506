package io.drumlin.checkpoint.levels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A restart from level 4 copies what it has verified to the node. */
@ExtendWith(EngineLog.class)
@Tag("exhaustive")
class LevelCopyTest {

    private static final int RANKS = 2;
    private static final String MPI_IO = "2";

    /** No multiples of a block: in the shared file the second rank's bytes begin in the midst of one. */
    private static final int[] SIZES = {1_100_003, 70_000, 200_001};

    private static final long BYTES = Arrays.stream(SIZES).sum();

    /** Metadata, what is between chunks, and blocks of which a part is wanted. */
    private static final long FEW = 768 << 10;

    @TempDir
    private Path directory;

    private final List<FaultyEngine> engines = Stream.generate(() -> new FaultyEngine(new NioEngine(), false))
            .limit(RANKS)
            .toList();

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void variablesThatWereNamedBeforeAreFilledOnTheWay(String ioMode) throws IOException {
        RunFixture run = checkpointed(ioMode);
        ThreadCommunicator.run(RANKS, comm -> {
            List<byte[]> values = Arrays.stream(SIZES).mapToObj(byte[]::new).toList();
            Checkpoints.Builder builder = builder(run, comm, engines.get(comm.rank()));
            for (int id = 0; id < SIZES.length; id++) {
                builder.protect(id, values.get(id));
            }
            try (Checkpoints checkpoints = builder.open()) {
                checkpoints.recover();
            }
            assertThat(values).usingElementComparator(Arrays::compare).isEqualTo(values(comm.rank()));
        });
        for (FaultyEngine engine : engines) {
            assertThat(engine.bytesRead(global())).isBetween(BYTES, BYTES + FEW);
            assertThat(engine.bytesRead(local())).isLessThan(FEW);
        }
    }

    @Test
    void aFileThatIsWrittenWhileItIsCopiedIsNotTaken() throws IOException {
        RunFixture run = checkpointed(MPI_IO);
        assertThatThrownBy(() -> restartOverwritingLevel4(run, "open")).hasMessageContaining("at no level");
    }

    /** What was copied then need not be what is there. */
    @Test
    void aFileThatIsWrittenAfterItWasCopiedIsNotTaken() throws IOException {
        RunFixture run = checkpointed(MPI_IO);
        assertThatThrownBy(() -> restartOverwritingLevel4(run, "createDirectories"))
                .hasMessageContaining("MD5");
    }

    private void restartOverwritingLevel4(RunFixture run, String method) throws IOException {
        ThreadCommunicator.run(
                RANKS, comm -> builder(run, comm, overwritingLevel4(run, engines.get(comm.rank()), method))
                        .open()
                        .close());
    }

    /**
     * An engine that overwrites the file of level 4.
     *
     * @param when the copy is made, by {@code open}, or there is a place for it, by {@code createDirectories}
     */
    private StorageEngine overwritingLevel4(RunFixture run, StorageEngine engine, String when) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            boolean overwrites = method.getName().equals(when)
                    && ((Path) arguments[0]).startsWith(local())
                    && (when.equals("createDirectories")
                            ? arguments[0].toString().endsWith("tmp")
                            : ((Set<?>) arguments[1]).contains(OpenMode.CREATE)
                                    && arguments[0].toString().endsWith(".fti"));
            if (overwrites) {
                try (FileChannel file = FileChannel.open(run.file("Ckpt1-mpiio.fti"), StandardOpenOption.WRITE)) {
                    file.write(ByteBuffer.allocate(100), SIZES[0] / 2);
                    file.write(ByteBuffer.allocate(100), BYTES + SIZES[0] / 2);
                }
            }
            try {
                return method.invoke(engine, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return (StorageEngine) Proxy.newProxyInstance(
                StorageEngine.class.getClassLoader(), new Class<?>[] {StorageEngine.class}, handler);
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"ALLOCATE", "WRITE"})
    void whereACopyCannotBeWrittenAllRanksDoWithoutIt(Operation operation) throws IOException {
        RunFixture run = checkpointed(MPI_IO);
        engines.get(1).fail(operation, 1, "ENOSPC");
        assertThat(failures(run)).isEmpty();
        assertThat(recovered(run)).isTrue();
    }

    @Test
    void aDamagedFileIsNotCopied() throws IOException {
        RunFixture run = checkpointed(MPI_IO);
        try (FileChannel file =
                FileChannel.open(run.file("Ckpt1-mpiio.fti"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            file.read(last, 2 * BYTES - 1);
            file.write(last.put(0, (byte) ~last.get(0)).rewind(), 2 * BYTES - 1);
        }
        assertThat(failures(run)).hasSize(RANKS).allMatch(failure -> failure.contains("no level"));
        assertThat(run.files()).noneMatch(file -> file.startsWith("Local"));
    }

    private Path global() {
        return directory.resolve("Global");
    }

    private Path local() {
        return directory.resolve("Local");
    }

    private RunFixture checkpointed(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode));
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = open(run, comm)) {
                protect(checkpoints, values(comm.rank()));
                checkpoints.checkpoint(1, Level.L4);
            }
        });
        return run;
    }

    private Checkpoints open(RunFixture run, Communicator comm) throws IOException {
        return builder(run, comm, engines.get(comm.rank())).open();
    }

    private static Checkpoints.Builder builder(RunFixture run, Communicator comm, StorageEngine engine) {
        return Checkpoints.builder(run.config()).communicator(comm).storage(engine);
    }

    private static List<byte[]> values(int rank) {
        List<byte[]> values = new ArrayList<>();
        Random random = new Random(rank);
        for (int size : SIZES) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            values.add(bytes);
        }
        return values;
    }

    private static void protect(Checkpoints checkpoints, List<byte[]> values) {
        for (byte[] bytes : values) {
            checkpoints.protect(values.indexOf(bytes), bytes);
        }
    }

    /** Whether a restart on the engines brings all values back. */
    private boolean recovered(RunFixture run) throws IOException {
        return failures(run).isEmpty();
    }

    /** What a restart fails with, on each rank on which it does. */
    private List<String> failures(RunFixture run) throws IOException {
        List<String> failures = new ArrayList<>();
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = open(run, comm)) {
                List<byte[]> values = Arrays.stream(SIZES).mapToObj(byte[]::new).toList();
                protect(checkpoints, values);
                checkpoints.recover();
                assertThat(values).usingElementComparator(Arrays::compare).isEqualTo(values(comm.rank()));
            } catch (IOException e) {
                synchronized (failures) {
                    failures.add(e.toString());
                }
            }
        });
        return failures;
    }
}
