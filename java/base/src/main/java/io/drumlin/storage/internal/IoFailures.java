package io.drumlin.storage.internal;

import io.drumlin.DrumlinException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Interprets failures of files. A failure either proves that a file is missing or damaged, or proves nothing because it
 * may pass.
 */
public final class IoFailures {

    /** Errors that mean that there is no such file. */
    private static final Set<Errno> NOT_THERE =
            EnumSet.of(Errno.ENOENT, Errno.ENOTDIR, Errno.EISDIR, Errno.ELOOP, Errno.ENAMETOOLONG);

    private IoFailures() {}

    /**
     * Returns whether the same call may succeed later or elsewhere. Then the device, the file server, the permissions,
     * a limit of this process or its memory were in its way. Unknown failures count as such. Only a file that is
     * missing, too short, or not what its digests and formats demand gives no such failure.
     *
     * @param failure the failure of a call that read or looked for a file
     * @return false if the failure proves that the file is missing or damaged
     */
    public static boolean mayPass(Throwable failure) {
        if (failure instanceof DrumlinException told) {
            String errno = told.errno();
            return errno != null ? !isNotThere(errno) : told.getCause() != null && mayPass(told.getCause());
        }
        if (failure instanceof EOFException) {
            return false;
        }
        if (failure instanceof IOException io) {
            Optional<Errno> known = Errno.of(io);
            return known.isEmpty() || !NOT_THERE.contains(known.get());
        }
        // The JDK reports a failing directory in this way. Anything else is an error of the program or of this library,
        // such as memory of the program that takes no bytes.
        return !(failure.getCause() instanceof IOException cause) || mayPass(cause);
    }

    /**
     * Returns the name of the system's error in a failure.
     *
     * @param failure the failure of a call on a file
     * @return for example {@code EIO}; {@code null} if it has none
     */
    public static @Nullable String errno(@Nullable Throwable failure) {
        if (failure instanceof DrumlinException told && told.errno() != null) {
            return told.errno();
        }
        if (failure instanceof IOException io && !(failure instanceof DrumlinException)) {
            return Errno.of(io).map(Enum::name).orElse(null);
        }
        return failure == null ? null : errno(failure.getCause());
    }

    /**
     * Describes a failure.
     *
     * @param operation the operation that failed
     * @param path the path of the file
     * @param failure the failure from the JDK, whose message may be the path alone
     * @return an exception with the name of the error and advice
     */
    public static DrumlinException explain(String operation, Path path, IOException failure) {
        return Errno.explain(DrumlinException.during(operation).path(path), failure, "");
    }

    /**
     * Adds the name, the words and the advice of an error of the system.
     *
     * @param failure what failed
     * @param number errno
     * @return false if the number is unknown, and nothing was added
     */
    public static boolean describe(DrumlinException.Context failure, int number) {
        Optional<Errno> known = Errno.of(number);
        known.ifPresent(errno -> errno.addTo(failure, ""));
        return known.isPresent();
    }

    private static boolean isNotThere(String errno) {
        return NOT_THERE.stream().anyMatch(each -> each.name().equals(errno));
    }
}
