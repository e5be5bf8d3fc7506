package io.drumlin.nativecore.mpi;

import io.drumlin.nativecore.NativeCore;
import io.drumlin.nativecore.NativeLibrary;
import io.drumlin.nativecore.NativeMemory;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether libdrumlin_mpi can be used in this process, and with which MPI. Loading is tried when somebody first asks. Thread-safe.
 *
 * <p>The MPI is the one that the process has loaded already; else the one that {@code -Ddrumlin.mpi} or the environment
 * variable {@code DRUMLIN_MPI} names ({@code openmpi}, {@code mpich}, or the path of the MPI library); else the one whose
 * launcher has started the process, as far as its variables tell; else the one that Drumlin was built with.
 */
public final class NativeMpiCore {

    private static final System.Logger LOG = System.getLogger(NativeMpiCore.class.getName());

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

    /**
     * Why the MPI in use was chosen.
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
