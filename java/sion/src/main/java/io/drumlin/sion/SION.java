package io.drumlin.sion;

import io.drumlin.DrumlinException;
import io.drumlin.comm.AgreedFailure;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.format.sion.Header;
import io.drumlin.format.sion.KeyValueRecord;
import io.drumlin.sion.internal.ReadTask;
import io.drumlin.sion.internal.TaskBlocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * SION files with the names, arguments and return codes of C SIONlib, for ported programs. {@link SionFile} is the API
 * for new ones. Pointers to numbers are arrays of one element. They are filled where C fills them, and may be null
 * where C allows it. There is no {@code FILE*}. Failures are logged and reported by the return code. docs/sionlib.md
 * has a table of all calls, including those that are missing here.
 *
 * <p>A file id belongs to the thread rank or process that opened it. The table of ids is thread-safe; a file is not.
 */
public final class SION {

    /** Returned by calls that worked. */
    public static final int SION_SUCCESS = 1;

    /** Returned by calls that failed. */
    public static final int SION_NOT_SUCCESS = 0;

    /** Returned instead of a file id. */
    public static final int SION_ID_NOT_VALID = -1;

    /** Returned instead of a number. */
    public static final int SION_SIZE_NOT_VALID = -1;

    /** In {@link #sion_seek}: the current task. */
    public static final int SION_CURRENT_RANK = -101;

    /** In {@link #sion_seek}: the current block. */
    public static final int SION_CURRENT_BLK = -102;

    /** Another name of {@link #SION_CURRENT_BLK}. */
    public static final int SION_CURRENT_CHUNK = SION_CURRENT_BLK;

    /** Another name of {@link #SION_CURRENT_BLK}. */
    public static final int SION_CURRENT_BLOCK = SION_CURRENT_BLK;

    /** In {@link #sion_seek}: the current position. */
    public static final int SION_CURRENT_POS = -103;

    /** In {@link #sion_seek}: the position is relative to the beginning of the task. */
    public static final int SION_ABSOLUTE_POS = -104;

    /** In {@link #sion_seek}: the position is relative to the end of the task, 0 or below. */
    public static final int SION_END_POS = -105;

    /** In {@link #sion_dup}: all tasks. */
    public static final int SION_DUP_ALL = -201;

    /** In {@link #sion_dup}: one task. */
    public static final int SION_DUP_RANK = -202;

    /** In {@link #sion_dup}: one task and one key. */
    public static final int SION_DUP_RANK_KEY = -203;

    /** Role of a task in {@link #sion_get_io_info}: stores the data of others in a buddy copy. */
    public static final int SION_ROLE_COLLECTOR = SionFileRole.COLLECTOR;

    /** Role of a task in {@link #sion_get_io_info}: sends its data to a buddy copy. */
    public static final int SION_ROLE_SENDER = SionFileRole.SENDER;

    /** Role of a task in {@link #sion_get_io_info}: writes its data. */
    public static final int SION_ROLE_WRITER = SionFileRole.WRITER;

    /** Role of a task in {@link #sion_get_io_info}: belongs to those of a buddy copy, but its collector writes. */
    public static final int SION_ROLE_NOWRITER = SionFileRole.NOWRITER;

    /** Flag of {@link #sion_get_io_info_by_spec}: the only one. */
    public static final int SION_GET_IO_INFO_FLAG_NONE = 0;

    /** Result of {@link #sion_get_keyval_mode}: plain streams. */
    public static final int SION_KEYVAL_NONE = 50;

    /** Result of {@link #sion_get_keyval_mode}: records with keys. */
    public static final int SION_KEYVAL_INLINE = 51;

    /** Tag of the messages of a transaction. */
    private static final int TRANSACTION_TAG = 1430;

    private static final System.Logger LOG = System.getLogger(SION.class.getName());

    private static final Map<Integer, Opened> OPEN = new TreeMap<>();

    private SION() {}

    /** An open file and its read and write position. */
    private static final class Opened {
        private final @Nullable SionOutput output;
        private final @Nullable SionInput input;
        private final Map<Integer, KeyValueReader> records = new HashMap<>();
        private final Map<Integer, Iterator<Long>> keys = new HashMap<>();
        private int task;

        /** The readers of a duplicate, which have positions of their own; {@code null} if this is none. */
        private final @Nullable Map<Integer, SionReader> ownReaders;

        Opened(@Nullable SionOutput output, @Nullable SionInput input, int task) {
            this.output = output;
            this.input = input;
            this.task = task;
            this.ownReaders = null;
        }

        /** Makes a duplicate of a file that is read. */
        Opened(SionInput input, int task) {
            this.output = null;
            this.input = input;
            this.task = task;
            this.ownReaders = new HashMap<>();
        }

        void close() throws IOException {
            if (ownReaders != null) {
                ownReaders.values().forEach(SionReader::close);
            } else if (output != null) {
                output.close();
            } else {
                input().close();
            }
        }

        boolean isSerial() throws DrumlinException {
            return output != null ? output.isSerial() : input().world() instanceof SingleCommunicator;
        }

        /** Returns the processes that take turns in a transaction. */
        Communicator tasks() throws DrumlinException {
            return output != null ? output.group() : input().world();
        }

        /** Returns the places of all tasks of a file that one process has opened. */
        List<ReadTask> all() throws DrumlinException {
            SionInput from = input();
            if (from.tasks().size() != from.taskCount()) {
                throw new IllegalArgumentException(
                        "this process has opened " + from.tasks().size() + " of " + from.taskCount() + " tasks");
            }
            return from.tasks().stream().map(from::task).toList();
        }

        SionOutput output() throws DrumlinException {
            if (output == null) {
                throw DrumlinException.during("write")
                        .problem("the file is open for reading")
                        .exception();
            }
            return output;
        }

        SionInput input() throws DrumlinException {
            if (input == null) {
                throw DrumlinException.during("read")
                        .problem("the file is open for writing")
                        .exception();
            }
            return input;
        }

        SionWriter writer() throws DrumlinException {
            return output().writer(task);
        }

        SionReader reader() throws IOException {
            return reader(task);
        }

        SionReader reader(int which) throws IOException {
            if (ownReaders == null) {
                return input().reader(which);
            }
            SionReader own = ownReaders.get(which);
            if (own == null) {
                own = input().newReader(which);
                ownReaders.put(which, own);
            }
            return own;
        }

        KeyValueReader records() throws IOException {
            KeyValueReader reader = records.get(task);
            if (reader == null) {
                SionInput from = input();
                reader = ownReaders == null
                        ? from.keyValueReader(task)
                        : new KeyValueReader(reader().stream(), from.header().order());
                records.put(task, reader);
            }
            return reader;
        }

