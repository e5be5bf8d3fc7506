package io.drumlin.mpi;

/** A program that uses mpi.jar, written by reflection because the build must work without the jar. */
final class MpiJar {

    private MpiJar() {}

    private static Class<?> mpi() throws ClassNotFoundException {
        return Class.forName("mpi.MPI");
    }

    static void init() throws ReflectiveOperationException {
        mpi().getMethod("Init", String[].class).invoke(null, (Object) new String[0]);
    }

    static void finish() throws ReflectiveOperationException {
        mpi().getMethod("Finalize").invoke(null);
    }

    static boolean isFinalized() throws ReflectiveOperationException {
        return (boolean) mpi().getMethod("isFinalized").invoke(null);
    }

    static Object world() throws ReflectiveOperationException {
        return mpi().getField("COMM_WORLD").get(null);
    }

    static int undefined() throws ReflectiveOperationException {
        return mpi().getField("UNDEFINED").getInt(null);
    }

    static int rank(Object comm) throws ReflectiveOperationException {
        return (int) comm.getClass().getMethod("getRank").invoke(comm);
    }

    static int size(Object comm) throws ReflectiveOperationException {
        return (int) comm.getClass().getMethod("getSize").invoke(comm);
    }

    static Object split(Object comm, int color, int key) throws ReflectiveOperationException {
        return comm.getClass().getMethod("split", int.class, int.class).invoke(comm, color, key);
    }
}
