package io.drumlin.hdf5;

import io.drumlin.DrumlinException;
import io.drumlin.format.hdf5.Hdf5Library;
import io.drumlin.nativecore.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.bytedeco.hdf5.global.hdf5;
import org.jspecify.annotations.Nullable;

/**
 * The HDF5 library in {@code org.bytedeco:hdf5}. It is loaded when the first file is opened. Calls of all threads wait
 * for each other, because this build of the library is not made for several.
 *
 * <p>JavaCPP unpacks the library. Unless {@code org.bytedeco.javacpp.cachedir} names another place, this class names a
 * private folder on a disk of the node: the home folder, JavaCPP's own choice, is one for all nodes of a cluster.
 */
public final class NativeHdf5Library implements Hdf5Library {

    private static final String CACHE_PROPERTY = "org.bytedeco.javacpp.cachedir";

    /** JavaCPP refuses memory when the whole process uses a multiple of the heap. */
    private static final String GUARD_PROPERTY = "org.bytedeco.javacpp.maxPhysicalBytes";

    /** The one lock for all calls of the library. */
    static final Object LOCK = new Object();

    private static boolean loaded;
    private static @Nullable String failure;

    /** Makes the library for {@link java.util.ServiceLoader}; nothing is loaded yet. */
    public NativeHdf5Library() {}

    @Override
    public Content open(Path file) throws IOException {
        synchronized (LOCK) {
            load(file);
            return LibraryFile.open(file);
        }
    }

    @Override
    public Content open(ByteBuffer image, Path file) throws IOException {
        synchronized (LOCK) {
            load(file);
            return LibraryFile.open(image, file);
        }
    }

    /** Loads the library once. A failure is final for the process, as that of a class that cannot be initialised. */
    private static void load(Path file) throws IOException {
        if (NativeLibrary.switchedOff()) {
            throw unusable(file, "native code is switched off by -D" + NativeLibrary.SWITCH_PROPERTY + "=off");
        }
        if (!loaded && failure == null) {
            failure = tryToLoad();
            loaded = failure == null;
        }
        String problem = failure;
        if (problem != null) {
            throw unusable(file, problem);
        }
    }

    /** Returns why the library cannot be used; null if it can. */
    private static @Nullable String tryToLoad() {
        try {
            if (System.getProperty(CACHE_PROPERTY) == null) {
                System.setProperty(
                        CACHE_PROPERTY, NativeLibrary.privateFolder("javacpp").toString());
            }
            if (System.getProperty(GUARD_PROPERTY) == null) {
                System.setProperty(GUARD_PROPERTY, "0");
            }
            Calls.check(hdf5.H5open(), "H5open");
            Calls.silence();
            return null;
        } catch (ExceptionInInitializerError e) {
            return String.valueOf(e.getCause());
        } catch (IOException | LinkageError | IllegalCallerException | OutOfMemoryError e) {
            return e.toString();
        }
    }

    /** The cause tells that the file may be whole. */
    private static DrumlinException unusable(Path file, String problem) {
        return DrumlinException.during("reading HDF5")
                .path(file)
                .problem("the HDF5 library cannot be used: " + problem)
                .advice(
                        "put hdf5-VERSION-linux-x86_64.jar of org.bytedeco on the class path or module path, allow native"
                                + " access to org.bytedeco.javacpp and org.bytedeco.hdf5 (ALL-UNNAMED on the class path), and"
                                + " give -D" + CACHE_PROPERTY
                                + " a folder that can be written;"
                                + " or write the file in the first format with h5repack")
                .cause(new UnsatisfiedLinkError(problem))
                .exception();
    }
}