        Iterator<Long> keys() throws IOException {
            Iterator<Long> iterator = keys.get(task);
            if (iterator == null) {
                iterator = records().keys().iterator();
                keys.put(task, iterator);
            }
            return iterator;
        }
    }

    private interface Call<T> {
        T run(Opened file) throws IOException;
    }

    private interface Opening {
        Opened run() throws IOException;
    }

    private static int put(Opened file) {
        synchronized (OPEN) {
            int sid = 0;
            while (OPEN.containsKey(sid)) {
                sid++;
            }
            OPEN.put(sid, file);
            return sid;
        }
    }

    private static int open(String call, String name, Opening opening) {
        try {
            return put(opening.run());
        } catch (Exception e) {
            LOG.log(level(e), call + " of " + name + ": " + e.getMessage(), e);
            return SION_ID_NOT_VALID;
        }
    }

    /** Returns the level at which a failure is logged. One that all ranks have agreed on is an error on one of them. */
    private static System.Logger.Level level(Exception failure) {
        boolean reporter =
                AgreedFailure.of(failure).map(AgreedFailure::isReporter).orElse(true);
        return reporter ? System.Logger.Level.ERROR : System.Logger.Level.DEBUG;
    }

    /** Makes a call on an open file; {@code failed} is the value that C SIONlib returns on failure. */
    private static <T> T call(String name, int sid, T failed, Call<T> call) {
        Opened file;
        synchronized (OPEN) {
            file = OPEN.get(sid);
        }
        try {
            if (file == null) {
                throw new IllegalArgumentException("no file has the id " + sid);
            }
            return call.run(file);
        } catch (Exception e) {
            LOG.log(level(e), name + ": " + e.getMessage(), e);
            return failed;
        }
    }

    /**
     * Opens a file for one process: all its tasks.
     *
     * @param name name of the file
     * @param mode words of C SIONlib
     * @param ntasks number of tasks; given to write, filled to read
     * @param nfiles number of physical files; 1 to write, filled to read
     * @param chunksizes chunk sizes of all tasks, as one array in it; given to write, filled to read
     * @param fsblksize block size; given to write (0 or below: that of the file system), filled to write and to read
     * @param globalranks global ranks of all tasks, as one array in it; given to write, filled to read
     * @return file id, or -1
     */
    public static int sion_open(
            String name,
            String mode,
            int[] ntasks,
            int @Nullable [] nfiles,
            long @Nullable [] @Nullable [] chunksizes,
            int @Nullable [] fsblksize,
            int @Nullable [] @Nullable [] globalranks) {
        OpenModeParser parsed = new OpenModeParser(mode);
        return open("sion_open", name, () -> {
            if (parsed.writes()) {
                if (nfiles != null && nfiles[0] > 1) {
                    throw new IllegalArgumentException("one process writes one file, not " + nfiles[0]);
                }
                long[] chunks = new long[ntasks[0]];
                long[] ranks = new long[ntasks[0]];
                for (int task = 0; task < chunks.length; task++) {
                    chunks[task] = required(chunksizes, "chunksizes")[task];
                    ranks[task] = globalranks == null || globalranks[0] == null ? task : globalranks[0][task];
                }
                SionOutput output =
                        SionFile.create(Path.of(name), chunks, ranks, withBlock(parsed.options(), fsblksize));
                fill(fsblksize, output.fsBlockSize());
                return new Opened(output, null, 0);
            }
            SionInput input = SionFile.open(Path.of(name), parsed.ioOptions());
            ntasks[0] = input.taskCount();
            fill(nfiles, input.header().files());
            fill(fsblksize, input.header().fsBlockSize());
            if (chunksizes != null) {
                chunksizes[0] =
                        input.tasks().stream().mapToLong(input::chunkSize).toArray();
            }
            if (globalranks != null) {
                globalranks[0] = input.tasks().stream()
                        .mapToInt(task -> (int) input.globalRank(task))
                        .toArray();
            }
            return new Opened(null, input, 0);
        });
    }

    private static long[] required(long @Nullable [] @Nullable [] pointer, String what) {
        long[] array = pointer == null ? null : pointer[0];
        if (array == null) {
            throw new IllegalArgumentException(what + " are needed to write");
        }
        return array;
    }

    private static void fill(int @Nullable [] pointer, int value) {
        if (pointer != null) {
            pointer[0] = value;
        }
    }

    private static SionOptions withBlock(SionOptions options, int @Nullable [] fsblksize) {
        return fsblksize == null || fsblksize[0] <= 0 ? options : options.fsBlockSize(fsblksize[0]);
    }

    /**
     * Opens a file for one process to read one of its tasks.
     *
     * @param name name of the file
     * @param mode words of C SIONlib
     * @param chunksize filled
     * @param fsblksize filled
     * @param rank index of the task
     * @return file id, or -1
     */
    public static int sion_open_rank(
            String name, String mode, long @Nullable [] chunksize, int @Nullable [] fsblksize, int[] rank) {
        return open("sion_open_rank", name, () -> {
            OpenModeParser parsed = new OpenModeParser(mode);
            if (parsed.writes()) {
                throw new IllegalArgumentException("a single task can only be read");
            }
            SionInput input = SionFile.openTask(Path.of(name), rank[0], parsed.ioOptions());
            if (chunksize != null) {
                chunksize[0] = input.chunkSize(rank[0]);
            }
            fill(fsblksize, input.header().fsBlockSize());
            return new Opened(null, input, rank[0]);
        });
    }

    /**
     * Closes a file that one process opened.
     *
     * @param sid file id
     * @return 1, or 0
     */
    public static int sion_close(int sid) {
        return close("sion_close", sid);
    }

    private static int close(String name, int sid) {
        int result = call(name, sid, SION_NOT_SUCCESS, file -> {
            file.close();
            return SION_SUCCESS;
        });
        synchronized (OPEN) {
            OPEN.remove(sid);
        }
        return result;
    }

