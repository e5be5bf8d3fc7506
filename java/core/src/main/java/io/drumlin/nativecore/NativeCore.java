package io.drumlin.nativecore;

import org.jspecify.annotations.Nullable;

/** Whether the C core can be used in this process. Loading is tried when somebody first asks. Thread-safe. */
public final class NativeCore {

    private NativeCore() {}

    /**
     * Whether the functions of {@link CoreLibrary} can be called.
     *
     * @return false where {@link #unavailabilityCause()} tells a reason
     */
    public static boolean isAvailable() {
        // Asked for each slab: without making the cause.
        return !NativeLibrary.switchedOff() && Loading.ONCE.failure() == null;
    }

    /**
     * Why the C core cannot be used.
     *
     * @return {@code null} when it can; else the message lists all that was tried and says what to do
     */
    public static @Nullable Throwable unavailabilityCause() {
        return NativeLibrary.switchedOff() ? NativeLibrary.switchedOffCause() : Loading.ONCE.failure();
    }

    /**
     * Does nothing if the C core can be used.
     *
     * @throws IllegalStateException it cannot; the message says why
     */
    public static void ensureAvailable() {
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            throw new IllegalStateException("the C core is not available: " + cause.getMessage(), cause);
        }
    }

    private record Loading(@Nullable Throwable failure) {

        static final Loading ONCE = new Loading(
                NativeLibrary.load("drumlin_core", CoreLibrary.class, CoreLibrary.ABI, CoreLibrary::drumlin_core_abi));
    }
}
