package io.drumlin.fti;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.DatasetGroup;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.checkpoint.SingleFile;
import io.drumlin.checkpoint.Staging;
import io.drumlin.checkpoint.Status;
import io.drumlin.comm.AgreedFailure;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The calls of C FTI under their own names, for programs ported from C: {@code import static io.drumlin.fti.FTI.*;}.
 *
 * <p>Where C takes an address, these calls take a primitive array, a rectangular array of such arrays, a java.nio
 * buffer or a {@link Scalar}. The return codes are C FTI's. A failure is printed in the way of C FTI, with all details of the {@link DrumlinException}. All
 * state belongs to the process, as in C, or to the rank's thread with {@link ThreadCommunicator}. Otherwise not
 * thread-safe. Each call says whether it is collective; the ranks are those of {@link #FTI_COMM_WORLD()}.
 */
@SuppressWarnings({"checkstyle:MethodName", "MethodName", "MemberName"}) // The names are C FTI's.
public final class FTI {

    /** Success. */
    public static final int FTI_SCES = 0;
    /** A checkpoint was taken. */
    public static final int FTI_DONE = 1;
    /** Failure. */
    public static final int FTI_NSCS = -1;
    /** Recovery is not possible. */
    public static final int FTI_NREC = -2;
    /** Returned by {@link #FTI_Init} to a head when the run is over, if the head continues. */
    public static final int FTI_HEAD = 2;

    /** Level 1: node-local storage. */
    public static final int FTI_L1 = 1;
    /** Level 2: partner copy. */
    public static final int FTI_L2 = 2;
    /** Level 3: Reed-Solomon. */
    public static final int FTI_L3 = 3;
    /** Level 4: parallel file system. */
    public static final int FTI_L4 = 4;
    /** Treated like {@link #FTI_L1}, as in C FTI. */
    public static final int FTI_L1_DCP = 5;
    /** Treated like {@link #FTI_L2}, as in C FTI. */
    public static final int FTI_L2_DCP = 6;
    /** Treated like {@link #FTI_L3}, as in C FTI. */
    public static final int FTI_L3_DCP = 7;
    /** Differential level 4: {@link Level#L4_DCP}. */
    public static final int FTI_L4_DCP = 8;
    /** One HDF5 file of all ranks: {@link SingleFile}. */
    public static final int FTI_L4_H5_SINGLE = 9;

    /** Length of path and name buffers in C FTI. */
    public static final int FTI_BUFS = 256;
    /** Bits of a Reed-Solomon symbol. */
    public static final int FTI_WORD = 16;

    /** I/O mode POSIX. */
    public static final int FTI_IO_POSIX = 1001;
    /** I/O mode MPI-IO. */
    public static final int FTI_IO_MPI = 1002;
    /** I/O mode FTI-FF. */
    public static final int FTI_IO_FTIFF = 1003;
    /** I/O mode SIONlib. */
    public static final int FTI_IO_SIONLIB = 1004;
    /** I/O mode HDF5. */
    public static final int FTI_IO_HDF5 = 1005;
    /** I/O mode IME. */
    public static final int FTI_IO_IME = 1006;

    /** Flag of {@link #FTI_SetAttribute}: the name. */
    public static final int FTI_ATTRIBUTE_NAME = 1;
    /** Flag of {@link #FTI_SetAttribute}: the dimensions. */
    public static final int FTI_ATTRIBUTE_DIM = 2;

    /** Layer of a stash: the nodes. */
    public static final int FTI_FS_LOCAL = 0;
    /** Layer of a stash: the parallel file system. */
    public static final int FTI_FS_GLOBAL = 1;

    /** State of a file that was sent: there is no such request, or its final state was already reported. */
    public static final int FTI_SI_NINI = 0;
    /** State of a file that was sent: waiting. */
    public static final int FTI_SI_PEND = 1;
    /** State of a file that was sent: being copied. */
    public static final int FTI_SI_ACTV = 2;
    /** State of a file that was sent: arrived. */
    public static final int FTI_SI_SCES = 3;
    /** State of a file that was sent: not arrived, and still on the node. */
    public static final int FTI_SI_FAIL = 4;

    /** {@code char}, 1 byte: {@code byte[]}, {@code boolean[]}. */
    public static final int FTI_CHAR = 0;
    /** {@code short}, 2 bytes: {@code short[]}. */
    public static final int FTI_SHRT = 1;
    /** {@code int}, 4 bytes: {@code int[]}. */
    public static final int FTI_INTG = 2;
    /** {@code long}, 8 bytes: {@code long[]}. */
    public static final int FTI_LONG = 3;
    /** {@code unsigned char}, 1 byte: {@code byte[]}. */
    public static final int FTI_UCHR = 4;
    /** {@code unsigned short}, 2 bytes: {@code short[]}, {@code char[]}. */
    public static final int FTI_USHT = 5;
    /** {@code unsigned int}, 4 bytes: {@code int[]}. */
    public static final int FTI_UINT = 6;
    /** {@code unsigned long}, 8 bytes: {@code long[]}. */
    public static final int FTI_ULNG = 7;
    /** {@code float}, 4 bytes: {@code float[]}. */
    public static final int FTI_SFLT = 8;
    /** {@code double}, 8 bytes: {@code double[]}. */
    public static final int FTI_DBLE = 9;
    /** {@code long double}, 16 bytes on x86-64: bytes in a {@code byte[]} or ByteBuffer. */
    public static final int FTI_LDBE = 10;

    private static final double MEBIBYTE = 1024 * 1024;

    private static volatile @Nullable Instance processInstance;
    private static final ThreadLocal<@Nullable Instance> THREAD_INSTANCE = new ThreadLocal<>();

    private FTI() {}

    /** The values that C FTI keeps in global variables. */
    record Instance(
            FtiCheckpoints checkpoints,
            Communicator given,
            Messages messages,
            StageRequests stageRequests,
            IncrementalCalls incremental,
            DataTypes types,
            GlobalDatasets globalDatasets) {

        static Instance of(FtiCheckpoints checkpoints, Communicator given) {
            return new Instance(
                    checkpoints,
                    given,
                    new Messages(checkpoints.communicator().rank(), checkpoints.verbosity()),
                    new StageRequests(),
                    new IncrementalCalls(),
                    new DataTypes(),
                    new GlobalDatasets(checkpoints.singleFile()));
        }

        void close() throws IOException {
            checkpoints.close();
            given.close();
        }
    }

    /** A call that can fail. */
    @FunctionalInterface
    interface Call {
        int run(Instance instance) throws IOException;
    }

    /**
     * {@code FTI_Init} with all processes of the job. Collective. Initialises MPI if the program has not. MPI that was
     * initialised here is finalised when {@code main} returns after a successful {@link #FTI_Finalize}, or by
     * {@link Communicators#finish}.
     *
     * <p>With {@code head = 1} the first rank of each node is a head. On a head this call lasts until the application
     * has called {@link #FTI_Finalize}. Then it finalises MPI and ends the process with status 0, as in C. It returns
     * {@link #FTI_HEAD} instead in three cases: with {@code keep_heads_alive = 1}, to threads that are ranks, and if an
     * {@code mpi.Comm} was given, because a program that has initialised MPI itself must also finalise it.
     * {@link #FTI_COMM_WORLD} then holds the heads, and {@link #FTI_Finalize} releases it.
     *
     * @param configFile configuration file of C FTI
     * @return {@link #FTI_SCES}; {@link #FTI_NREC} if a restart was requested and nothing could be recovered: FTI is
     *     then initialised and the run may continue as a fresh one; {@link #FTI_HEAD} as described above;
     *     {@link #FTI_NSCS} otherwise
     */
    public static int FTI_Init(String configFile) {
        Communicators.finishAfterMain(false);
        return init(configFile, Communicators::world, null);
    }

    /**
     * {@code FTI_Init} with the given ranks. An earlier run of this process that was not finalized stays as it is on
     * disk. Collective over {@code comm}.
     *
     * @param configFile configuration file of C FTI
     * @param comm a {@link Communicator}, or an {@code mpi.Comm} of Open MPI's Java bindings; the caller keeps it
     * @return the code that {@link #FTI_Init(String)} returns
     */
    public static int FTI_Init(String configFile, Object comm) {
        return init(configFile, () -> Communicators.of(comm), comm);
    }

    /** Supplies the ranks of a run. */
    @FunctionalInterface
    private interface Ranks {
        Communicator get() throws IOException;
    }

    /**
     * @param comm the communicator that the program gave, or null
     */
    private static int init(String configFile, Ranks ranks, @Nullable Object comm) {
        Communicator given = null;
        try {
            // This must happen first: the heads of the earlier run come to the next collective call once the run is
            // left.
            leaveBefore(comm instanceof ThreadCommunicator);
            given = ranks.get();
            Messages anyRank = new Messages(given.rank(), 0);
            Checkpoints.Builder run = Checkpoints.builder(Path.of(configFile))
                    .communicator(given)
                    .orderOfNodes()
                    .freshStartIfUnrecoverable()
                    .lateFailures(failure -> anyRank.warning("%s", String.valueOf(failure.getMessage())))
                    .finishedByHead(FTI::postProcessed);
            Callback.addTo(run, given);
            FtiCheckpoints checkpoints = (FtiCheckpoints) run.open();
            Instance instance = Instance.of(checkpoints, given);
            if (checkpoints.isHead() && endsWithTheRun(instance, comm)) {
                endProcess(instance);
            }
            enter(instance);
            return checkpoints.isHead() ? FTI_HEAD : report(instance);
        } catch (Exception e) {
            reportOnce(new Messages(given == null ? 0 : given.rank(), 0), e);
            closeQuietly(given);
            return FTI_NSCS;
        }
    }

    private static boolean endsWithTheRun(Instance head, @Nullable Object comm) {
        boolean finalizesMpi = comm == null || comm instanceof Communicator;
        boolean isThread = head.given instanceof ThreadCommunicator;
        return finalizesMpi && !isThread && !head.checkpoints.describe().keepHeadsAlive();
    }

    /** Ends the process of a head after the application has left. */
    private static void endProcess(Instance head) throws IOException {
        head.close();
        Communicators.finish();
        System.exit(0);
    }

    private static void postProcessed(Checkpoints head, CheckpointReport report) {
        new Messages(head.communicator().rank(), ((FtiCheckpoints) head).verbosity())
                .ofHead("Post-checkpoint took %.2f sec.", report.postSeconds());
    }

    private static int report(Instance instance) {
        FtiCheckpoints checkpoints = instance.checkpoints;
        Optional<DrumlinException> failure = checkpoints.recoveryFailure();
        if (failure.isPresent()) {
            instance.messages.error(failure.get());
        }
        Optional<Path> singleFile = checkpoints.singleFile().restartFile();
        if (singleFile.isPresent()) {
            instance.messages.information("The execution ID is: %s", checkpoints.execId());
            instance.messages.information("VPR recovery successfull from file '%s'", singleFile.get());
        } else if (checkpoints.isRestart()) {
            instance.messages.information("This is a restart. The execution ID is: %s", checkpoints.execId());
            instance.messages.information(
                    "Recovering successfully from level %d with Ckpt. %d.",
                    checkpoints.lastLevel().map(Level::number).orElse(0),
                    checkpoints.lastCheckpoint().orElse(0));
        } else {
            instance.messages.information("The execution ID is: %s", checkpoints.execId());
        }
        if (checkpoints.staging().isPresent() && checkpoints.describe().heads() == 0) {
            instance.messages.warning("Staging without heads: each file is copied within FTI_SendFile.");
        }
        instance.messages.information("FTI has been initialized.");
        return failure.isPresent() ? FTI_NREC : FTI_SCES;
    }

    private static void closeQuietly(@Nullable Communicator given) {
        if (given != null) {
            try {
                given.close();
            } catch (IOException e) {
                new Messages(given.rank(), 0).error(e);
            }
        }
    }

    /** Prints a failure; one that all ranks have agreed on is printed by the first rank that failed. */
    private static void reportOnce(Messages messages, Exception failure) {
        if (AgreedFailure.of(failure).map(AgreedFailure::isReporter).orElse(true)) {
            messages.error(failure);
        }
    }

    private static void enter(Instance instance) {
        if (instance.given instanceof ThreadCommunicator) {
            THREAD_INSTANCE.set(instance);
        } else {
            processInstance = instance;
        }
    }

    /**
     * Releases the instance that the next one of these ranks replaces. A thread rank does not touch the process's
     * instance.
     */
    private static void leaveBefore(boolean isThread) {
        Instance instance = isThread ? THREAD_INSTANCE.get() : instance();
        if (instance != null) {
            try {
                leave();
            } catch (IOException e) {
                // The other ranks continue and would wait for this one.
                instance.messages.error(e);
            }
        }
    }

    /**
     * Releases the instance of this rank and leaves all files as they are. Collective. Does nothing without an
     * instance.
     */
    static void leave() throws IOException {
        Instance instance = instance();
        forget();
        if (instance != null) {
            instance.close();
        }
    }

    private static void forget() {
        if (THREAD_INSTANCE.get() == null) {
            processInstance = null;
        } else {
            THREAD_INSTANCE.remove();
        }
    }

    /** Makes a head call a function of the program, which can use these calls meanwhile. */
    static void runWith(Instance head, Runnable work) {
        enter(head);
        try {
            work.run();
        } finally {
            forget();
        }
    }

    private static @Nullable Instance instance() {
        Instance ofThread = THREAD_INSTANCE.get();
        return ofThread == null ? processInstance : ofThread;
    }

    /** Returns the run of this rank; null before {@link #FTI_Init}. */
    static @Nullable FtiCheckpoints checkpoints() {
        Instance instance = instance();
        return instance == null ? null : instance.checkpoints;
    }

    /** Returns the communicator that {@link #FTI_Init} was given. */
    static @Nullable Communicator given() {
        Instance instance = instance();
        return instance == null ? null : instance.given;
    }

    /** Makes a call and turns its failure into a return code. */
    static int call(int failureCode, Call call) {
        Instance instance = instance();
        if (instance == null) {
            new Messages(0, 0).warning("FTI is not initialized.");
            return FTI_NSCS;
        }
        try {
            return call.run(instance);
        } catch (Exception e) {
            reportOnce(instance.messages, e);
            return failureCode;
        }
    }

    /**
     * {@code FTI_COMM_WORLD}: the ranks of the application, or on a head the heads.
     *
     * @return the communicator, valid until {@link #FTI_Finalize}
     * @throws IllegalStateException FTI is not initialised
     */
    public static Communicator FTI_COMM_WORLD() {
        Instance instance = instance();
        if (instance == null) {
            throw new IllegalStateException("FTI is not initialized");
        }
        return instance.checkpoints.communicator();
    }

    /**
     * {@code FTI_Status}: how the run started.
     *
     * @return 0 fresh or recovered, 1 restart, 2 restart from a kept checkpoint, 3 restart from a shared HDF5 file;
     *     {@link #FTI_NSCS} before initialisation
     */
    public static int FTI_Status() {
        return call(FTI_NSCS, instance -> instance.checkpoints.status().number());
    }

    /**
     * {@code FTI_GetConfig}: the resulting configuration. Not collective. The arguments that C FTI ignores are left
     * out.
     *
     * @return settings, run and topology
     * @throws IllegalStateException FTI is not initialised
     */
    public static FTIT_allConfiguration FTI_GetConfig() {
        Instance instance = instance();
        if (instance == null) {
            throw new IllegalStateException("FTI is not initialized");
        }
        return FTIT_allConfiguration.of(instance.checkpoints);
    }

    /**
     * {@code FTI_InitType}: describes elements by their size alone.
     *
     * @param type its first element receives the number of the type, or {@link #FTI_NSCS}
     * @param size size in bytes, above 0
     * @return {@link #FTI_SCES}, or {@link #FTI_NSCS} if the size is not above 0, there are 64 types already or
     *     {@code type} has no element
     */
    public static int FTI_InitType(int[] type, int size) {
        int number = call(FTI_NSCS, instance -> {
            if (type.length == 0) {
                throw new IllegalArgumentException(
                        "there is no room for the number of the type: its array has no element");
            }
            return instance.types.addOpaque(size);
        });
        if (type.length > 0) {
            type[0] = number;
        }
        return number == FTI_NSCS ? FTI_NSCS : FTI_SCES;
    }

    /**
     * {@code FTI_InitCompositeType}: begins to describe elements that are C structs.
     *
     * @param name the name of the type; if it is empty or null, {@code Type} and its number
     * @param size size in bytes with padding, above 0
     * @param h5group the group of its description in HDF5 mode; null for the root
     * @return the number of the type, or {@link #FTI_NSCS} if the size is not above 0 or there are 64 types already
     */
    public static int FTI_InitCompositeType(@Nullable String name, long size, @Nullable FTIT_H5Group h5group) {
        return call(FTI_NSCS, instance -> instance.types.addComposite(name, Math.toIntExact(size), h5group));
    }

    /**
     * {@code FTI_AddScalarField}: adds a field of one element to a composite type. Unlike in C a field must be within
     * the struct.
     *
     * @param id number of the composite type
     * @param name the name of the field; if it is empty or null, {@code T} and the number of the composite type
     * @param fid number of the type of the field
     * @param offset offset of the field in the struct, in bytes
     * @return {@link #FTI_SCES}, or {@link #FTI_NSCS} if there is no such type or there are 128 fields already
     */
    public static int FTI_AddScalarField(int id, @Nullable String name, int fid, long offset) {
        return call(FTI_NSCS, instance -> {
            instance.types.addScalarField(id, name, fid, offset);
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_AddVectorField}: adds a field that is an array to a composite type.
     *
     * @param id number of the composite type
     * @param name the name of the field; if it is empty or null, {@code T} and the number of the composite type
     * @param tid number of the type of an element
     * @param offset offset of the field in the struct, in bytes
     * @param ndims number of dimensions, 1 to 32
     * @param dims the dimensions, each 1 or more
     * @return the code that {@link #FTI_AddScalarField} returns; {@link #FTI_NSCS} also if the dimensions are invalid
     */
    public static int FTI_AddVectorField(int id, @Nullable String name, int tid, long offset, int ndims, long[] dims) {
        return call(FTI_NSCS, instance -> {
            instance.types.addVectorField(id, name, tid, offset, firstOf(ndims, dims));
            return FTI_SCES;
        });
    }

    /** Returns the first dimensions of an array, in the way C passes them. */
    private static List<Long> firstOf(int ndims, long[] dims) {
        if (ndims < 0 || ndims > dims.length) {
            throw new IllegalArgumentException(ndims + " dimensions are not in 0.." + dims.length);
        }
        return Arrays.stream(dims, 0, ndims).boxed().toList();
    }

    /**
     * {@code FTI_Protect}: protects the first elements of an array, buffer or scalar; replaces a variable that has the
     * id already.
     *
     * @param id 0 to {@code max_var_id}
     * @param variable a primitive array, a rectangular array of such arrays, a java.nio buffer from position to limit,
     *     or a {@link Scalar}
     * @param count number of elements of {@code type}, 0 or above
     * @param type one of {@link #FTI_CHAR} to {@link #FTI_LDBE} that has the size of the variable's elements, or any of
     *     them for bytes; or a type of the program, whose size is a multiple of theirs
     * @return {@link #FTI_SCES} or {@link #FTI_NSCS}
     */
    public static int FTI_Protect(int id, Object variable, long count, int type) {
        return call(FTI_NSCS, instance -> {
            instance.checkpoints.protect(id, variable, count, instance.types.get(type));
            return isProtected(id, instance);
        });
    }

    private static int isProtected(int id, Instance instance) {
        instance.messages.information(
                "Variable ID %d to protect. Current ckpt. size per rank is %.2fMB.",
                id, instance.checkpoints.protectedBytes() / MEBIBYTE);
        return FTI_SCES;
    }

    /**
     * {@code FTI_Protect} of a whole array, buffer or scalar.
     *
     * @param id 0 to {@code max_var_id}
     * @param variable a primitive array, a rectangular array of such arrays, a java.nio buffer from position to limit,
     *     or a {@link Scalar}
     * @return {@link #FTI_SCES} or {@link #FTI_NSCS}
     */
    public static int FTI_Protect(int id, Object variable) {
        return call(FTI_NSCS, instance -> {
            instance.checkpoints.protect(id, variable);
            return isProtected(id, instance);
        });
    }

    /**
     * {@code FTI_Protect} of a field, such as {@code FTI_Protect(0, MethodHandles.lookup(), this, "step")}; see
     * {@link io.drumlin.checkpoint.Checkpoints#protect(int, MethodHandles.Lookup, Object, String)}.
     *
     * @param id 0 to {@code max_var_id}
     * @param lookup has access to the field
     * @param owner the object that has the field, or the class for a static field
     * @param field name of a field of a primitive type that is not final
     * @return {@link #FTI_SCES} or {@link #FTI_NSCS}
     */
    public static int FTI_Protect(int id, MethodHandles.Lookup lookup, Object owner, String field) {
        return call(FTI_NSCS, instance -> {
            instance.checkpoints.protect(id, lookup, owner, field);
            return isProtected(id, instance);
        });
    }

    /**
     * {@code FTI_InitGroup}: makes a group of datasets for the files of HDF5 mode.
     *
     * @param h5group becomes the group
     * @param name not empty, without slashes
     * @param parent the enclosing group; null for the root
     * @return {@link #FTI_SCES}, or {@link #FTI_NSCS} if the parent has a child of that name
     */
    public static int FTI_InitGroup(FTIT_H5Group h5group, String name, @Nullable FTIT_H5Group parent) {
        return call(FTI_NSCS, instance -> {
            DatasetGroup around = parent == null ? instance.checkpoints.datasets() : parent.group();
            h5group.made(around.group(name));
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_RenameGroup}: gives a group another name.
     *
     * @param h5group made by {@link #FTI_InitGroup}
     * @param name not empty, without slashes
     * @return {@link #FTI_SCES} or {@link #FTI_NSCS}
     */
    public static int FTI_RenameGroup(FTIT_H5Group h5group, String name) {
        return call(FTI_NSCS, instance -> {
            h5group.group().rename(name);
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_DefineDataset}: sets the location and shape of a variable in the files of HDF5 mode.
     *
     * @param id a protected variable
     * @param rank number of dimensions; 0 leaves them unchanged
     * @param dimLength the dimensions, whose product is the number of elements; may be null if the rank is 0
     * @param name the name of the dataset; null leaves it unchanged, initially {@code Dataset_} and the id
     * @param h5group the group of the dataset; null leaves it unchanged, initially the root
     * @return {@link #FTI_SCES}, or {@link #FTI_NSCS} if the variable is not protected or the dimensions do not fit it
     */
    public static int FTI_DefineDataset(
            int id, int rank, long @Nullable [] dimLength, @Nullable String name, @Nullable FTIT_H5Group h5group) {
        return call(FTI_NSCS, instance -> {
            List<Long> dimensions = dimLength == null ? firstOf(rank, new long[0]) : firstOf(rank, dimLength);
            DatasetGroup group = h5group == null ? null : h5group.group();
            instance.checkpoints.defineDataset(id, name, dimensions, group);
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_DefineGlobalDataset}: declares a dataset of the shared HDF5 file. Not collective, but every rank must
     * declare the same datasets.
     *
     * @param did number of the dataset, not in use yet
     * @param rank number of dimensions, 1 to 32
     * @param dimLength the dimensions, the last varying fastest
     * @param name the name of the dataset
     * @param h5group the enclosing group; null for the root
     * @param tid type of an element
     * @return {@link #FTI_SCES}, or {@link #FTI_NSCS} if an argument is invalid
     */
    public static int FTI_DefineGlobalDataset(
            int did, int rank, long[] dimLength, String name, @Nullable FTIT_H5Group h5group, int tid) {
        return call(FTI_NSCS, instance -> {
            DatasetGroup group = h5group == null ? instance.checkpoints.datasets() : h5group.group();
            instance.globalDatasets.define(did, firstOf(rank, dimLength), name, group, instance.types.get(tid));
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_AddSubset}: sets which elements of a global dataset a variable holds. If the variable is a subset
     * already, this one replaces it.
     *
     * @param id a protected variable
     * @param rank number of dimensions of the dataset
     * @param offset the offset of the first element, along each dimension
     * @param count number of elements along each dimension
     * @param did number of the dataset
     * @return {@link #FTI_SCES}, or {@link #FTI_NSCS} if the variable is not protected, or the dataset is not defined
     *     or has another rank
     */
    public static int FTI_AddSubset(int id, int rank, long[] offset, long[] count, int did) {
        return call(FTI_NSCS, instance -> {
            instance.globalDatasets.addSubset(id, firstOf(rank, offset), firstOf(rank, count), did);
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_UpdateGlobalDataset}: gives a global dataset other dimensions.
     *
     * @param did number of the dataset
     * @param rank number of dimensions, 1 to 32
     * @param dimLength the dimensions
     * @return {@link #FTI_SCES}, or {@link #FTI_NSCS} if it is not defined or the dimensions are invalid
     */
    public static int FTI_UpdateGlobalDataset(int did, int rank, long[] dimLength) {
        return call(FTI_NSCS, instance -> {
            instance.globalDatasets.get(did).resize(firstOf(rank, dimLength));
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_UpdateSubset}: changes which elements of a global dataset a variable holds.
     *
     * @param id a subset of the dataset
     * @param rank number of dimensions of the dataset
     * @param offset the offset of the first element, along each dimension
     * @param count number of elements along each dimension
     * @param did number of the dataset
     * @return {@link #FTI_SCES}, or {@link #FTI_NSCS} if the variable is not a subset of the dataset, or the dataset
     *     has another rank
     */
    public static int FTI_UpdateSubset(int id, int rank, long[] offset, long[] count, int did) {
        return call(FTI_NSCS, instance -> {
            instance.globalDatasets.updateSubset(id, firstOf(rank, offset), firstOf(rank, count), did);
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_RecoverDatasetDimension}: gives a global dataset the dimensions that it has in the file of the
     * restart.
     *
     * @param did number of the dataset
     * @return {@link #FTI_SCES}, or {@link #FTI_NSCS} if {@link #FTI_Status} is not 3, or the file has no such dataset
     *     of the same rank
     */
    public static int FTI_RecoverDatasetDimension(int did) {
        return call(FTI_NSCS, instance -> {
            if (instance.checkpoints.status() != Status.RESTART_FROM_SINGLE_FILE) {
                throw new IllegalStateException("there is no restart from a shared HDF5 file to be recovered");
            }
            instance.checkpoints.singleFile().recoverDimensions(instance.globalDatasets.get(did));
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_GetDatasetRank}: the number of dimensions of a global dataset.
     *
     * @param did number of the dataset
     * @return 1 to 32, or {@link #FTI_NSCS} if it is not defined
     */
    public static int FTI_GetDatasetRank(int did) {
        return call(
                FTI_NSCS,
                instance -> instance.globalDatasets.get(did).dimensions().size());
    }

    /**
     * {@code FTI_GetDatasetSpan}: the dimensions of a global dataset.
     *
     * @param did number of the dataset
     * @param rank number of its dimensions
     * @return the dimensions; null if it is not defined or has another rank
     */
    public static long @Nullable [] FTI_GetDatasetSpan(int did, int rank) {
        long[][] span = new long[1][];
        int result = call(FTI_NSCS, instance -> {
            span[0] = instance.globalDatasets.span(did, rank);
            return FTI_SCES;
        });
        return result == FTI_SCES ? span[0] : null;
    }

    /**
     * {@code FTI_setIDFromString}: the id of a name. A new name gets the number of variables as its id. All modes
     * except FTI-FF store names; in FTI-FF a restarted program must ask for them in the same order again.
     *
     * @param name not empty
     * @return the id, or {@link #FTI_NSCS}
     */
    public static int FTI_setIDFromString(String name) {
        return call(FTI_NSCS, instance -> instance.checkpoints.idFor(name));
    }

    /**
     * {@code FTI_getIDFromString}: the id of a name. After a restart it works even before {@link #FTI_Protect}.
     *
     * @param name a name
     * @return the id; -1 if the name is unknown
     */
    public static int FTI_getIDFromString(String name) {
        return call(-1, instance -> instance.checkpoints.idOf(name).orElse(-1));
    }

    /**
     * {@code FTI_SetAttribute}: sets name and dimensions of a variable for its metadata, in all modes except FTI-FF.
     *
     * @param id a protected variable
     * @param attribute name and dimensions
     * @param flag {@link #FTI_ATTRIBUTE_NAME}, {@link #FTI_ATTRIBUTE_DIM} or both; determines which of them to set
     * @return {@link #FTI_SCES} or {@link #FTI_NSCS}
     */
    public static int FTI_SetAttribute(int id, FTIT_attribute attribute, int flag) {
        return call(FTI_NSCS, instance -> {
            if ((flag & FTI_ATTRIBUTE_NAME) != 0) {
                instance.checkpoints.setAttribute(id, attribute.name());
            }
            if ((flag & FTI_ATTRIBUTE_DIM) != 0) {
                instance.checkpoints.setAttribute(id, attribute.dim());
            }
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_BitFlip}: flips a bit of a variable according to the section {@code [injection]} of the configuration.
     * C FTI counts {@code index} in bytes; here it counts elements.
     *
     * @param id a protected variable of floats or doubles
     * @return {@link #FTI_SCES} if it was flipped, otherwise {@link #FTI_NSCS}
     */
    public static int FTI_BitFlip(int id) {
        return call(FTI_NSCS, instance -> {
            if (!instance.checkpoints.flipBit(id)) {
                return FTI_NSCS;
            }
            instance.messages.warning("Injecting bit-flip in dataset %d", id);
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_GetStoredSize}: size of a variable in the last checkpoint.
     *
     * @param id id of the variable
     * @return bytes; 0 if unknown or before initialisation
     */
    public static long FTI_GetStoredSize(int id) {
        Instance instance = instance();
        return instance == null ? 0 : instance.checkpoints.storedSize(id);
    }

    /**
     * {@code FTI_Realloc}: during a restart, before recovery, replaces a protected array by one of the stored size.
     *
     * @param <T> class of the array
     * @param id id of a protected variable
     * @param array the array protected until now
     * @return a new array, protected in its place and filled by {@link #FTI_Recover}; on any problem {@code array}
     */
    public static <T> T FTI_Realloc(int id, T array) {
        Instance instance = instance();
        if (instance == null || !instance.checkpoints.isRestart()) {
            return array;
        }
        try {
            return instance.checkpoints.reallocate(id, array);
        } catch (IllegalArgumentException e) {
            instance.messages.error(e);
            return array;
        }
    }

    /**
     * {@code FTI_Checkpoint}: takes a checkpoint. Collective. After a restart it fails until each rank has called
     * {@link #FTI_Recover} or {@link #FTI_RecoverVar} with success, or {@link FTIX#FTIX_StashLoad}, because it would
     * replace the only good data.
     *
     * @param id number of the checkpoint, 0 or above, in the mode FTI-FF above 0
     * @param level {@link #FTI_L1} to {@link #FTI_L4}, {@link #FTI_L4_DCP} or {@link #FTI_L4_H5_SINGLE}
     * @return {@link #FTI_DONE}, at {@link #FTI_L4_H5_SINGLE} {@link #FTI_SCES}; or {@link #FTI_NSCS} on all ranks, and
     *     the earlier checkpoint is unchanged
     */
    public static int FTI_Checkpoint(int id, int level) {
        if (level == FTI_L4_H5_SINGLE) {
            return call(FTI_NSCS, instance -> {
                singleFileDone(instance, instance.checkpoints.singleFile().checkpoint(id));
                return FTI_SCES;
            });
        }
        return call(FTI_NSCS, instance -> done(instance, instance.checkpoints.checkpoint(id, level(instance, level))));
    }

    private static Level level(Instance instance, int level) {
        boolean differential = level >= FTI_L1_DCP && level <= FTI_L3_DCP;
        if (differential) {
            instance.messages.warning("dCP is not supported at level %d, an ordinary checkpoint is taken.", level - 4);
        }
        return Level.of(differential ? level - 4 : level);
    }

    /**
     * {@code FTI_InitICP}: begins an incremental checkpoint. An earlier one that was not finalized is given up. Every
     * rank must call it. Collective only at {@link #FTI_L4_H5_SINGLE}, where the global datasets must be declared
     * before.
     *
     * @param id number of the checkpoint, 0 or above, in the mode FTI-FF above 0
     * @param level a level as in {@link #FTI_Checkpoint}
     * @param activate false makes this and all calls up to {@link #FTI_FinalizeICP} do nothing and return
     *     {@link #FTI_SCES}
     * @return {@link #FTI_SCES} or {@link #FTI_NSCS}; in the latter case {@link #FTI_AddVarICP} and
     *     {@link #FTI_FinalizeICP} fail too
     */
    public static int FTI_InitICP(int id, int level, boolean activate) {
        return call(FTI_NSCS, instance -> {
            instance.incremental.begin(instance.messages);
            if (activate) {
                FtiCheckpoints run = instance.checkpoints;
                boolean single = level == FTI_L4_H5_SINGLE;
                instance.incremental.activate(
                        single,
                        () -> single ? run.singleFile().incremental(id) : run.incremental(id, level(instance, level)));
            }
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_AddVarICP}: writes the current value of a variable into the incremental checkpoint. Not collective.
     *
     * @param id a protected variable that was not added before
     * @return {@link #FTI_SCES} or {@link #FTI_NSCS}
     */
    public static int FTI_AddVarICP(int id) {
        return call(FTI_NSCS, instance -> {
            instance.incremental.add(id);
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_FinalizeICP}: completes the incremental checkpoint. Collective.
     *
     * @return {@link #FTI_SCES}; {@link #FTI_NSCS} on all ranks if any rank did not add a variable or could not write
     *     one. C FTI returns {@link #FTI_SCES} then. The earlier checkpoint is unchanged
     */
    public static int FTI_FinalizeICP() {
        return call(FTI_NSCS, instance -> {
            instance.incremental.commit().ifPresent(taken -> {
                if (instance.incremental.isInSingleFile()) {
                    singleFileDone(instance, taken);
                } else {
                    done(instance, taken);
                }
            });
            return FTI_SCES;
        });
    }

    private static void singleFileDone(Instance instance, CheckpointReport taken) {
        instance.messages.information(
                "Ckpt. ID %d (Variate Processor Recovery File) (%.2f MB/proc) taken in %.2f sec.",
                taken.ckptId(), taken.bytes() / MEBIBYTE, taken.writeSeconds());
    }

    private static int done(Instance instance, CheckpointReport taken) {
        if (instance.checkpoints.isNodeMaster()) {
            instance.messages.debug(
                    "Has nodeFlag = 1 and nodeID = %d. CkptLvel = %d.",
                    instance.checkpoints.node(), taken.level().number());
        }
        instance.checkpoints.differentialShare().ifPresent(instance.messages::differential);
        if (!instance.checkpoints.isUnderway()) {
            instance.messages.information("Post-checkpoint took %.2f sec.", taken.postSeconds());
        }
        instance.messages.information(
                "Ckpt. ID %d (L%d) (%.2f MB/proc) taken in %.2f sec. (Wt:%.2fs, Wr:%.2fs, Ps:%.2fs)",
                taken.ckptId(),
                taken.level().number(),
                taken.bytes() / MEBIBYTE,
                taken.seconds(),
                taken.waitSeconds(),
                taken.writeSeconds(),
                taken.postSeconds());
        return FTI_DONE;
    }

    /**
     * {@code FTI_Recover}: restores all protected variables.
     *
     * @return {@link #FTI_SCES}, or {@link #FTI_NREC} if there is nothing to recover, a size differs or the file cannot
     *     be read
     */
    public static int FTI_Recover() {
        return call(FTI_NREC, instance -> {
            instance.checkpoints.recover();
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_RecoverVarInit}: announces {@link #FTI_RecoverVar}.
     *
     * @return {@link #FTI_SCES}; {@link #FTI_NSCS} before initialisation
     */
    public static int FTI_RecoverVarInit() {
        return call(FTI_NSCS, instance -> FTI_SCES);
    }

    /**
     * {@code FTI_RecoverVar}: restores one protected variable.
     *
     * @param id id of the variable
     * @return {@link #FTI_SCES}, or {@link #FTI_NREC} if it is not stored, has another size or cannot be read
     */
    public static int FTI_RecoverVar(int id) {
        return call(FTI_NREC, instance -> {
            instance.checkpoints.recover(id);
            return FTI_SCES;
        });
    }

    /**
     * {@code FTI_RecoverVarFinalize}: ends the calls of {@link #FTI_RecoverVar}. {@link #FTI_Status} does not change.
     *
     * @return {@link #FTI_SCES}; {@link #FTI_NSCS} before initialisation
     */
    public static int FTI_RecoverVarFinalize() {
        return call(FTI_NSCS, instance -> FTI_SCES);
    }

    /**
     * {@code FTI_Snapshot}: recovers after a restart, otherwise takes a checkpoint when an interval of the
     * configuration has passed. Collective, once per iteration.
     *
     * @return {@link #FTI_SCES}, {@link #FTI_DONE} if a checkpoint was taken, {@link #FTI_NREC} if the recovery failed,
     *     {@link #FTI_NSCS} if the checkpoint failed
     */
    public static int FTI_Snapshot() {
        Instance current = instance();
        boolean recovering = current != null && current.checkpoints.isRestart();
        return call(recovering ? FTI_NREC : FTI_NSCS, instance -> {
            Optional<CheckpointReport> taken = instance.checkpoints.snapshot();
            instance.checkpoints
                    .newSnapshotPlan()
                    .ifPresent(plan -> instance.messages.debug(
                            "Current iter : %d ckpt intv. : %d . Next ckpt. at iter. %d . Sync. intv. : %d",
                            plan.calls(), plan.interval(), plan.iteration(), plan.syncInterval()));
            return taken.isPresent() ? done(instance, taken.get()) : FTI_SCES;
        });
    }

    /**
     * {@code FTI_GetStageDir}: the directory to which the ranks of a node write files to be sent. Needs
     * {@code enable_staging = 1}.
     *
     * @param stageDir receives the path in place of its contents
     * @param maxLen size in bytes of the caller's buffer for the path and a final zero
     * @return {@link #FTI_SCES}; {@link #FTI_NSCS} without staging or if {@code maxLen} is too small
     */
    public static int FTI_GetStageDir(StringBuilder stageDir, int maxLen) {
        return call(FTI_NSCS, instance -> {
            String path = staging(instance).directory().toString();
            if (path.getBytes(StandardCharsets.UTF_8).length >= maxLen) {
                throw new IllegalArgumentException("the path " + path + " does not fit into " + maxLen + " bytes");
            }
            stageDir.replace(0, stageDir.length(), path);
            return FTI_SCES;
        });
    }

    private static Staging staging(Instance instance) {
        return instance.checkpoints
                .staging()
                .orElseThrow(() -> new IllegalStateException(
                        "staging is off: set enable_staging = 1 in section basic of the configuration file"));
    }

    /**
     * {@code FTI_SendFile}: sends a file to the parallel file system, at once, or with heads in the background, like
     * {@link Staging#send}.
     *
     * @param localPath the file
     * @param remotePath the copy, in an existing directory
     * @return number of the request for {@link #FTI_GetStageStatus}, or {@link #FTI_NSCS}
     */
    public static int FTI_SendFile(String localPath, String remotePath) {
        return call(
                FTI_NSCS,
                instance ->
                        instance.stageRequests.add(staging(instance).send(Path.of(localPath), Path.of(remotePath))));
    }

    /**
     * {@code FTI_GetStageStatus}: the state of a file that was sent.
     *
     * @param id number of the request
     * @return {@link #FTI_SI_NINI} to {@link #FTI_SI_FAIL}. The last two are reported once, and {@link #FTI_SI_NINI}
     *     afterwards
     */
    public static int FTI_GetStageStatus(int id) {
        return call(FTI_NSCS, instance -> instance.stageRequests.status(id));
    }

    /**
     * {@code FTI_Finalize}: ends the run and keeps or deletes its checkpoints as configured. Collective. As in C, this
     * call does not finalise MPI. If {@link #FTI_Init(String)} has initialised MPI, it is finalised when {@code main}
     * returns.
     *
     * @return {@link #FTI_SCES} or {@link #FTI_NSCS}; in the latter case the run can be restarted
     */
    public static int FTI_Finalize() {
        return call(FTI_NSCS, instance -> {
            try {
                if (!instance.checkpoints.isHead()) {
                    instance.checkpoints.complete();
                    instance.messages.information("FTI has been finalized.");
                }
            } finally {
                leave();
            }
            Communicators.finishAfterMain(true);
            return FTI_SCES;
        });
    }
}