    /**
     * Opens a file with a task for each process. Collective.
     *
     * @param name name of the file
     * @param mode words of C SIONlib
     * @param numFiles number of physical files to write; 0 or below gives each local communicator one. Filled with the
     *     actual number
     * @param gComm all processes
     * @param lComm the processes of one file; used to write if {@code numFiles} is 0 or below
     * @param chunksize bytes of this task's chunk; filled to read
     * @param fsblksize block size; -1 for that of the file system. Filled with the actual size
     * @param globalrank filled with the rank
     * @param newname filled with the name of this task's physical file
     * @return file id, or -1
     */
    public static int sion_paropen_mpi(
            String name,
            String mode,
            int[] numFiles,
            Communicator gComm,
            @Nullable Communicator lComm,
            long[] chunksize,
            int @Nullable [] fsblksize,
            int @Nullable [] globalrank,
            @Nullable String @Nullable [] newname) {
        return open(
                "sion_paropen_mpi",
                name,
                () -> parallel(name, mode, numFiles, gComm, lComm, chunksize, fsblksize, globalrank, newname));
    }

    private static Opened parallel(
            String name,
            String mode,
            int[] numFiles,
            Communicator gComm,
            @Nullable Communicator lComm,
            long[] chunksize,
            int @Nullable [] fsblksize,
            int @Nullable [] globalrank,
            @Nullable String @Nullable [] newname)
            throws IOException {
        OpenModeParser parsed = new OpenModeParser(mode);
        int rank = gComm.rank();
        fill(globalrank, rank);
        if (parsed.writes()) {
            SionOptions options = withBlock(parsed.options(), fsblksize);
            SionOptions placed = numFiles[0] <= 0 && lComm != null
                    ? options.localCommunicator(lComm)
                    : options.files(Math.max(1, numFiles[0]));
            SionOutput output = SionFile.create(Path.of(name), gComm, chunksize[0], placed);
            numFiles[0] = output.files();
            fill(fsblksize, output.fsBlockSize());
            if (newname != null) {
                newname[0] = output.path(rank).toString();
            }
            return new Opened(output, null, rank);
        }
        parsed.requireReading();
        SionInput input = SionFile.open(Path.of(name), gComm, parsed.ioOptions());
        numFiles[0] = input.header().files();
        chunksize[0] = input.chunkSize(rank);
        fill(fsblksize, input.header().fsBlockSize());
        if (newname != null) {
            newname[0] = input.path(rank).toString();
        }
        return new Opened(null, input, rank);
    }

    /**
     * Closes a file that several processes opened. Collective.
     *
     * @param sid file id
     * @return 1, or 0
     */
    public static int sion_parclose_mpi(int sid) {
        return close("sion_parclose_mpi", sid);
    }

    /**
     * Starts again with another chunk size, before anything was written. Collective.
     *
     * @param sid file id
     * @param chunksize size of this task's chunk in bytes
     * @return 1, or 0
     */
    public static int sion_parreinit_mpi(int sid, long chunksize) {
        return call("sion_parreinit_mpi", sid, SION_NOT_SUCCESS, file -> {
            file.output().reinit(chunksize);
            return SION_SUCCESS;
        });
    }

    /**
     * Opens a file with several tasks for each process. Select one with {@link #sion_seek}. Collective.
     *
     * @param name name of the file
     * @param mode words of C SIONlib
     * @param numFiles number of physical files; filled to read
     * @param gComm all processes
     * @param nlocaltasks number of tasks of this process. To read, a value below 0 asks for an equal share and is
     *     filled
     * @param globalranks global ranks of this process's tasks, as one array in it. For an equal share its element may
     *     be null, and it is filled
     * @param chunksizes chunk sizes of this process's tasks, as one array in it; filled to read
     * @param mappingFilenrs file number of each task of this process, as one array in it; used to write
     * @param mappingLranks index of each task in its file, as one array in it; used to write
     * @param fsblksize block size; -1 for that of the file system. Filled to read
     * @return file id, or -1
     */
    public static int sion_paropen_mapped_mpi(
            String name,
            String mode,
            int[] numFiles,
            Communicator gComm,
            int[] nlocaltasks,
            int @Nullable [][] globalranks,
            long @Nullable [] @Nullable [] chunksizes,
            int @Nullable [][] mappingFilenrs,
            int @Nullable [][] mappingLranks,
            int @Nullable [] fsblksize) {
        OpenModeParser parsed = new OpenModeParser(mode);
        return open("sion_paropen_mapped_mpi", name, () -> {
            if (parsed.writes()) {
                if (globalranks == null || mappingFilenrs == null || mappingLranks == null) {
                    throw new IllegalArgumentException("ranks and mapping are needed to write");
                }
                List<MappedTask> tasks = new ArrayList<>();
                for (int i = 0; i < nlocaltasks[0]; i++) {
                    long chunk = required(chunksizes, "chunksizes")[i];
                    tasks.add(new MappedTask(globalranks[0][i], mappingFilenrs[0][i], mappingLranks[0][i], chunk));
                }
                SionOptions options = withBlock(parsed.options(), fsblksize).files(numFiles[0]);
                SionOutput output = SionFile.createMapped(Path.of(name), gComm, tasks, options);
                return new Opened(output, null, tasks.isEmpty() ? 0 : globalranks[0][0]);
            }
            parsed.requireReading();
            boolean share = nlocaltasks[0] < 0;
            if (!share && globalranks == null) {
                throw new IllegalArgumentException("the ranks of " + nlocaltasks[0] + " tasks are needed");
            }
            SionInput input = share || globalranks == null
                    ? SionFile.openMapped(Path.of(name), gComm, parsed.ioOptions())
                    : SionFile.openMapped(
                            Path.of(name), gComm, Arrays.copyOf(globalranks[0], nlocaltasks[0]), parsed.ioOptions());
            numFiles[0] = input.header().files();
            fill(fsblksize, input.header().fsBlockSize());
            nlocaltasks[0] = input.tasks().size();
            if (share && globalranks != null) {
                globalranks[0] = input.tasks().stream().mapToInt(task -> task).toArray();
            }
            if (chunksizes != null) {
                chunksizes[0] =
                        input.tasks().stream().mapToLong(input::chunkSize).toArray();
            }
            return new Opened(
                    null, input, input.tasks().isEmpty() ? 0 : input.tasks().get(0));
        });
    }

    /**
     * Closes a mapped file. Collective.
     *
     * @param sid file id
     * @return 1, or 0
     */
    public static int sion_parclose_mapped_mpi(int sid) {
        return close("sion_parclose_mapped_mpi", sid);
    }

    /**
     * Writes into one chunk.
     *
     * @param data at least {@code size * nitems} remaining bytes; its position moves past them
     * @param size bytes of an item
     * @param nitems number of items
     * @param sid file id
     * @return number of items written; 0 on failure, if they do not fit into a chunk, and if they have no bytes
     */
    public static long sion_fwrite(ByteBuffer data, long size, long nitems, int sid) {
        return call("sion_fwrite", sid, 0L, file -> {
            ByteBuffer bytes = part(data, size, nitems);
            file.writer().requireRoom(bytes.remaining());
            file.writer().write(bytes);
            data.position(data.position() + bytes.capacity());
            return size == 0 ? 0 : nitems;
        });
    }

