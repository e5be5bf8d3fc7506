package io.drumlin.hdf5;

import io.drumlin.format.hdf5.internal.Hdf5Library;
import io.drumlin.nativecore.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.bytedeco.hdf5.global.hdf5;

/**
 * The HDF5 library in {@code org.bytedeco:hdf5}. It never runs in the process of the caller: files that were made to harm it
 * would end the program. Each file is read by a process of its own, with bounds on memory and processor time.
 *
 * <p>JavaCPP unpacks the library. Unless {@code org.bytedeco.javacpp.cachedir} names another place, this class names a
 * private folder on a disk of the node: the home folder, JavaCPP's own choice, is one for all nodes of a cluster.
 */
public final class NativeHdf5Library implements Hdf5Library {

    static final String CACHE_PROPERTY = "org.bytedeco.javacpp.cachedir";

    /** JavaCPP refuses memory when the whole process uses a multiple of the heap. */
    private static final String GUARD_PROPERTY = "org.bytedeco.javacpp.maxPhysicalBytes";

    /** Makes the library for {@link java.util.ServiceLoader}; nothing is loaded yet. */
    public NativeHdf5Library() {}

    @Override
    public Content open(Path file) throws IOException {
        return LibraryProcess.open(file, null);
    }

    @Override
    public Content open(ByteBuffer image, Path file) throws IOException {
        return LibraryProcess.open(file, image);
    }

    /** Loads the library into this process, which is that of {@link LibraryServer}. */
    static void load() throws Refusal {
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
        } catch (ExceptionInInitializerError e) {
            throw unusable(String.valueOf(e.getCause()));
        } catch (IOException | LinkageError | IllegalCallerException | OutOfMemoryError e) {
            throw unusable(e.toString());
        }
    }

    static Refusal unusable(String problem) {
        return new Refusal(
                Refusal.Kind.LACKING,
                "file",
                "the HDF5 library cannot be used: " + problem
                        + "; put hdf5-VERSION-linux-x86_64.jar of org.bytedeco on the class path or module path, and give -D"
                        + CACHE_PROPERTY
                        + " a folder that can be written; or write the file in the first format with h5repack");
    }
}
