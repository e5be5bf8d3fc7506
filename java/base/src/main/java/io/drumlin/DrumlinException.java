package io.drumlin;

import io.drumlin.internal.Printable;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong, told to the person who reads the job's log.
 *
 * <p>The message names the operation and whatever is known of path, offset, length, errno, rank and level, and ends with
 * what to do. Values that do not apply are absent: {@code null} for texts, {@code -1} for numbers.
 */
public class DrumlinException extends IOException {

    private static final long serialVersionUID = 1L;

    /** What was being done. */
    private final String operation;

    /** The file or directory, or null. */
    private final @Nullable String path;

    /** Byte offset, or -1. */
    private final long offset;

    /** Bytes, or -1. */
    private final long length;

    /** Symbolic name, or null. */
    private final @Nullable String errno;

    /** Rank in the communicator in use, or -1. */
    private final int rank;

    /** 1 to 4, or -1. */
    private final int level;

    /**
     * Makes the exception that {@code context} describes.
     *
     * @param context everything known about the failure
     */
    protected DrumlinException(Context context) {
        super(Printable.text(context.message()), context.cause);
        this.operation = context.operation;
        this.path = context.path;
        this.offset = context.offset;
        this.length = context.length;
        this.errno = context.errno;
        this.rank = context.rank;
        this.level = context.level;
    }

    /**
     * Starts the description of a failure.
     *
     * @param operation what was being done, as a noun or a call name: {@code "pwrite"}, {@code "checkpoint 12"}
     * @return a context to fill in
     */
    public static Context during(String operation) {
        return new Context(operation);
    }

    /**
     * What was being done.
     *
     * @return the operation
     */
    public String operation() {
        return operation;
    }

    /**
     * The file or directory concerned.
     *
     * @return the path, or {@code null}
     */
    public @Nullable String path() {
        return path;
    }

    /**
     * Where in the file.
     *
     * @return byte offset, or -1
     */
    public long offset() {
        return offset;
    }

    /**
     * How much was to be moved.
     *
     * @return bytes, or -1
     */
    public long length() {
        return length;
    }

    /**
     * The errno name, for example {@code ENOSPC}.
     *
     * @return the symbolic name, or {@code null}
     */
    public @Nullable String errno() {
        return errno;
    }

    /**
     * The rank on which it happened.
     *
     * @return rank in the communicator in use, or -1
     */
    public int rank() {
        return rank;
    }

    /**
     * The checkpoint level concerned.
     *
     * @return 1 to 4, or -1
     */
    public int level() {
        return level;
    }

    /** Collects what is known about a failure. Not thread-safe. */
    public static final class Context {

        private final String operation;
        private @Nullable String path;
        private long offset = -1;
        private long length = -1;
        private @Nullable String errno;
        private int rank = -1;
        private int level = -1;
        private @Nullable String problem;
        private @Nullable String advice;
        private @Nullable Throwable cause;

        private Context(String operation) {
            this.operation = operation;
        }

        /**
         * Names the file.
         *
         * @param path file or directory
         * @return this
         */
        public Context path(Path path) {
            this.path = path.toString();
            return this;
        }

        /**
         * Says where in the file and how much.
         *
         * @param offset byte offset
         * @param length bytes
         * @return this
         */
        public Context range(long offset, long length) {
            this.offset = offset;
            this.length = length;
            return this;
        }

        /**
         * Names the system's error.
         *
         * @param name symbolic name, for example {@code ENOSPC}
         * @return this
         */
        public Context errno(String name) {
            this.errno = name;
            return this;
        }

        /**
         * Says on which rank.
         *
         * @param rank rank in the communicator in use
         * @return this
         */
        public Context rank(int rank) {
            this.rank = rank;
            return this;
        }

        /**
         * Says at which level.
         *
         * @param level 1 to 4
         * @return this
         */
        public Context level(int level) {
            this.level = level;
            return this;
        }

        /**
         * Says what is wrong.
         *
         * @param problem a clause without a full stop
         * @return this
         */
        public Context problem(String problem) {
            this.problem = problem;
            return this;
        }

        /**
         * Says what the reader can do.
         *
         * @param advice a clause without a full stop
         * @return this
         */
        public Context advice(String advice) {
            this.advice = advice;
            return this;
        }

        /**
         * Keeps the original failure.
         *
         * @param cause what was caught
         * @return this
         */
        public Context cause(Throwable cause) {
            this.cause = cause;
            return this;
        }

        /**
         * Ends the description.
         *
         * @return the exception, to be thrown by the caller
         */
        public DrumlinException exception() {
            return new DrumlinException(this);
        }

        private String message() {
            StringBuilder text = new StringBuilder();
            if (level >= 0) {
                text.append("level ").append(level).append(", ");
            }
            if (rank >= 0) {
                text.append("rank ").append(rank).append(": ");
            }
            text.append(operation);
            if (length >= 0) {
                text.append(" of ").append(length).append(" bytes");
            }
            if (offset >= 0) {
                text.append(" at offset ").append(offset);
            }
            if (path != null) {
                text.append(" in ").append(path);
            }
            text.append(" failed");
            if (errno != null) {
                text.append(": ").append(errno);
            }
            if (problem != null) {
                text.append(errno == null ? ": " : " (").append(problem).append(errno == null ? "" : ")");
            } else if (errno == null && cause != null) {
                text.append(": ").append(cause);
            }
            if (advice != null) {
                text.append("; ").append(advice);
            }
            return text.toString();
        }
    }
}
