package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.MappedFile;
import io.drumlin.storage.NativeEngine;
import io.drumlin.storage.NioEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Restarts from files that are large enough to be mapped, after the loss of a node where the level stands it. */
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
    @CsvSource({"3, L1", "3, L2", "3, L3", "3, L4", "1, L1", "1, L3", "2, L4", "4, L4", "5, L2"})
    void bringsBackWhatWasProtected(String ioMode, Level level) throws IOException {
        RunFixture run = new RunFixture(
                directory, Map.of("basic.ckpt_io", ioMode, "basic.node_size", "1", "basic.group_size", "2"));
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = open(run, comm)) {
                checkpoints.protect(1, values(comm.rank()));
                checkpoints.checkpoint(1, level);
            }
        });
        assumeTrue(maps(run.config()), "the system maps no file in " + directory);
        int before = mappings();
        if (level == Level.L2 || level == Level.L3) {
            RunDirectory.delete(directory.resolve("Local/node1"), new NioEngine());
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
