package io.drumlin.hdf5;

import io.drumlin.DrumlinException;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bytedeco.hdf5.H5E_auto2_t;
import org.bytedeco.hdf5.H5E_error2_t;
import org.bytedeco.hdf5.H5E_walk2_t;
import org.bytedeco.hdf5.global.hdf5;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;

/** What the functions of the library return: a negative number is a failure, which is on the stack of errors. */
final class Calls {

    /** As the library tells of a failed call of the system. */
    private static final Pattern SYSTEM_ERROR = Pattern.compile("errno = (\\d+), error message = '([^']*)'");

    /** Words for too little memory, which says nothing about the file. */
    private static final Pattern NO_MEMORY =
            Pattern.compile("memory allocation failed|can't allocate|unable to allocate");

    private Calls() {}

    /** Keeps the library from printing its errors. */
    static void silence() {
        check(hdf5.H5Eset_auto2(hdf5.H5E_DEFAULT, (H5E_auto2_t) null, (Pointer) null), "H5Eset_auto2");
    }

    /** Checks a call that cannot fail on account of a file. */
    static void check(long result, String call) {
        if (result < 0) {
            throw new UnsatisfiedLinkError(call + " of the HDF5 library failed: " + String.join("; ", errors()));
        }
    }

    /**
     * Checks a call on a file.
     *
     * @param what what was to be read, for the message
     * @return the result
     * @throws FormatException the library finds the file damaged
     * @throws IOException the system refused a call of the library
     */
    static long check(long result, String what, Path file) throws IOException {
        if (result < 0) {
            throw failure(what, file, errors());
        }
        return result;
    }

    static int check(int result, String what, Path file) throws IOException {
        return (int) check((long) result, what, file);
    }

    /** Tells damage, which is final, from a failure that may pass. */
    private static IOException failure(String what, Path file, List<String> errors) {
        String text = errors.isEmpty() ? "the HDF5 library does not say why" : String.join("; ", errors);
        Matcher system = SYSTEM_ERROR.matcher(text);
        boolean refused = system.find();
        if (refused || NO_MEMORY.matcher(text).find()) {
            return DrumlinException.during("reading HDF5: " + what)
                    .path(file)
                    .problem(text)
                    .cause(new IOException(refused ? system.group(2) : "the HDF5 library lacks memory"))
                    .exception();
        }
        return new FormatException("HDF5", new Finding(what, 0, "the HDF5 library refuses it: " + text)).in(file);
    }

    /** Returns the errors of the last call, the innermost one first. */
    private static List<String> errors() {
        List<String> found = new ArrayList<>();
        try (H5E_walk2_t walk = new Walk(found)) {
            hdf5.H5Ewalk2(hdf5.H5E_DEFAULT, hdf5.H5E_WALK_UPWARD, walk, null);
            hdf5.H5Eclear2(hdf5.H5E_DEFAULT);
        }
        return found;
    }

    /** Collects what the library says of each error. */
    private static final class Walk extends H5E_walk2_t {

        private static final int MOST = 3;

        private final List<String> found;

        Walk(List<String> found) {
            this.found = found;
        }

        @Override
        public int call(int number, H5E_error2_t error, Pointer data) {
            BytePointer text = error.desc();
            if (text != null && !text.isNull() && found.size() < MOST) {
                found.add(text.getString());
            }
            return 0;
        }
    }
}
