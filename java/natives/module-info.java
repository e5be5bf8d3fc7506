/** The native libraries of @module@ for one platform. Found by {@code io.drumlin.core}; no program need require it. */
@SuppressWarnings("module") // names of platforms may end with digits
module @module@.@natives@ {
    requires io.drumlin.core;

    provides io.drumlin.nativecore.BundledLibraries with
            @module@.@natives@.Libraries;
}
