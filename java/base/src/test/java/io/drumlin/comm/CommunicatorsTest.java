package io.drumlin.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Without a provider on the class path and without a launcher. */
class CommunicatorsTest {

    @Test
    void theWorldOfAPlainProcessIsOneRank() throws IOException {
        try (Communicator world = Communicators.world();
                Communicator again = Communicators.world()) {
            assertThat(world).isInstanceOf(SingleCommunicator.class).isNotSameAs(again);
        }
        Communicators.finish();
    }

    @Test
    void aCommunicatorIsDuplicated() throws IOException {
        SingleCommunicator own = new SingleCommunicator();
        try (Communicator copy = Communicators.of(own)) {
            assertThat(copy).isNotSameAs(own);
        }
        own.send(ByteBuffer.allocate(1), 0, 0);
    }

    @Test
    void anUnknownObjectIsRefused() {
        assertThatThrownBy(() -> Communicators.of("a text"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("java.lang.String")
                .hasMessageContaining("mpi.Comm");
    }

    @Test
    void runClosesTheWorldAfterTheBody() throws IOException {
        List<Communicator> seen = new ArrayList<>();
        Communicators.run(world -> {
            world.barrier();
            seen.add(world);
        });
        assertThatThrownBy(seen.get(0)::barrier).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void runThrowsWhatTheBodyThrew() {
        AssertionError boom = new AssertionError("boom");
        assertThatThrownBy(() -> Communicators.run(world -> {
                    throw boom;
                }))
                .isSameAs(boom);
    }
}
