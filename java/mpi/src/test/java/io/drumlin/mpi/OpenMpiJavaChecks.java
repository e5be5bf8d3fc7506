package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.CommunicatorContract;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.RankBody;
import io.drumlin.fti.FTI;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The contract over an mpi.Comm of a program that runs MPI itself; run on ranks by {@link OpenMpiJavaIT}. */
class OpenMpiJavaChecks extends CommunicatorContract {

    @BeforeAll
    static void theProgramInitializesMpi() throws ReflectiveOperationException {
        MpiJar.init();
    }

    @AfterAll
    static void theProgramFinalizesMpi() throws ReflectiveOperationException, IOException {
        Communicators.finish();
        assertThat(MpiJar.isFinalized()).as("finalised by Drumlin").isFalse();
        MpiJar.finish();
        assertThatThrownBy(NativeMpi::world).isInstanceOf(IOException.class).hasMessageContaining("finalised");
        assertThatThrownBy(() -> OpenMpiJava.of(MpiJar.world()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not initialised in this process, or already finalised");
    }

    @Override
    protected void onRanks(RankBody<Exception> body) throws Exception {
        try (Communicator world = Communicators.of(MpiJar.world())) {
            body.run(world);
        }
    }

    @Test
    void rankAndSizeAreThoseOfTheProgram() throws Exception {
        Object own = MpiJar.world();
        try (NativeMpi world = OpenMpiJava.of(own)) {
            assertThat(world.rank()).isEqualTo(MpiJar.rank(own));
            assertThat(world.size()).isEqualTo(MpiJar.size(own));
        }
    }

    @Test
    void aPartOfTheWorldIsTaken() throws Exception {
        Object world = MpiJar.world();
        Object half = MpiJar.split(world, MpiJar.rank(world) % 2, -MpiJar.rank(world));
        try (NativeMpi part = OpenMpiJava.of(half)) {
            assertThat(part.rank()).isEqualTo(MpiJar.rank(half));
            assertThat(part.size()).isEqualTo(MpiJar.size(half));
            long[] sum = {1};
            part.allreduce(sum, Communicator.Op.SUM);
            assertThat(sum[0]).isEqualTo(part.size());
        }
    }

    @Test
    void theWorldOfTheProgramIsJoined() throws Exception {
        try (Communicator world = Communicators.world()) {
            assertThat(world.size()).isEqualTo(MpiJar.size(MpiJar.world()));
            world.barrier();
        }
    }

    @Test
    void theNullCommunicatorIsRefused() throws Exception {
        Object nothing = MpiJar.split(MpiJar.world(), MpiJar.undefined(), 0);
        assertThatThrownBy(() -> OpenMpiJava.of(nothing))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("EINVAL");
    }

    @Test
    void theFtiFacadeTakesIt() throws Exception {
        Object world = MpiJar.world();
        Path directory = sharedDirectory();
        RunFixture run = MpiJar.rank(world) == 0
                ? new RunFixture(directory, Map.of("basic.node_size", "1", "basic.group_size", "1"))
                : null;
        try (Communicator ranks = Communicators.of(world)) {
            ranks.barrier();
            String config = directory.resolve("config.fti").toString();
            int[] value = {7 + ranks.rank()};
            assertThat(FTI.FTI_Init(config, world)).isEqualTo(FTI.FTI_SCES);
            assertThat(FTI.FTI_Protect(0, value, 1, FTI.FTI_INTG)).isEqualTo(FTI.FTI_SCES);
            assertThat(FTI.FTI_Checkpoint(1, FTI.FTI_L1)).isEqualTo(FTI.FTI_DONE);
            value[0] = 0;
            // Again in the same process, as after a failure.
            assertThat(FTI.FTI_Init(config, world)).isEqualTo(FTI.FTI_SCES);
            assertThat(FTI.FTI_Status()).isEqualTo(1);
            FTI.FTI_Protect(0, value, 1, FTI.FTI_INTG);
            assertThat(FTI.FTI_Recover()).isEqualTo(FTI.FTI_SCES);
            assertThat(value).containsExactly(7 + ranks.rank());
            assertThat(FTI.FTI_Finalize()).isEqualTo(FTI.FTI_SCES);
            ranks.barrier();
        }
        if (run != null) {
            assertThat(run.files()).isEmpty();
        }
    }

    /** A new directory that rank 0 makes and all ranks know. Collective. */
    private static Path sharedDirectory() throws Exception {
        try (Communicator ranks = Communicators.of(MpiJar.world())) {
            ByteBuffer name = ByteBuffer.allocate(256);
            if (ranks.rank() == 0) {
                name.put(Files.createTempDirectory(Path.of("target").toAbsolutePath(), "fti")
                        .toString()
                        .getBytes(StandardCharsets.UTF_8));
            }
            ranks.bcast(name.clear(), 0);
            return Path.of(new String(name.array(), StandardCharsets.UTF_8).replace("\0", ""));
        }
    }
}