    private static ByteBuffer part(ByteBuffer data, long size, long nitems) {
        long bytes = Math.multiplyExact(size, nitems);
        if (size < 0 || bytes < 0 || bytes > data.remaining()) {
            throw new IllegalArgumentException(
                    nitems + " items of " + size + " bytes are not within " + data.remaining() + " bytes");
        }
        return data.slice(data.position(), (int) bytes);
    }

    /**
     * Reads from one block. A read at the end of a block continues in the next one.
     *
     * @param data room for {@code size * nitems} bytes; its position moves past the bytes read
     * @param size bytes of an item
     * @param nitems number of items
     * @param sid file id
     * @return number of items read; 0 on failure, if the block does not have that many bytes, and at the end
     */
    public static long sion_fread(ByteBuffer data, long size, long nitems, int sid) {
        return call("sion_fread", sid, 0L, file -> {
            SionReader reader = file.reader();
            ByteBuffer bytes = part(data, size, nitems);
            while (reader.bytesAvailableInBlock() == 0) {
                if (reader.endOfFile()) {
                    return 0L;
                }
                // Moves to the next block that is not empty.
            }
            if (bytes.remaining() > reader.bytesAvailableInBlock()) {
                throw DrumlinException.during("read")
                        .range(-1, bytes.remaining())
                        .problem("the block has " + reader.bytesAvailableInBlock() + " bytes left")
                        .exception();
            }
            data.position(data.position() + reader.read(bytes));
            return size == 0 ? 0 : nitems;
        });
    }

    /**
     * Writes the data of all tasks of a file. Collective.
     *
     * @param data at least {@code size * nitems} remaining bytes; its position moves past them
     * @param size bytes of an item
     * @param nitems number of items
     * @param sid file id
     * @return number of items written, or 0
     */
    public static long sion_coll_fwrite(ByteBuffer data, long size, long nitems, int sid) {
        return call("sion_coll_fwrite", sid, 0L, file -> {
            ByteBuffer bytes = part(data, size, nitems);
            file.output().writeCollective(bytes);
            data.position(data.position() + bytes.capacity());
            return size == 0 ? 0 : nitems;
        });
    }

    /**
     * Reads the data of all tasks of a file. Collective.
     *
     * @param data room for {@code size * nitems} bytes; its position moves past the bytes read
     * @param size bytes of an item
     * @param nitems number of items
     * @param sid file id
     * @return number of whole items read; 0 at the end
     */
    public static long sion_coll_fread(ByteBuffer data, long size, long nitems, int sid) {
        return call("sion_coll_fread", sid, 0L, file -> {
            int read = Math.max(0, file.input().readCollective(part(data, size, nitems)));
            data.position(data.position() + read);
            return size == 0 ? 0 : read / size;
        });
    }

    /**
     * Returns whether a task is read to its end. At the end of any other block, moves to the next one.
     *
     * @param sid file id
     * @return 1 at the end, else 0; -1 if the file cannot be read
     */
    public static int sion_feof(int sid) {
        return call("sion_feof", sid, SION_SIZE_NOT_VALID, file -> file.reader().endOfFile() ? 1 : 0);
    }

    /**
     * Returns the number of unread bytes in the current block.
     *
     * @param sid file id
     * @return bytes, or -1
     */
    public static long sion_bytes_avail_in_block(int sid) {
        return call("sion_bytes_avail_in_block", sid, (long) SION_SIZE_NOT_VALID, file -> file.reader()
                .bytesAvailableInBlock());
    }

    /**
     * Another name of {@link #sion_bytes_avail_in_block}.
     *
     * @param sid file id
     * @return bytes, or -1
     */
    public static long sion_bytes_avail_in_chunk(int sid) {
        return sion_bytes_avail_in_block(sid);
    }

    /**
     * Begins the next block if bytes do not fit into the current one.
     *
     * @param sid file id
     * @param bytes 0 or above
     * @return 1, or 0
     */
    public static int sion_ensure_free_space(int sid, long bytes) {
        return call("sion_ensure_free_space", sid, SION_NOT_SUCCESS, file -> {
            file.writer().ensureFreeSpace(bytes);
            return SION_SUCCESS;
        });
    }

    /**
     * Hands the written bytes to the operating system.
     *
     * @param sid file id
     * @return 1, or 0
     */
    public static int sion_flush(int sid) {
        return call("sion_flush", sid, SION_NOT_SUCCESS, file -> {
            file.output().stream(file.task).flush();
            return SION_SUCCESS;
        });
    }

    /**
     * Moves to a position. If the current position of a task is the end of a block, it counts as the beginning of the
     * next one.
     *
     * @param sid file id
     * @param rank task, or {@link #SION_CURRENT_RANK}
     * @param block block, {@link #SION_CURRENT_BLK}, {@link #SION_ABSOLUTE_POS} or {@link #SION_END_POS}
     * @param position the position in the block or, with the last two, in the task; or {@link #SION_CURRENT_POS}
     * @return 1, or 0
     */
    public static int sion_seek(int sid, int rank, int block, long position) {
        return call("sion_seek", sid, SION_NOT_SUCCESS, file -> {
            int task = rank == SION_CURRENT_RANK ? file.task : rank;
            if (file.output != null) {
                if (block != SION_CURRENT_BLK || position != SION_CURRENT_POS) {
                    throw new IllegalArgumentException("a file that is written can change the task only");
                }
                file.output.path(task); // Refuses a task of another process.
            } else {
                seek(file.reader(task), block, position);
            }
            file.task = task;
            return SION_SUCCESS;
        });
    }

    private static void seek(SionReader reader, int block, long position) throws IOException {
        if (block == SION_ABSOLUTE_POS || block == SION_END_POS) {
            long target = block == SION_ABSOLUTE_POS ? position : reader.size() + position;
            if (target < 0 || target > reader.size()) {
                throw new IllegalArgumentException("position " + target + " is not within " + reader.size() + " bytes");
            }
            reader.position(target);
            return;
        }
        int there = block == SION_CURRENT_BLK ? reader.block() : block;
        reader.seek(there, position == SION_CURRENT_POS ? reader.positionInBlock() : position);
        if (block == SION_CURRENT_BLK && position == SION_CURRENT_POS) {
            reader.endOfFile(); // Moves from the end of a block to the next one.
        }
    }

