package @module@.@natives@;

import io.drumlin.nativecore.BundledLibraries;

/** Makes the module system resolve this module. */
public final class Libraries implements BundledLibraries {

    /** For {@link java.util.ServiceLoader}. */
    public Libraries() {}
}
