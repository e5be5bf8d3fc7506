/** The native libraries of @module@ for one platform. Found by {@code io.drumlin.base}; no program need require it. */
@SuppressWarnings("module") // names of platforms may end with digits
module @module@.@natives@ {
    requires io.drumlin.base;

    provides io.drumlin.nativecore.BundledLibraries with
            @module@.@natives@.Libraries;
}