    /**
     * Returns the number of bytes that the current task has written.
     *
     * @param sid file id
     * @return bytes, or -1
     */
    public static long sion_get_bytes_written(int sid) {
        return call("sion_get_bytes_written", sid, (long) SION_SIZE_NOT_VALID, file -> file.output().stream(file.task)
                .size());
    }

    /**
     * Returns the number of bytes that were read of the current task.
     *
     * @param sid file id
     * @return bytes, or -1
     */
    public static long sion_get_bytes_read(int sid) {
        return call("sion_get_bytes_read", sid, (long) SION_SIZE_NOT_VALID, file -> file.reader()
                .position());
    }

    /**
     * Returns the offset of the current task's next byte in the physical file.
     *
     * @param sid file id
     * @return byte offset, or -1
     */
    public static long sion_get_position(int sid) {
        return call("sion_get_position", sid, (long) SION_SIZE_NOT_VALID, file -> {
            return file.output != null
                    ? file.output.stream(file.task).fileOffset()
                    : file.reader().fileOffset();
        });
    }

    /**
     * Returns the current position of the current task, and its blocks.
     *
     * @param sid file id
     * @param currentblock filled with the current block
     * @param currentpos filled with the position in it
     * @param maxchunks filled with the number of blocks of the task
     * @param chunksizes filled with an array of the bytes in each of them
     * @return 1, or 0
     */
    public static int sion_get_current_location(
            int sid, int[] currentblock, long[] currentpos, int[] maxchunks, long[][] chunksizes) {
        return call("sion_get_current_location", sid, SION_NOT_SUCCESS, file -> {
            if (file.output != null) {
                TaskBlocks blocks = file.output.stream(file.task).blocks();
                currentblock[0] = blocks.blocks() - 1;
                currentpos[0] = blocks.used(blocks.blocks() - 1);
                maxchunks[0] = blocks.blocks();
                chunksizes[0] = IntStream.range(0, blocks.blocks())
                        .mapToLong(blocks::used)
                        .toArray();
            } else {
                SionReader reader = file.reader();
                currentblock[0] = reader.block();
                currentpos[0] = reader.positionInBlock();
                maxchunks[0] = reader.blocks();
                chunksizes[0] = IntStream.range(0, reader.blocks())
                        .mapToLong(reader::blockSize)
                        .toArray();
            }
            return SION_SUCCESS;
        });
    }

    /**
     * Returns the number of physical files.
     *
     * @param sid file id
     * @return 1 or more, or -1
     */
    public static int sion_get_number_of_files(int sid) {
        return call(
                "sion_get_number_of_files",
                sid,
                SION_SIZE_NOT_VALID,
                file -> file.output != null
                        ? file.output.files()
                        : file.input().header().files());
    }

    /**
     * Returns the byte order of this machine.
     *
     * @return 1 if the most significant byte comes first, else 0
     */
    public static int sion_get_endianness() {
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? 1 : 0;
    }

    /**
     * Returns the byte order of a file's data.
     *
     * @param sid file id
     * @return 1 if the most significant byte comes first, else 0; -1 if no file has the id
     */
    public static int sion_get_file_endianness(int sid) {
        return call("sion_get_file_endianness", sid, SION_SIZE_NOT_VALID, file -> {
            boolean big = file.output != null
                    ? file.output.payloadOrder() == ByteOrder.BIG_ENDIAN
                    : file.input().header().bigEndianPayload();
            return big ? 1 : 0;
        });
    }

    /**
     * Returns whether numbers that are read in the byte order of this machine must be swapped.
     *
     * @param sid file id
     * @return 1 or 0
     */
    public static int sion_endianness_swap_needed(int sid) {
        return sion_get_file_endianness(sid) == sion_get_endianness() ? 0 : 1;
    }

    /**
     * Writes a record with a key.
     *
     * @param data at least {@code size * nitems} remaining bytes; its position moves past them
     * @param key unsigned
     * @param size bytes of an item
     * @param nitems number of items
     * @param sid file id
     * @return number of items written, or 0
     */
    public static long sion_fwrite_key(ByteBuffer data, long key, long size, long nitems, int sid) {
        return call("sion_fwrite_key", sid, 0L, file -> {
            ByteBuffer bytes = part(data, size, nitems);
            file.output().keyValueWriter(file.task).write(key, bytes);
            data.position(data.position() + bytes.capacity());
            return nitems;
        });
    }

    /**
     * Reads whole items from the current position of a key, at most to the end of the record.
     *
     * @param data room for {@code size * nitems} bytes; its position moves past the bytes read
     * @param key unsigned
     * @param size bytes of an item, above 0
     * @param nitems number of items
     * @param sid file id
     * @return number of items read; 0 if the key has no more
     */
    public static long sion_fread_key(ByteBuffer data, long key, long size, long nitems, int sid) {
        return call("sion_fread_key", sid, 0L, file -> {
            ByteBuffer bytes = part(data, size, nitems);
            long items = Math.min(nitems, file.records().available(key) / size);
            int read = Math.max(0, file.records().read(key, bytes.limit((int) (items * size))));
            data.position(data.position() + read);
            return items;
        });
    }

    /**
     * Moves to a position in the values of a key.
     *
     * @param sid file id
     * @param key unsigned
     * @param record index among the records of the key, or {@link #SION_ABSOLUTE_POS}
     * @param position the position in the record, or in all values of the key
     * @return 1, or 0
     */
    public static int sion_seek_key(int sid, long key, int record, long position) {
        return call("sion_seek_key", sid, SION_NOT_SUCCESS, file -> {
            if (record == SION_ABSOLUTE_POS) {
                file.records().seek(key, position);
            } else {
                file.records().seek(key, record, position);
            }
            return SION_SUCCESS;
        });
    }

    /**
     * Moves back to the first record of the current task.
     *
     * @param sid file id
     * @return 1, or 0
     */
    public static int sion_fread_key_iterator_reset(int sid) {
        return call("sion_fread_key_iterator_reset", sid, SION_NOT_SUCCESS, file -> {
            file.records().rewind();
            return SION_SUCCESS;
        });
    }

    /**
     * Returns the next record of the current task, in the order of writing.
     *
     * @param sid file id
     * @param key filled
     * @param size filled with the bytes of the value
     * @return 1, or 0 at the end
     */
    public static int sion_fread_key_iterator_next(int sid, long[] key, long[] size) {
        return call("sion_fread_key_iterator_next", sid, SION_NOT_SUCCESS, file -> {
            Optional<KeyValueRecord> next = file.records().next();
            next.ifPresent(record -> {
                key[0] = record.key();
                size[0] = record.length();
            });
            return next.isPresent() ? SION_SUCCESS : SION_NOT_SUCCESS;
        });
    }

