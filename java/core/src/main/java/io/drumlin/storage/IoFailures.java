package io.drumlin.storage;

import io.drumlin.DrumlinException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a failure says of a file: that it is not there, or not what it should be; or nothing, because it may pass. */
public final class IoFailures {

    /** With these the system says that there is no such file. */
    private static final Set<Errno> NOT_THERE =
            EnumSet.of(Errno.ENOENT, Errno.ENOTDIR, Errno.EISDIR, Errno.ELOOP, Errno.ENAMETOOLONG);

    private IoFailures() {}

    /**
     * Whether the same call may succeed later, or elsewhere: the device, the file server, the permissions, or a limit of this process
     * were in its way. What is not known counts as such. A file that is missing, is too short or has other contents than its
     * digests and formats demand is none.
     *
     * @param failure of a call that read or looked for a file
     * @return false if the failure is a proof that the file is missing or damaged
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
        if (failure instanceof RuntimeException) {
            // Contents that nobody has thought of; the JDK also tells of failing directories so.
            return failure.getCause() instanceof IOException cause && mayPass(cause);
        }
        return !(failure instanceof StackOverflowError);
    }

    /**
     * The name of the system's error in a failure.
     *
     * @param failure of a call on a file
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
     * A failure in words.
     *
     * @param operation what failed
     * @param path of the file
     * @param failure of the JDK, whose message may be the path alone
     * @return an exception with the name of the error, and what can be done
     */
    public static DrumlinException explain(String operation, Path path, IOException failure) {
        return Errno.explain(DrumlinException.during(operation).path(path), failure, "");
    }

    private static boolean isNotThere(String errno) {
        return NOT_THERE.stream().anyMatch(each -> each.name().equals(errno));
    }
}
