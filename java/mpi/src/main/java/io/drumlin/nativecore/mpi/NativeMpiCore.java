package io.drumlin.nativecore.mpi;

import io.drumlin.nativecore.NativeCore;
import io.drumlin.nativecore.NativeLibrary;
import org.jspecify.annotations.Nullable;

/** Whether libdrumlin_mpi can be used in this process. Loading is tried when somebody first asks. Thread-safe. */
public final class NativeMpiCore {

    private NativeMpiCore() {}

    /**
     * Why the functions of {@link MpiLibrary} cannot be called.
     *
     * @return {@code null} when they can; else the message lists all that was tried and says what to do
     */
    public static @Nullable Throwable unavailabilityCause() {
        Throwable withoutMpi = NativeCore.unavailabilityCause();
        return withoutMpi != null ? withoutMpi : Loading.ONCE.failure;
    }

    private record Loading(@Nullable Throwable failure) {

        static final Loading ONCE = new Loading(NativeLibrary.load(
                "drumlin_mpi",
                MpiLibrary.class,
                MpiLibrary.ABI,
                MpiLibrary::drumlin_mpi_abi,
                // MPICH and Open MPI 5 load UCX with it, which takes the JVM's signals at once.
                NativeCore::loadGuarded));
    }
}