    /**
     * Scans all records of the current task, so that its keys are known.
     *
     * @param sid file id
     * @return 1, or 0
     */
    public static int sion_key_full_scan(int sid) {
        return call("sion_key_full_scan", sid, SION_NOT_SUCCESS, file -> {
            file.records().keys();
            return SION_SUCCESS;
        });
    }

    /**
     * Moves back to the first key of the current task.
     *
     * @param sid file id
     * @return 1, or 0
     */
    public static int sion_key_list_iterator_reset(int sid) {
        return call("sion_key_list_iterator_reset", sid, SION_NOT_SUCCESS, file -> {
            file.keys.remove(file.task);
            return SION_SUCCESS;
        });
    }

    /**
     * Returns the next key of the current task. Keys come in the order of their first records.
     *
     * @param sid file id
     * @param key filled
     * @return 1, or 0 at the end
     */
    public static int sion_key_list_iterator_next(int sid, long[] key) {
        return call("sion_key_list_iterator_next", sid, SION_NOT_SUCCESS, file -> {
            if (!file.keys().hasNext()) {
                return SION_NOT_SUCCESS;
            }
            key[0] = file.keys().next();
            return SION_SUCCESS;
        });
    }

    /**
     * Returns the statistics of a key.
     *
     * @param sid file id
     * @param key unsigned
     * @param stat one element, filled
     * @return 1; 0 on failure and if the task has no such key
     */
    public static int sion_key_get_stat(int sid, long key, KeyValueReader.Statistics[] stat) {
        return call("sion_key_get_stat", sid, SION_NOT_SUCCESS, file -> {
            Optional<KeyValueReader.Statistics> found = file.records().statistics(key);
            found.ifPresent(statistics -> stat[0] = statistics);
            return found.isPresent() ? SION_SUCCESS : SION_NOT_SUCCESS;
        });
    }

    /**
     * Opens a file in which {@code lComm} says which processes share a physical file; otherwise like
     * {@link #sion_paropen_mpi}. For programs of SIONlib 1.2 and before. Collective.
     *
     * @param name name of the file
     * @param mode words of C SIONlib
     * @param numFiles filled with the number of physical files; what it has before has no effect
     * @param gComm all processes
     * @param lComm the processes of one file
     * @param chunksize as in {@link #sion_paropen_mpi}
     * @param fsblksize as in {@link #sion_paropen_mpi}
     * @param globalrank filled with the rank
     * @param newname filled with the name of this task's physical file
     * @return file id, or -1
     */
    public static int sion_paropen_comms_mpi(
            String name,
            String mode,
            int[] numFiles,
            Communicator gComm,
            @Nullable Communicator lComm,
            long[] chunksize,
            int @Nullable [] fsblksize,
            int @Nullable [] globalrank,
            @Nullable String @Nullable [] newname) {
        if (numFiles.length > 0) {
            numFiles[0] = 0;
        }
        return sion_paropen_mpi(name, mode, numFiles, gComm, lComm, chunksize, fsblksize, globalrank, newname);
    }

    /**
     * Another name of {@link #sion_paropen_mpi}, for programs of SIONlib 1.2 and before. Collective.
     *
     * @param name name of the file
     * @param mode words of C SIONlib
     * @param numFiles as in {@link #sion_paropen_mpi}
     * @param gComm all processes
     * @param lComm the processes of one file
     * @param chunksize as in {@link #sion_paropen_mpi}
     * @param fsblksize as in {@link #sion_paropen_mpi}
     * @param globalrank filled with the rank
     * @param newname filled with the name of this task's physical file
     * @return file id, or -1
     */
    public static int sion_paropen_multi_mpi(
            String name,
            String mode,
            int[] numFiles,
            Communicator gComm,
            @Nullable Communicator lComm,
            long[] chunksize,
            int @Nullable [] fsblksize,
            int @Nullable [] globalrank,
            @Nullable String @Nullable [] newname) {
        return sion_paropen_mpi(name, mode, numFiles, gComm, lComm, chunksize, fsblksize, globalrank, newname);
    }

    /**
     * The former name of {@link #sion_coll_fwrite}. Collective.
     *
     * @param data at least {@code size * nitems} remaining bytes; its position moves past them
     * @param size bytes of an item
     * @param nitems number of items
     * @param sid file id
     * @return number of items written, or 0
     */
    public static long sion_coll_fwrite_mpi(ByteBuffer data, long size, long nitems, int sid) {
        return sion_coll_fwrite(data, size, nitems, sid);
    }

    /**
     * The former name of {@link #sion_coll_fread}. Collective.
     *
     * @param data room for {@code size * nitems} bytes; its position moves past the bytes read
     * @param size bytes of an item
     * @param nitems number of items
     * @param sid file id
     * @return number of whole items read; 0 at the end
     */
    public static long sion_coll_fread_mpi(ByteBuffer data, long size, long nitems, int sid) {
        return sion_coll_fread(data, size, nitems, sid);
    }

    /**
     * Waits until it is this task's turn, so that only some tasks of a file write or read at the same time: all if the
     * file has up to 16, else 8, above 64 tasks 16, above 128 tasks 32. Each task of the file must then call
     * {@link #sion_endof_transaction_mpi}.
     *
     * @param sid file id of a parallel open
     * @return 1, or 0
     */
    public static int sion_startof_transaction_mpi(int sid) {
        return call("sion_startof_transaction_mpi", sid, SION_NOT_SUCCESS, file -> {
            Communicator tasks = file.tasks();
            int before = tasks.rank() - atOnce(tasks.size());
            if (before >= 0) {
                tasks.receive(ByteBuffer.allocate(Integer.BYTES), before, TRANSACTION_TAG);
            }
            return SION_SUCCESS;
        });
    }

    /**
     * Gives the turn to the next task.
     *
     * @param sid file id of a parallel open
     * @return 1, or 0
     */
    public static int sion_endof_transaction_mpi(int sid) {
        return call("sion_endof_transaction_mpi", sid, SION_NOT_SUCCESS, file -> {
            Communicator tasks = file.tasks();
            int next = tasks.rank() + atOnce(tasks.size());
            if (next < tasks.size()) {
                tasks.send(ByteBuffer.allocate(Integer.BYTES), next, TRANSACTION_TAG);
            }
            return SION_SUCCESS;
        });
    }

    private static int atOnce(int tasks) {
        if (tasks > 128) {
            return 32;
        }
        return tasks > 64 ? 16 : tasks > 16 ? 8 : tasks;
    }

