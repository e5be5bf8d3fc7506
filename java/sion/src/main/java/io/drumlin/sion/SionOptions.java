package io.drumlin.sion;

import io.drumlin.comm.Communicator;
import io.drumlin.storage.StorageEngine;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The options with which a file is opened. The defaults are those of C SIONlib. Immutable: each method returns changed
 * options.
 *
 * <p>All ranks that open a file together must give equal options, except for the communicator of
 * {@link #localCommunicator}.
 */
public final class SionOptions {

    // The package reads these; only change() sets them.
    /** The block size, or 0 for that of the file system. */
    int fsBlockSize;

    int files = 1;
    Optional<Communicator> localCommunicator = Optional.empty();
    ByteOrder metadataOrder = ByteOrder.nativeOrder();
    ByteOrder payloadOrder = ByteOrder.nativeOrder();
    boolean keyValue;
    boolean collective;
    int groupSize;
    boolean merge;
    int buddies;
    SionIo io = SionIo.DIRECT;
    Map<String, String> hints = Map.of();
    Optional<StorageEngine> storage = Optional.empty();

    private SionOptions() {}

    private SionOptions(SionOptions other) {
        fsBlockSize = other.fsBlockSize;
        files = other.files;
        localCommunicator = other.localCommunicator;
        metadataOrder = other.metadataOrder;
        payloadOrder = other.payloadOrder;
        keyValue = other.keyValue;
        collective = other.collective;
        groupSize = other.groupSize;
        merge = other.merge;
        buddies = other.buddies;
        io = other.io;
        hints = other.hints;
        storage = other.storage;
    }

    private SionOptions change(Consumer<SionOptions> change) {
        SionOptions changed = new SionOptions(this);
        change.accept(changed);
        return changed;
    }

    /**
     * Returns the defaults: one file, plain streams, the byte order of this machine, the block size of the file system.
     *
     * @return the defaults
     */
    public static SionOptions defaults() {
        return new SionOptions();
    }

    /**
     * Sets the size to which chunks are aligned. Writing only.
     *
     * @param bytes above 0; it may differ from the block size of the file system, which is the default
     * @return changed options
     */
    public SionOptions fsBlockSize(int bytes) {
        require(bytes > 0, "a block size above 0 is needed, not " + bytes);
        return change(changed -> changed.fsBlockSize = bytes);
    }

    /**
     * Spreads the tasks over several physical files, with the same number in each. Writing by several ranks only.
     *
     * @param number number of files, from 1 to the number of tasks
     * @return changed options
     */
    public SionOptions files(int number) {
        require(number > 0, "1 file or more is needed, not " + number);
        return change(changed -> changed.files = number);
    }

    /**
     * Gives each local communicator a physical file of its own, whatever {@link #files} says. Writing by several ranks
     * only.
     *
     * @param local a part of the file's communicator, made by splitting it; the caller keeps it
     * @return changed options
     */
    public SionOptions localCommunicator(Communicator local) {
        return change(changed -> changed.localCommunicator = Optional.of(local));
    }

    /**
     * Sets the byte order of the metadata. Writing only.
     *
     * @param order the byte order; C SIONlib writes that of its machine and reads both
     * @return changed options
     */
    public SionOptions metadataOrder(ByteOrder order) {
        return change(changed -> changed.metadataOrder = order);
    }

    /**
     * Sets the byte order of the data, which readers find in the file. Arrays are written in this order; bytes are
     * never swapped. Writing only.
     *
     * @param order byte order of the data
     * @return changed options
     */
    public SionOptions payloadOrder(ByteOrder order) {
        return change(changed -> changed.payloadOrder = order);
    }

    /**
     * Makes each task hold records with keys instead of a plain stream. Writing only; a reader finds it in the file.
     *
     * @return changed options
     */
    public SionOptions keyValue() {
        return change(changed -> changed.keyValue = true);
    }

    /**
     * Makes a few tasks, the collectors, write for groups of tasks in {@link SionOutput#writeCollective}. Writing only:
     * each task reads for itself.
     *
     * @param size desired number of tasks in a group, which sets the desired number of groups; 0 derives it from the
     *     number of tasks
     * @return changed options
     */
    public SionOptions collective(int size) {
        require(size >= 0, "a group of 0 tasks or more is needed, not " + size);
        return change(changed -> {
            changed.collective = true;
            changed.groupSize = size;
        });
    }

    /**
     * Works like {@link #collective}, but the data of a group go into the stream of its collector, one task after the
     * other. The file does not record whose data they were. Writing only.
     *
     * @param size desired number of tasks in a group, as in {@link #collective}
     * @return changed options
     */
    public SionOptions merge(int size) {
        return collective(size).change(changed -> changed.merge = true);
    }

    /**
     * Makes the tasks of each physical file write copies of another one. If a file is lost, readers use a copy. Needs
     * several physical files and {@link SionOutput#writeCollective}. Cannot be combined with key/value mode or merging.
     * Creating a file deletes the copies of an older file of that name. Writing only.
     *
     * @param copies number of copies, 0 or more, below the number of files
     * @return changed options
     */
    public SionOptions buddies(int copies) {
        require(copies >= 0, "0 copies or more are needed, not " + copies);
        return change(changed -> changed.buddies = copies);
    }

    /**
     * Uses the page cache: {@link #io} with {@link SionIo#BUFFERED}.
     *
     * @return changed options
     */
    public SionOptions buffered() {
        return io(SionIo.BUFFERED);
    }

    /**
     * Sets how the data of tasks get into the file and out of it.
     *
     * @param io the way; {@link SionIo#DIRECT} is the default
     * @return changed options
     */
    public SionOptions io(SionIo io) {
        return change(changed -> changed.io = io);
    }

    /**
     * Adds a hint for {@link SionIo#MPI_IO}: a key of {@code MPI_Info} such as {@code striping_unit},
     * {@code striping_factor} or {@code romio_ds_write}. MPI ignores keys that it does not know. Hints for collective
     * transfers, such as {@code cb_nodes}, reach MPI and change nothing, because each rank transfers its own chunks.
     *
     * @param key the key, without {@code =} and line ends
     * @param value the value, without line ends
     * @return changed options
     */
    public SionOptions hint(String key, String value) {
        require(
                !key.isEmpty() && key.indexOf('=') < 0 && isLine(key) && !value.isEmpty() && isLine(value),
                "a hint has a key without = and a value, both in one line, not \"" + key + "=" + value + "\"");
        Map<String, String> more = new TreeMap<>(hints);
        more.put(key, value);
        return change(changed -> changed.hints = Map.copyOf(more));
    }

    private static boolean isLine(String text) {
        return text.indexOf('\n') < 0 && text.indexOf('\0') < 0;
    }

    /**
     * Sets the storage engine that moves the bytes.
     *
     * @param engine the engine; the default is the best one available
     * @return changed options
     */
    public SionOptions storage(StorageEngine engine) {
        return change(changed -> changed.storage = Optional.of(engine));
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
