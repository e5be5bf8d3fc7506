package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Offsets beyond 2 GiB and 4 GiB, without so much data. */
class LargeOffsetTest {

    @TempDir
    Path directory;

    /** The second variable lies behind a hole: the first one once was large. */
    @ParameterizedTest
    @ValueSource(strings = {"best", "nio"})
    void recoversWhatLiesBehindFourGiB(String engine) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        byte[] content = {1, 2, 3, 4, 5};
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            checkpoints.protect(1, content);
            checkpoints.protect(2, content);
            checkpoints.checkpoint(1, Level.L1);
        }
        replace(run.file("Ckpt1-Rank0.fti"), content);

        byte[] first = new byte[5];
        byte[] second = new byte[5];
        try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                .communicator(new SingleCommunicator())
                .storage(engine.equals("best") ? StorageEngines.best() : StorageEngines.byName(engine))
                .open()) {
            checkpoints.protect(1, first);
            checkpoints.protect(2, second);
            checkpoints.recover();
        }
        assertThat(first).isEqualTo(content);
        assertThat(second).isEqualTo(content);
    }

    /** The same 64 MiB under 33 ids: nothing of it is written. */
    @Test
    void layoutERefusesTwoGiBAndKeepsTheLastCheckpoint() throws IOException {
        RunFixture run = new RunFixture(directory, "node_size=1, drumlin.layout=E, drumlin.packing=compact");
        byte[] piece = new byte[64 << 20];
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            checkpoints.protect(0, piece, 1000);
            checkpoints.checkpoint(1, Level.L1);
            for (int id = 0; id < 33; id++) {
                checkpoints.protect(id, piece);
            }
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> checkpoints.checkpoint(2, Level.L1))
                    .withMessageContaining("smaller than 2 GiB")
                    .withMessageContaining("layout F has no such limit");
            for (int id = 0; id < 33; id++) {
                checkpoints.protect(id, piece, 10);
            }
            assertThat(checkpoints.lastCheckpoint()).contains(1);
            checkpoints.checkpoint(3, Level.L1);
        }
        assertThat(run.file("Ckpt3-Rank0.fti")).hasSize(1000 + 32 * 10 + 2 * 8 + 33 * 50 + 82);
    }

    private static void replace(Path file, byte[] content) throws IOException {
        byte[] hash = HexFormat.of().parseHex("7cfdd07889b3295d6a550914ab35e068"); // of 1, 2, 3, 4, 5
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT)
                .next(List.of(new VariableSize(1, (4L << 30) + 1000), new VariableSize(2, 5)))
                .next(List.of(new VariableSize(1, 5), new VariableSize(2, 5)))
                .withHashes(List.of(hash, hash));
        ByteBuffer end = ByteBuffer.allocate((int) (5 + plan.metaSize())).put(content);
        Layout.F.put(end, plan.blocks(), Layout.F.seal(plan.blocks(), 1, 0, -1, -1));
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            channel.write(ByteBuffer.wrap(content), 0);
            channel.write(end.flip(), plan.dataSize() - 5);
        }
    }
}