    /**
     * What {@link #sion_file_check_par_cb_mpi} needs to try a file.
     *
     * @param mode words of C SIONlib
     * @param gComm all processes
     * @param numFiles number of physical files
     * @param lComm the processes of one file
     */
    public record FileCheck(String mode, Communicator gComm, int numFiles, @Nullable Communicator lComm) {}

    /**
     * Says how {@link #sion_file_check_par_cb_mpi} is to try files.
     *
     * @param mode words of C SIONlib
     * @param gComm all processes
     * @param numFiles number of physical files
     * @param lComm the processes of one file
     * @return the arguments of the check
     */
    public static FileCheck sion_file_check_par_args_init_mpi(
            String mode, Communicator gComm, int numFiles, @Nullable Communicator lComm) {
        return new FileCheck(mode, gComm, numFiles, lComm);
    }

    /**
     * Does nothing: there is nothing to be freed.
     *
     * @param args the arguments of a check
     * @return 1
     */
    public static int sion_file_check_par_args_free_mpi(@Nullable FileCheck args) {
        return SION_SUCCESS;
    }

    /**
     * Opens and closes a file, without a word if that fails. In a mode that writes, an older file is replaced.
     * Collective.
     *
     * @param name name of the file
     * @param args the arguments of the check
     * @return 1 if it can be opened, else 0
     */
    public static int sion_file_check_par_cb_mpi(String name, FileCheck args) {
        try {
            int[] numFiles = {args.numFiles()};
            Opened file = parallel(
                    name, args.mode(), numFiles, args.gComm(), args.lComm(), new long[1], new int[] {-1}, null, null);
            file.close();
            return SION_SUCCESS;
        } catch (Exception e) {
            LOG.log(System.Logger.Level.DEBUG, "sion_file_check_par_cb_mpi: " + e.getMessage(), e);
            return SION_NOT_SUCCESS;
        }
    }

    /**
     * Makes another file id for a file that is read, with positions of its own. It can be used until the file is
     * closed.
     *
     * @param sid file id
     * @param mode {@code SION_DUP_ALL}, or {@code SION_DUP_RANK} or {@code SION_DUP_RANK_KEY} to begin with one task
     * @param rank the task, unless all are wanted
     * @param key not looked at: all keys can be read
     * @return file id, or -1
     */
    public static int sion_dup(int sid, int mode, int rank, long key) {
        return call("sion_dup", sid, SION_ID_NOT_VALID, file -> {
            SionInput input = file.input();
            int task = mode == SION_DUP_ALL ? file.task : rank;
            input.task(task); // Refuses a task of another process.
            return put(new Opened(input, task));
        });
    }

    /**
     * Ends what {@link #sion_dup} has made. The file stays open.
     *
     * @param sid file id of a duplicate
     * @return 1, or 0
     */
    public static int sion_dedup(int sid) {
        int isDuplicate = call("sion_dedup", sid, SION_NOT_SUCCESS, file -> {
            if (file.ownReaders == null) {
                throw new IllegalArgumentException("the file id " + sid + " is not that of a duplicate");
            }
            return SION_SUCCESS;
        });
        return isDuplicate == SION_SUCCESS ? close("sion_dedup", sid) : SION_NOT_SUCCESS;
    }

    /**
     * Returns the files with buddy copies to which this task gives data.
     *
     * @param sid file id
     * @return the files; {@code null} if the file has no buddy copies or is read
     */
    public static @Nullable List<SionFileRole> sion_get_io_info(int sid) {
        return sion_get_io_info_by_spec(
                sid, SION_ROLE_COLLECTOR | SION_ROLE_WRITER | SION_ROLE_NOWRITER, SION_GET_IO_INFO_FLAG_NONE);
    }

    /**
     * Returns the files with buddy copies in which this task has certain roles.
     *
     * @param sid file id
     * @param roles {@code SION_ROLE_*}, joined by {@code |}
     * @param flag {@code SION_GET_IO_INFO_FLAG_NONE}
     * @return the files; {@code null} if the file has no buddy copies or is read
     */
    public static @Nullable List<SionFileRole> sion_get_io_info_by_spec(int sid, int roles, int flag) {
        Optional<List<SionFileRole>> found = call("sion_get_io_info", sid, Optional.empty(), file -> {
            if (file.output == null || file.output.buddies() == 0) {
                return Optional.empty();
            }
            return Optional.of(file.output.roles(file.task).stream()
                    .filter(each -> (each.role() & roles) != 0)
                    .toList());
        });
        return found.orElse(null);
    }

    /**
     * Does nothing: there is nothing to be freed.
     *
     * @param info a result of {@link #sion_get_io_info}
     * @return 1
     */
    public static int sion_free_io_info(@Nullable List<SionFileRole> info) {
        return SION_SUCCESS;
    }

    /**
     * Returns where the data of all tasks of a file are that one process has opened to read.
     *
     * @param sid file id
     * @param ntasks filled with the number of tasks
     * @param maxblocks filled with the largest number of blocks of a task
     * @param globalskip filled with the distance between two chunks of a task, in the first file
     * @param startOfVarheader filled with the offset of the metadata at the end, in the first file
     * @param chunksizes filled with the chunk size of each task, as one array in it
     * @param globalranks filled with the global rank of each task, as one array in it
     * @param blockcount filled with the number of blocks of each task, as one array in it
     * @param blocksizes filled with the bytes in each block of all tasks, one block after the other, as one array in
     *     it; 0, or -1 in a set of several files, where a task has no such block
     * @return 1, or 0
     */
    public static int sion_get_locations(
            int sid,
            int[] ntasks,
            int[] maxblocks,
            long[] globalskip,
            long[] startOfVarheader,
            long[][] chunksizes,
            long[][] globalranks,
            long[][] blockcount,
            long[][] blocksizes) {
        return call("sion_get_locations", sid, SION_NOT_SUCCESS, file -> {
            List<ReadTask> tasks = file.all();
            int blocks =
                    tasks.stream().mapToInt(task -> task.sizes().length).max().orElse(0);
            List<ReadTask> first = tasks.stream()
                    .filter(task -> task.file().equals(tasks.get(0).file()))
                    .toList();
            int firstBlocks =
                    first.stream().mapToInt(task -> task.sizes().length).max().orElse(0);
            ntasks[0] = tasks.size();
            maxblocks[0] = blocks;
            globalskip[0] = tasks.get(0).globalSkip();
            startOfVarheader[0] =
                    first.stream().mapToLong(ReadTask::start).min().orElse(0) + firstBlocks * globalskip[0];
            chunksizes[0] = tasks.stream().mapToLong(ReadTask::chunkSize).toArray();
            globalranks[0] = tasks.stream().mapToLong(ReadTask::globalRank).toArray();
            blockcount[0] =
                    tasks.stream().mapToLong(task -> task.sizes().length).toArray();
            long unused = file.input().header().files() > 1 ? -1 : 0;
            blocksizes[0] = IntStream.range(0, blocks * tasks.size())
                    .mapToLong(i -> size(tasks.get(i % tasks.size()), i / tasks.size(), unused))
                    .toArray();
            return SION_SUCCESS;
        });
    }

