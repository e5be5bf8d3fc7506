package io.drumlin.mpi;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/**
 * Accepts communicators of Open MPI's Java bindings ({@code mpi.jar}), without requiring the bindings. Only the handle
 * of the communicator is used; all calls go through native MPI. Thread-safe.
 */
public final class OpenMpiJava {

    private static final String COMM = "mpi.Comm";

    private OpenMpiJava() {}

    /**
     * Returns whether an object is an {@code mpi.Comm} or an instance of a subclass, such as {@code mpi.Intracomm}.
     *
     * @param object any object
     * @return true for objects that {@link #of} accepts
     */
    public static boolean isComm(Object object) {
        return commClass(object) != null;
    }

    /**
     * Returns a duplicate of a communicator. Collective over it.
     *
     * @param comm an {@code mpi.Comm}
     * @return a communicator, which the caller must close
     * @throws IOException native MPI cannot be used, or is not the one that {@code mpi.jar} uses, or MPI is not
     *     initialised
     * @throws IllegalArgumentException the object is not an {@code mpi.Comm}
     */
    public static NativeMpi of(Object comm) throws IOException {
        Class<?> type = commClass(comm);
        if (type == null) {
            throw new IllegalArgumentException(comm.getClass().getName() + " is not a subclass of " + COMM);
        }
        return NativeMpi.of(handle(comm, type));
    }

    private static @Nullable Class<?> commClass(Object object) {
        Class<?> type = object.getClass();
        while (type != null && !type.getName().equals(COMM)) {
            type = type.getSuperclass();
        }
        return type;
    }

    /** Reads the C handle. The bindings keep it in a protected field and offer no public access. */
    private static long handle(Object comm, Class<?> type) throws IOException {
        try {
            Field handle = type.getDeclaredField("handle");
            handle.setAccessible(true);
            return handle.getLong(comm);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw DrumlinException.during("using an " + COMM)
                    .problem("its handle cannot be read: " + e)
                    .advice("put mpi.jar on the class path, not on the module path, or use Communicators.world()")
                    .cause(e)
                    .exception();
        }
    }
}
