package io.drumlin.hdf5;

import java.util.ArrayList;
import java.util.List;
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
     * @throws Refusal the library finds the file damaged, or the system refused a call of it
     */
    static long ofFile(long result, String what) throws Refusal {
        if (result < 0) {
            List<String> errors = errors();
            String text = errors.isEmpty() ? "the HDF5 library does not say why" : String.join("; ", errors);
            boolean passing =
                    SYSTEM_ERROR.matcher(text).find() || NO_MEMORY.matcher(text).find();
            throw new Refusal(
                    passing ? Refusal.Kind.PASSING : Refusal.Kind.DAMAGED,
                    what,
                    "the HDF5 library refuses it: " + text);
        }
        return result;
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