    private static long size(ReadTask task, int block, long unused) {
        return block < task.sizes().length ? task.sizes()[block] : unused;
    }

    /**
     * Returns the positions of all tasks of a file that one process has opened to read.
     *
     * @param sid file id
     * @param ntasks filled with the number of tasks
     * @param currentpos filled with the offset of each task's next byte in its physical file, as one array in it
     * @param currentblocknr filled with the current block of each task, as one array in it
     * @return 1, or 0
     */
    public static int sion_get_current_locations(int sid, int[] ntasks, long[][] currentpos, long[][] currentblocknr) {
        return call("sion_get_current_locations", sid, SION_NOT_SUCCESS, file -> {
            int tasks = file.all().size();
            long[] positions = new long[tasks];
            long[] blocks = new long[tasks];
            for (int task = 0; task < tasks; task++) {
                positions[task] = file.reader(task).fileOffset();
                blocks[task] = file.reader(task).block();
            }
            ntasks[0] = tasks;
            currentpos[0] = positions;
            currentblocknr[0] = blocks;
            return SION_SUCCESS;
        });
    }

    /**
     * Returns the physical file of each task of a set of several files that one process has opened to read.
     *
     * @param sid file id
     * @param mappingSize filled with the number of tasks; -1 if there is only one file, or the open was parallel
     * @param mapping filled with pairs of the number of the file and the index of the task in it, as one array in it
     * @param numFiles filled with the number of files
     * @return 1, or 0
     */
    public static int sion_get_mapping(int sid, int[] mappingSize, int @Nullable [][] mapping, int[] numFiles) {
        return call("sion_get_mapping", sid, SION_NOT_SUCCESS, file -> {
            numFiles[0] = sion_get_number_of_files(sid);
            mappingSize[0] = -1;
            if (file.input != null && file.isSerial() && numFiles[0] > 1) {
                List<ReadTask> tasks = file.all();
                mappingSize[0] = tasks.size();
                if (mapping != null) {
                    mapping[0] = tasks.stream()
                            .flatMapToInt(task -> IntStream.of(task.fileNumber(), task.localRank()))
                            .toArray();
                }
            }
            return SION_SUCCESS;
        });
    }

    /**
     * Returns the number of the physical file of the current task.
     *
     * @param sid file id
     * @return number, or -1
     */
    public static int sion_get_filenumber(int sid) {
        return call("sion_get_filenumber", sid, SION_SIZE_NOT_VALID, file -> {
            if (file.output != null) {
                return file.output.fileNumber(file.task);
            }
            SionInput input = file.input();
            return input.header().files() > 1
                    ? input.task(file.task).fileNumber()
                    : input.header().fileNumber();
        });
    }

    /**
     * Returns whether one process opened a file.
     *
     * @param sid file id
     * @return 1 after {@link #sion_open} or {@link #sion_open_rank}, else 0; -1 without such a file
     */
    public static int sion_is_serial_opened(int sid) {
        return call("sion_is_serial_opened", sid, SION_SIZE_NOT_VALID, file -> file.isSerial() ? 1 : 0);
    }

    /**
     * Returns whether the file system gets hints of SIONlib's, which Drumlin does not have.
     *
     * @param sid file id
     * @return 0; -1 without such a file
     */
    public static int sion_using_hints(int sid) {
        return call("sion_using_hints", sid, SION_SIZE_NOT_VALID, file -> 0);
    }

    /**
     * Returns whether several threads can open files.
     *
     * @return 1; one file is for one thread at a time
     */
    public static int sion_is_thread_safe() {
        return 1;
    }

    /**
     * Returns whether tasks hold records with keys.
     *
     * @param sid file id
     * @return {@code SION_KEYVAL_NONE} or {@code SION_KEYVAL_INLINE}; -1 without such a file
     */
    public static int sion_get_keyval_mode(int sid) {
        return call("sion_get_keyval_mode", sid, SION_SIZE_NOT_VALID, file -> {
            boolean records = file.output != null
                    ? file.output.isKeyValue()
                    : file.input().header().keyValue();
            return records ? SION_KEYVAL_INLINE : SION_KEYVAL_NONE;
        });
    }

    /**
     * Returns the name of a key/value mode.
     *
     * @param type a result of {@link #sion_get_keyval_mode}
     * @return the name of the constant; {@code unknown} for any other number
     */
    public static String sion_keyval_type_to_str(int type) {
        return switch (type) {
            case SION_KEYVAL_NONE -> "SION_KEYVAL_NONE";
            case SION_KEYVAL_INLINE -> "SION_KEYVAL_INLINE";
            default -> "unknown";
        };
    }

    /**
     * Returns the version of C SIONlib that new files name.
     *
     * @param mainVersion filled with 1
     * @param subVersion filled with 7
     * @param patchLevel filled with 6
     * @param fileformatVersion filled with 5
     * @return 1
     */
    public static int sion_get_version(int[] mainVersion, int[] subVersion, int[] patchLevel, int[] fileformatVersion) {
        mainVersion[0] = Header.VERSION / 1000;
        subVersion[0] = Header.VERSION % 1000;
        patchLevel[0] = Header.PATCH_LEVEL;
        fileformatVersion[0] = Header.FORMAT_VERSION;
        return SION_SUCCESS;
    }

    /**
     * Copies items, and turns the order of their bytes around if asked.
     *
     * @param target room for {@code size * n} bytes; may be {@code source}
     * @param source at least {@code size * n} remaining bytes
     * @param size bytes of an item
     * @param n number of items
     * @param doSwap 0 to copy only
     */
    public static void sion_swap(ByteBuffer target, ByteBuffer source, int size, int n, int doSwap) {
        ByteBuffer from = part(source, size, n);
        ByteBuffer to = part(target, size, n);
        byte[] item = new byte[size];
        for (int i = 0; i < n; i++) {
            from.get(item);
            for (int b = 0; b < size; b++) {
                to.put(item[doSwap == 0 ? b : size - 1 - b]);
            }
        }
    }
}
