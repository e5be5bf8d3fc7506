package io.drumlin.nativecore;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Tells whether the C core can be used in this process. Loading is tried on first use. Thread-safe. */
public final class NativeCore {

    private static final int SIGSEGV = 11;

    private NativeCore() {}

    /**
     * Returns whether the functions of {@link CoreLibrary} can be called.
     *
     * @return false if {@link #unavailabilityCause()} gives a reason
     */
    public static boolean isAvailable() {
        // This is called for each slab, so it does not make the cause.
        return !NativeLibrary.switchedOff() && Loading.ONCE.failure() == null;
    }

    /**
     * Returns the reason why the C core cannot be used.
     *
     * @return {@code null} if it can; otherwise the message lists everything that was tried and says what to do
     */
    public static @Nullable Throwable unavailabilityCause() {
        return NativeLibrary.switchedOff() ? NativeLibrary.switchedOffCause() : Loading.ONCE.failure();
    }

    /**
     * Does nothing if the C core can be used.
     *
     * @throws IllegalStateException it cannot be used; the message says why
     */
    public static void ensureAvailable() {
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            throw new IllegalStateException("the C core is not available: " + cause.getMessage(), cause);
        }
    }

    /**
     * Loads a library that may replace signal handlers of the JVM, as MPI libraries do, and restores the handlers. The
     * library stays loaded, and all libraries loaded later see it.
     *
     * @param library a path, or the name of a file that the dynamic linker looks for
     * @throws UnsatisfiedLinkError the library cannot be loaded, or it keeps a signal without which the JVM cannot
     *     continue
     */
    public static void loadGuarded(String library) {
        ByteBuffer name = NativeMemory.nativeString(library);
        int result;
        try {
            result = CoreLibrary.drumlin_library_load(NativeMemory.address(name));
        } finally {
            Reference.reachabilityFence(name);
        }
        if (result >= 0) {
            return;
        }
        if ("EBUSY".equals(NativeMemory.string(CoreLibrary.drumlin_error_name(result)))) {
            throw new UnsatisfiedLinkError(signalsLostTo(library));
        }
        String words = String.valueOf(NativeMemory.string(CoreLibrary.drumlin_library_error()));
        throw new UnsatisfiedLinkError(words.startsWith(library) ? words : library + ": " + words);
    }

    /**
     * Returns the message for a library that keeps a signal of the JVM.
     *
     * @param library its name
     * @return a sentence that includes advice
     */
    public static String signalsLostTo(String library) {
        String owner = NativeMemory.string(CoreLibrary.drumlin_signal_owner(SIGSEGV));
        return library + " has taken signals from the JVM that could not be given back (SIGSEGV is now handled by "
                + (owner == null || owner.isEmpty() ? "nobody" : owner)
                + "), and the next null check could end this process; set UCX_ERROR_SIGNALS= (empty) in the environment"
                + " of the job, or start with LD_PRELOAD=$JAVA_HOME/lib/libjsig.so";
    }

    private record Loading(@Nullable Throwable failure) {

        static final Loading ONCE = new Loading(
                NativeLibrary.load("drumlin_core", CoreLibrary.class, CoreLibrary.ABI, CoreLibrary::drumlin_core_abi));
    }
}
