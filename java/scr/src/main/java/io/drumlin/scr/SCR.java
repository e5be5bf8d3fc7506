package io.drumlin.scr;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.IllegalFormatException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The calls of SCR under their own names, for programs ported from C: {@code import static io.drumlin.scr.SCR.*;}.
 *
 * <p>Where C writes to an address, these calls write to the first element of an array. Calls return
 * {@link #SCR_SUCCESS} or {@link #SCR_FAILURE}; a failure is logged with all its details. A call in a wrong state
 * throws an {@link IllegalStateException}; C aborts the job. With SCR_ENABLE=0 every call returns failure and does
 * nothing. State belongs to the calling thread, so that ranks may be threads. All calls except {@link #SCR_Route_file},
 * {@link #SCR_Config(String)}, its other forms and {@link #SCR_Get_version} are collective.
 */
@SuppressWarnings({"MethodName", "MemberName"}) // The names are SCR's.
public final class SCR {

    /** Success. */
    public static final int SCR_SUCCESS = 0;
    /** Failure. */
    public static final int SCR_FAILURE = 1;
    /** The dataset is neither a checkpoint nor output. */
    public static final int SCR_FLAG_NONE = 0;
    /** The program can restart from the dataset. */
    public static final int SCR_FLAG_CHECKPOINT = 1;
    /** The dataset must reach the prefix directory. */
    public static final int SCR_FLAG_OUTPUT = 2;

    /** The release of SCR that defines these calls. */
    private static final String VERSION = "v3.1.0";

    private static final System.Logger LOG = System.getLogger(SCR.class.getName());
    private static final ThreadLocal<Session> SESSION = ThreadLocal.withInitial(Session::new);

    private static final class Session {
        private ScrConfig config = new ScrConfig(System.getenv());
        private @Nullable Communicator world;
        private @Nullable ScrDatasets datasets;
        private boolean disabled;

        /** Whether the dataset that was begun is a checkpoint. */
        private boolean checkpoint;

        private ScrDatasets datasets() {
            if (datasets == null) {
                throw new IllegalStateException("SCR_Init has not been called, or failed");
            }
            return datasets;
        }
    }

    private SCR() {}

    @FunctionalInterface
    private interface Call {
        boolean run() throws IOException;
    }

    private static int call(String name, Call call) {
        try {
            if (SESSION.get().disabled) {
                return SCR_FAILURE;
            }
            return call.run() ? SCR_SUCCESS : SCR_FAILURE;
        } catch (IOException | InvalidPathException | IndexOutOfBoundsException e) {
            // The last two come from arguments: a name that is not a path, an array without room for the answer.
            LOG.log(System.Logger.Level.ERROR, name + ": " + e.getMessage(), e);
            return SCR_FAILURE;
        }
    }

    /**
     * Begins, with all ranks of the job. With SCR_HALT_EXIT=1, if the job must halt, ends the process with exit status
     * 0.
     *
     * @return success or failure
     */
    public static int SCR_Init() {
        return call("SCR_Init", () -> {
            Session session = SESSION.get();
            if (isDisabled(session)) {
                return false;
            }
            Communicators.finishAfterMain(false);
            session.world = Communicators.world();
            open(session, session.world);
            exitIfHalted(session);
            return true;
        });
    }

    private static boolean isDisabled(Session session) throws IOException {
        session.disabled = !session.config.read().flag("SCR_ENABLE");
        return session.disabled;
    }

    /**
     * Begins, with the ranks of a communicator.
     *
     * @param comm the ranks; the program keeps it
     * @return success or failure
     */
    public static int SCR_Init(Communicator comm) {
        return call("SCR_Init", () -> {
            Session session = SESSION.get();
            if (isDisabled(session)) {
                return false;
            }
            open(session, comm);
            exitIfHalted(session);
            return true;
        });
    }

    /** Works like C with SCR_HALT_EXIT=1. All ranks have met at the end of closing. */
    private static void exitIfHalted(Session session) throws IOException {
        Optional<String> reason = session.datasets().closeIfHalted();
        if (reason.isPresent()) {
            LOG.log(System.Logger.Level.INFO, "Job exiting: " + reason.get());
            if (session.world != null) {
                session.world.close();
            }
            Communicators.finish();
            System.exit(0);
        }
    }

    private static void open(Session session, Communicator comm) throws IOException {
        if (session.datasets != null) {
            throw new IllegalStateException("SCR_Init was called before");
        }
        session.datasets = ScrDatasets.open(session.config, comm, StorageEngines.best());
    }

    /**
     * Sets a parameter before SCR_Init, or describes how checkpoints at an interval are cached.
     *
     * @param line {@code KEY=VALUE}; an empty value restores the default. SCR_Init warns of a key that has no effect.
     *     Or {@code CKPT=N} with items, as in {@link ScrConfig#add}
     * @return success; failure if the line has neither form, or comes too late
     */
    public static int SCR_Config(String line) {
        Session session = SESSION.get();
        if (session.datasets != null) {
            return SCR_FAILURE;
        }
        try {
            session.config.add(line);
            return SCR_SUCCESS;
        } catch (IllegalArgumentException e) {
            LOG.log(System.Logger.Level.ERROR, "SCR_Config: " + e.getMessage());
            return SCR_FAILURE;
        }
    }

    /**
     * Sets a parameter as {@link #SCR_Config(String)} does.
     *
     * @param format the line, in the form of {@link String#format}
     * @param arguments the values in the line
     * @return success; failure if the line has a wrong form, or comes too late
     */
    public static int SCR_Configf(String format, Object... arguments) {
        try {
            return SCR_Config(String.format(Locale.ROOT, format, arguments));
        } catch (IllegalFormatException e) {
            LOG.log(System.Logger.Level.ERROR, "SCR_Configf: '" + format + "': " + e.getMessage());
            return SCR_FAILURE;
        }
    }

    /**
     * Asks for the value of a parameter, before SCR_Init or after it. Not collective.
     *
     * @param query {@code KEY}, or {@code CKPT=N ITEM}
     * @param value receives the value; {@code null} if the environment, the user's file and the program leave the
     *     default
     * @return success; failure if the query has neither form, or the user's file cannot be read
     */
    public static int SCR_Config(String query, @Nullable String[] value) {
        try {
            return call("SCR_Config", () -> {
                value[0] = SESSION.get().config.get(query).orElse(null);
                return true;
            });
        } catch (IllegalArgumentException e) {
            LOG.log(System.Logger.Level.ERROR, "SCR_Config: " + e.getMessage());
            return SCR_FAILURE;
        }
    }

    /**
     * Ends as described at {@link ScrDatasets#close}.
     *
     * @return success or failure
     */
    public static int SCR_Finalize() {
        Session session = SESSION.get();
        SESSION.remove();
        if (session.disabled) {
            return SCR_FAILURE;
        }
        return call("SCR_Finalize", () -> {
            session.datasets().close();
            if (session.world != null) {
                session.world.close();
            }
            Communicators.finishAfterMain(true);
            return true;
        });
    }

    /**
     * Returns whether there is a checkpoint to restart from.
     *
     * @param flag receives 1 or 0
     * @param name receives its name
     * @return success or failure
     */
    public static int SCR_Have_restart(int[] flag, String[] name) {
        return call("SCR_Have_restart", () -> {
            Optional<String> found = SESSION.get().datasets().haveRestart();
            flag[0] = found.isPresent() ? 1 : 0;
            name[0] = found.orElse("");
            return true;
        });
    }

    /**
     * Begins a restart.
     *
     * @param name receives the name of the checkpoint
     * @return success or failure
     */
    public static int SCR_Start_restart(String[] name) {
        return call("SCR_Start_restart", () -> {
            name[0] = SESSION.get().datasets().startRestart();
            return true;
        });
    }

    /**
     * Ends a restart.
     *
     * @param valid 1 if this rank could read its files
     * @return success if all ranks could
     */
    public static int SCR_Complete_restart(int valid) {
        return call("SCR_Complete_restart", () -> SESSION.get().datasets().completeRestart(valid != 0));
    }

    /**
     * Returns whether to take a checkpoint now.
     *
     * @param flag receives 1 or 0
     * @return success or failure
     */
    public static int SCR_Need_checkpoint(int[] flag) {
        return call("SCR_Need_checkpoint", () -> {
            flag[0] = SESSION.get().datasets().needCheckpoint() ? 1 : 0;
            return true;
        });
    }

    /**
     * Begins a dataset.
     *
     * @param name the same on all ranks; {@code null} for {@code scr.dataset.ID}
     * @param flags sum of {@link #SCR_FLAG_CHECKPOINT} and {@link #SCR_FLAG_OUTPUT}
     * @return success or failure
     */
    public static int SCR_Start_output(@Nullable String name, int flags) {
        return call("SCR_Start_output", () -> {
            Session session = SESSION.get();
            session.checkpoint = (flags & SCR_FLAG_CHECKPOINT) != 0;
            session.datasets().startOutput(name, session.checkpoint, (flags & SCR_FLAG_OUTPUT) != 0);
            return true;
        });
    }

    /**
     * Returns the path at which a file of this rank must be written or read. Not collective.
     *
     * @param name the path that the program wants
     * @param file receives the actual path
     * @return success or failure
     */
    public static int SCR_Route_file(String name, String[] file) {
        return call("SCR_Route_file", () -> {
            file[0] = SESSION.get().datasets().routeFile(Path.of(name)).toString();
            return true;
        });
    }

    /**
     * Ends a dataset. With SCR_HALT_EXIT=1, if the job must halt after a checkpoint, ends the process with exit status
     * 0.
     *
     * @param valid 1 if the files of this rank are good
     * @return success if the files of all ranks are good, and the dataset is protected
     */
    public static int SCR_Complete_output(int valid) {
        return call("SCR_Complete_output", () -> {
            Session session = SESSION.get();
            boolean complete = session.datasets().completeOutput(valid != 0);
            if (complete && session.checkpoint) {
                exitIfHalted(session);
            }
            return complete;
        });
    }

    /**
     * Begins a checkpoint named {@code scr.dataset.ID}.
     *
     * @return success or failure
     */
    public static int SCR_Start_checkpoint() {
        return SCR_Start_output(null, SCR_FLAG_CHECKPOINT);
    }

    /**
     * Ends a checkpoint.
     *
     * @param valid 1 if the files of this rank are good
     * @return success if the files of all ranks are good, and the checkpoint is protected
     */
    public static int SCR_Complete_checkpoint(int valid) {
        return SCR_Complete_output(valid);
    }

    /**
     * Makes the next restart begin with a checkpoint.
     *
     * @param name the name of the checkpoint
     * @return success, even if there is no such checkpoint
     */
    public static int SCR_Current(String name) {
        return call("SCR_Current", () -> {
            SESSION.get().datasets().current(name);
            return true;
        });
    }

    /**
     * Removes a dataset from the index.
     *
     * @param name the name of the dataset
     * @return success, even if there is no such dataset
     */
    public static int SCR_Drop(String name) {
        return call("SCR_Drop", () -> {
            SESSION.get().datasets().drop(name);
            return true;
        });
    }

    /**
     * Deletes a dataset and its files.
     *
     * @param name the name of the dataset
     * @return success, even if there is no such dataset
     */
    public static int SCR_Delete(String name) {
        return call("SCR_Delete", () -> {
            SESSION.get().datasets().delete(name);
            return true;
        });
    }

    /**
     * Returns whether the job must halt.
     *
     * @param flag receives 1 or 0
     * @return success or failure
     */
    public static int SCR_Should_exit(int[] flag) {
        return call("SCR_Should_exit", () -> {
            flag[0] = SESSION.get().datasets().shouldExit() ? 1 : 0;
            return true;
        });
    }

    /**
     * Returns the release of SCR that defines these calls.
     *
     * @return {@code v3.1.0}
     */
    public static String SCR_Get_version() {
        return VERSION;
    }
}
