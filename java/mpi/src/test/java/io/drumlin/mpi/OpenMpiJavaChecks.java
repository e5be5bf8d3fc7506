package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.CommunicatorContract;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.RankBody;
import java.io.IOException;
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
}
