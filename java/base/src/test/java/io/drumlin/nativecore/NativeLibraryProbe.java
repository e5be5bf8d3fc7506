package io.drumlin.nativecore;

/** Run in a JVM of its own: says whether the C core can be used. */
final class NativeLibraryProbe {

    private NativeLibraryProbe() {}

    public static void main(String[] arguments) {
        Throwable cause = NativeCore.unavailabilityCause();
        System.out.println(
                cause == null
                        ? "available, ABI " + CoreLibrary.drumlin_core_abi()
                        : "unavailable: " + cause.getMessage());
    }
}
