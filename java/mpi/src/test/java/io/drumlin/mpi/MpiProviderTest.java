package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.internal.CommunicatorProvider;
import java.io.IOException;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** Without MPI. */
class MpiProviderTest {

    @Test
    void theProviderIsRegistered() {
        assertThat(ServiceLoader.load(CommunicatorProvider.class)).hasAtLeastOneElementOfType(MpiProvider.class);
    }

    @Test
    void unusableMpiIsAnErrorUnderALauncherOnly() {
        Throwable cause = new UnsatisfiedLinkError("libdrumlin_mpi is nowhere");
        assertThatNoException().isThrownBy(() -> MpiProvider.requireNoLauncher(Map.of(), cause));
        assertThatThrownBy(() -> MpiProvider.requireNoLauncher(Map.of("PMI_SIZE", "8"), cause))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("PMI_SIZE=8")
                .hasMessageContaining("libdrumlin_mpi is nowhere");
    }

    @Test
    void foreignObjectsAreLeftToOthers() throws IOException {
        assertThat(new MpiProvider().wrap("a text")).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OpenMpiJava.of("a text"))
                .withMessageContaining("java.lang.String");
    }

    @Test
    void finishWithoutABeginningDoesNothing() {
        assertThatNoException().isThrownBy(() -> new MpiProvider().finish());
    }
}
