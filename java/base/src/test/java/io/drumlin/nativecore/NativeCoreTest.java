package io.drumlin.nativecore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.Mpirun;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("native")
class NativeCoreTest {

    @BeforeEach
    void requireCore() {
        NativeTests.requireCore();
    }

    @Test
    void anAvailableCoreHasNoCauseAndTheRightAbi() {
        assertThat(NativeCore.isAvailable()).isTrue();
        assertThat(NativeCore.unavailabilityCause()).isNull();
        assertThat(CoreLibrary.drumlin_core_abi()).isEqualTo(CoreLibrary.ABI);
    }

    @Test
    void anotherAbiIsNotAccepted() {
        Throwable cause = NativeLibrary.load("drumlin_core", CoreLibrary.class, 999, CoreLibrary::drumlin_core_abi);
        assertThat(cause)
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("has ABI " + CoreLibrary.ABI)
                .hasMessageContaining("need 999");
    }

    @Test
    void errorsHaveNamesAndWords() {
        assertThat(NativeMemory.string(CoreLibrary.drumlin_error_name(-28))).isEqualTo("ENOSPC");
        assertThat(NativeMemory.string(CoreLibrary.drumlin_error_message(-28))).isEqualTo("No space left on device");
        assertThat(NativeMemory.string(CoreLibrary.drumlin_error_name(12345))).isNull();
    }

    /** The library takes them as UCX does when an MPI library that is linked to it is loaded. */
    @Test
    void aLibraryThatTakesSignalsLeavesThemToTheJvm() {
        Path taker = Mpirun.testLibrary("core/signal_taker.so");
        NativeCore.loadGuarded(taker.toString());
        assertThat(NativeMemory.string(CoreLibrary.drumlin_signal_owner(11))).contains("libjvm");
        assertThat(NativeMemory.string(CoreLibrary.drumlin_signal_owner(8))).contains("libjvm");
    }

    @Test
    void whatCannotBeLoadedIsToldByName() {
        assertThatThrownBy(() -> NativeCore.loadGuarded("libdrumlin-nowhere.so.7"))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("libdrumlin-nowhere.so.7: cannot open");
    }

    @Test
    void theAddressIsThatOfThePosition() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(100).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(40, 0x01020304);
        long address = NativeMemory.address(buffer.duplicate().position(8));
        assertThat(NativeMemory.address(buffer)).isEqualTo(address - 8);
        assertThat(NativeMemory.address(buffer.slice(16, 20).position(4))).isEqualTo(address + 12);

        ByteBuffer view = NativeMemory.view(address, 92);
        assertThat(view.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        assertThat(view.getInt(32)).isEqualTo(0x01020304);
        view.putInt(0, 77);
        assertThat(buffer.getInt(8)).isEqualTo(77);
    }

    @Test
    void heapBuffersAreRefused() {
        assertThatThrownBy(() -> NativeMemory.address(ByteBuffer.allocate(8)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatCannotBeMadeIsToldByName() {
        assertThatThrownBy(() -> NativeMemory.make("a queue", q -> CoreLibrary.drumlin_queue_create(q, 0, 0)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a queue: EINVAL (Invalid argument)");
    }
}
