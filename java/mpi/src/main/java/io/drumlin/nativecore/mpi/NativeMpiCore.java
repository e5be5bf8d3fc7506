package io.drumlin.nativecore.mpi;

import io.drumlin.nativecore.NativeCore;
import io.drumlin.nativecore.NativeLibrary;
import io.drumlin.nativecore.NativeMemory;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether libdrumlin_mpi can be used in this process, and with which MPI. Loading is tried on first use.
 * Thread-safe.
 *
 * <p>The MPI that the process has already loaded is used first; else the one that {@code -Ddrumlin.mpi} or the
 * environment variable {@code DRUMLIN_MPI} names ({@code openmpi}, {@code mpich}, or the path of the MPI library); else
 * the one whose launcher started the process, as far as its variables tell; else the one with which Drumlin was built.
 */
public final class NativeMpiCore {

    private static final System.Logger LOG = System.getLogger(NativeMpiCore.class.getName());

    private NativeMpiCore() {}

    /**
     * Returns the reason why the functions of {@link MpiLibrary} cannot be called.
     *
     * @return {@code null} if they can; otherwise the message lists everything that was tried and says what to do
     */
    public static @Nullable Throwable unavailabilityCause() {
        Throwable withoutMpi = NativeCore.unavailabilityCause();
        return withoutMpi != null ? withoutMpi : Loading.ONCE.failure;
    }

    /**
     * Returns the reason for the choice of the MPI in use.
     *
     * @return words for a message, such as {@code "PMI_SIZE is set"}
     */
    public static String reason() {
        return Loading.ONCE.reason;
    }

    private record Loading(@Nullable Throwable failure, String reason) {

        static final Loading ONCE = load();

        private static Loading load() {
            MpiChoice choice;
            try {
                choice = MpiChoice.of(asked(), MpiFamily.loaded(), System.getenv());
            } catch (UnsatisfiedLinkError e) {
                return new Loading(e, "");
            }
            Throwable failure = NativeLibrary.load(
                    "drumlin_mpi", choice.builds(), MpiLibrary.class, MpiLibrary.ABI, MpiLibrary::drumlin_mpi_abi);
            if (failure == null) {
                String words = String.valueOf(NativeMemory.string(MpiLibrary.drumlin_mpi_library()));
                LOG.log(Level.DEBUG, "MPI: {0} ({1})", words, choice.reason());
                String mismatch = choice.mismatch(words);
                failure = mismatch == null ? null : new UnsatisfiedLinkError(mismatch);
            }
            return new Loading(failure, choice.reason());
        }

        private static @Nullable String asked() {
            return Optional.ofNullable(System.getProperty(MpiChoice.PROPERTY))
                    .or(() -> Optional.ofNullable(System.getenv(MpiChoice.VARIABLE)))
                    .filter(name -> !name.isEmpty())
                    .orElse(null);
        }
    }
}
