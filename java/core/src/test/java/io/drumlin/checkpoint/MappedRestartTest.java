package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.MappedFile;
import io.drumlin.storage.NativeEngine;
import io.drumlin.storage.NioEngine;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Restarts from files that are large enough to be mapped, after the loss of a node where the level stands it. */
@Tag("native")
class MappedRestartTest {

    private static final int RANKS = 2;

    /** No multiple of a block, nor of a huge page. */
    private static final int SIZE = KeptBytes.LEAST_MAPPED + 1_234_567;

    @TempDir
    private Path directory;

    private List<FaultyEngine> engines = List.of();

    @BeforeEach
    void makeEngines() {
        assumeTrue(NativeEngine.unavailabilityCause() == null, "there is no native engine");
        engines = Stream.generate(() -> new FaultyEngine(new NativeEngine(), false))
                .limit(RANKS)
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"3, L1", "3, L4", "1, L1", "1, L3", "2, L4", "4, L4", "5, L1", "5, L3"})
    void bringsBackWhatWasProtected(String ioMode, Level level) throws IOException {
        RunFixture run = checkpointed(ioMode, level);
        int before = mappings();
        if (level == Level.L3) {
            DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        }
        ThreadCommunicator.run(RANKS, comm -> {
            byte[] values = new byte[SIZE];
            try (Checkpoints checkpoints = open(run, comm)) {
                checkpoints.protect(1, values);
                checkpoints.recover();
            }
            assertThat(values).isEqualTo(values(comm.rank()));
        });
        assertThat(mappings()).isGreaterThan(before);
    }

    /** The mapping is of the file at level 4, though what is recovered is its copy. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void whatIsWrittenToTheFileOfACopyIsNotRecovered(String ioMode) throws IOException {
        RunFixture run = checkpointed(ioMode, Level.L4);
        ThreadCommunicator.run(RANKS, comm -> {
            byte[] values = new byte[SIZE];
            try (Checkpoints checkpoints = open(run, comm)) {
                comm.barrier();
                if (comm.rank() == 0) {
                    overwriteLevel4();
                }
                comm.barrier();
                checkpoints.protect(1, values);
                checkpoints.recover();
            }
            assertThat(values).isEqualTo(values(comm.rank()));
        });
        assertThat(mappings()).isPositive();
    }

    /** What is copied then need not be what was verified. */
    @Test
    void aFileThatIsWrittenWhileItIsCopiedIsNotTaken() throws IOException {
        RunFixture run = checkpointed("1", Level.L4);
        assertThatThrownBy(() -> ThreadCommunicator.run(RANKS, comm -> {
                    Checkpoints.builder(run.config())
                            .communicator(comm)
                            .storage(overwritingLevel4(engines.get(comm.rank())))
                            .open()
                            .close();
                }))
                .hasMessageContaining("MD5");
    }

    /** An engine that overwrites the files of level 4 when their copies are made. */
    private StorageEngine overwritingLevel4(StorageEngine engine) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            boolean copies = method.getName().equals("open")
                    && arguments[0].toString().contains("Local")
                    && arguments[0].toString().endsWith(".fti");
            if (copies && ((Set<?>) arguments[1]).contains(OpenMode.CREATE)) {
                overwriteLevel4();
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

    private RunFixture checkpointed(String ioMode, Level level) throws IOException {
        RunFixture run = new RunFixture(
                directory,
                Map.of(
                        "basic.ckpt_io",
                        ioMode,
                        "basic.node_size",
                        "1",
                        "basic.group_size",
                        "2",
                        "drumlin.restart_memory",
                        "1000"));
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = open(run, comm)) {
                checkpoints.protect(1, values(comm.rank()));
                checkpoints.checkpoint(1, level);
            }
        });
        assumeTrue(maps(run.config()), "the system maps no file in " + directory);
        return run;
    }

    private void overwriteLevel4() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("Global"))) {
            for (Path file : files.filter(path -> path.getFileName().toString().endsWith(".fti"))
                    .filter(path -> path.getParent().getFileName().toString().equals("l4"))
                    .toList()) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.write(ByteBuffer.allocate(100), SIZE / 2);
                }
            }
        }
    }

    private boolean maps(Path path) throws IOException {
        Optional<MappedFile> file = engines.get(0).map(path, 0, 1);
        file.ifPresent(MappedFile::close);
        return file.isPresent();
    }

    private int mappings() {
        return engines.stream().mapToInt(FaultyEngine::mappings).sum();
    }

    private Checkpoints open(RunFixture run, Communicator comm) throws IOException {
        return Checkpoints.builder(run.config())
                .communicator(comm)
                .storage(engines.get(comm.rank()))
                .open();
    }

    private static byte[] values(int rank) {
        byte[] values = new byte[SIZE];
        new Random(rank).nextBytes(values);
        return values;
    }
}
