package io.drumlin.storage.internal;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Linux errors that file operations can return, with advice for the user. x86-64 and aarch64 number them alike. */
public enum Errno {
    EPERM(1, "Operation not permitted", "check owner, permissions and attributes of the path"),
    ENOENT(2, "No such file or directory", "check that the path and the directories above it exist"),
    EINTR(4, "Interrupted system call", ""),
    EIO(5, "Input/output error", "the device or file server failed: do not trust the file, see the system's log"),
    ENXIO(6, "No such device or address", ""),
    EBADF(9, "Bad file descriptor", "open the file with the mode the call needs"),
    EAGAIN(11, "Resource temporarily unavailable", ""),
    ENOMEM(12, "Cannot allocate memory", "give the job more memory"),
    EACCES(13, "Permission denied", "check owner and permissions of the path and the directories above it"),
    EBUSY(16, "Device or resource busy", ""),
    EEXIST(17, "File exists", "remove it or choose another name"),
    EXDEV(18, "Invalid cross-device link", "keep both names in one file system"),
    ENODEV(19, "No such device", ""),
    ENOTDIR(20, "Not a directory", "a part of the path is a file"),
    EISDIR(21, "Is a directory", "a file was expected here"),
    EINVAL(22, "Invalid argument", "the file system does not support the request"),
    ENFILE(23, "Too many open files in system", "raise fs.file-max of the node"),
    EMFILE(24, "Too many open files", "raise the limit: ulimit -n"),
    ETXTBSY(26, "Text file busy", ""),
    EFBIG(27, "File too large", "raise the limit: ulimit -f, or use a file system that takes larger files"),
    ENOSPC(28, "No space left on device", "free space on the file system or use another one"),
    EROFS(30, "Read-only file system", "use a file system that is mounted writable"),
    EMLINK(31, "Too many links", ""),
    ENAMETOOLONG(36, "File name too long", "use a shorter path"),
    ENOLCK(37, "No locks available", ""),
    ENOSYS(38, "Function not implemented", ""),
    ENOTEMPTY(39, "Directory not empty", "remove what is in it or choose another name"),
    ELOOP(40, "Too many levels of symbolic links", "check the symbolic links of the path"),
    EOVERFLOW(75, "Value too large for defined data type", ""),
    EOPNOTSUPP(95, "Operation not supported", "use another file system"),
    ENOTCONN(107, "Transport endpoint is not connected", "the file server is gone: mount the file system again"),
    ETIMEDOUT(110, "Connection timed out", "the file server does not answer"),
    EHOSTDOWN(112, "Host is down", "the file server does not answer"),
    ESTALE(116, "Stale file handle", "the file server forgot the file: it was removed or the server restarted"),
    EREMOTEIO(121, "Remote I/O error", "the file server failed: do not trust the file"),
    EDQUOT(122, "Disk quota exceeded", "free space below your quota or use another file system");

    /** The JDK adds this text if there are too many symbolic links. */
    private static final String AFTER_ELOOP = " or unable to access attributes of symbolic link";

    private static final Map<Integer, Errno> BY_NUMBER =
            Stream.of(values()).collect(Collectors.toMap(errno -> errno.number, Function.identity()));
    private static final Map<String, Errno> BY_TEXT =
            Stream.of(values()).collect(Collectors.toMap(errno -> errno.text, Function.identity()));

    private final int number;
    private final String text;
    private final String advice;

    Errno(int number, String text, String advice) {
        this.number = number;
        this.text = text;
        this.advice = advice;
    }

    public int number() {
        return number;
    }

    public String text() {
        return text;
    }

    static Optional<Errno> of(int number) {
        return Optional.ofNullable(BY_NUMBER.get(number));
    }

    /** Finds the error in the JDK's exception, from its class or from the system's text in its message. */
    public static Optional<Errno> of(IOException failure) {
        if (failure instanceof ErrnoException numbered) {
            return of(numbered.number());
        } else if (failure instanceof NoSuchFileException) {
            return Optional.of(ENOENT);
        } else if (failure instanceof AccessDeniedException) {
            return Optional.of(EACCES);
        } else if (failure instanceof FileAlreadyExistsException) {
            return Optional.of(EEXIST);
        } else if (failure instanceof DirectoryNotEmptyException) {
            return Optional.of(ENOTEMPTY);
        } else if (failure instanceof NotDirectoryException) {
            return Optional.of(ENOTDIR);
        } else if (failure instanceof AtomicMoveNotSupportedException) {
            return Optional.of(EXDEV);
        }
        String words = failure instanceof FileSystemException named ? named.getReason() : failure.getMessage();
        return Optional.ofNullable(words).map(Errno::ofWords);
    }

    private static @Nullable Errno ofWords(String words) {
        String text = words.endsWith(AFTER_ELOOP) ? words.substring(0, words.length() - AFTER_ELOOP.length()) : words;
        Errno errno = BY_TEXT.get(text);
        return errno == null ? LocalTexts.BY_TEXT.get(text) : errno;
    }

    /** The texts of the C library, and so of the JDK, if the process uses another language than English. */
    private static final class LocalTexts {

        static final Map<String, Errno> BY_TEXT = ask();

        private LocalTexts() {}

        private static Map<String, Errno> ask() {
            Map<String, Errno> texts = new HashMap<>();
            try {
                for (Errno errno : values()) {
                    texts.put(Libc.message(errno.number), errno);
                }
            } catch (LinkageError e) {
                // Without JNA, errors are reported in the words of the system, without name and advice.
                return Map.of();
            }
            return texts;
        }
    }

    /** Adds the details of {@code failure} to {@code context}; {@code progress} may be empty. */
    public static DrumlinException explain(DrumlinException.Context context, IOException failure, String progress) {
        context.cause(failure);
        if (failure instanceof ClosedByInterruptException) {
            return context.problem("the thread was interrupted, which closes files of the nio engine" + progress)
                    .advice("do not interrupt threads that do I/O, or use the engine libc or native")
                    .exception();
        } else if (failure instanceof ClosedChannelException) {
            return context.problem("the file is closed" + progress).exception();
        }
        Optional<Errno> known = of(failure);
        known.ifPresent(errno -> errno.addTo(context, progress));
        if (known.isEmpty()) {
            context.problem(String.valueOf(failure.getMessage()) + progress);
        }
        return context.exception();
    }

    /** Adds the name of this error, its words and advice. */
    void addTo(DrumlinException.Context context, String progress) {
        context.errno(name()).problem(text + progress);
        if (!advice.isEmpty()) {
            context.advice(advice);
        }
    }
}
