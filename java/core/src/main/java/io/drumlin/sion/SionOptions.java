package io.drumlin.sion;

import io.drumlin.comm.Communicator;
import io.drumlin.storage.StorageEngine;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * How a file is opened. What is not said is as C SIONlib has it. Immutable; each method returns changed options.
 *
 * <p>All ranks that open a file together give equal options, but for the communicator of {@link #localCommunicator}.
 */
public final class SionOptions {

    private int fsBlockSize;
    private int files = 1;
    private Optional<Communicator> localCommunicator = Optional.empty();
    private ByteOrder metadataOrder = ByteOrder.nativeOrder();
    private ByteOrder payloadOrder = ByteOrder.nativeOrder();
    private boolean keyValue;
    private boolean collective;
    private int groupSize;
    private boolean merge;
    private int buddies;
    private boolean buffered;
    private Optional<StorageEngine> storage = Optional.empty();

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
        buffered = other.buffered;
        storage = other.storage;
    }

    /**
     * One file, plain streams, in the byte order of this machine, with the block size of the file system.
     *
     * @return the options to begin with
     */
    public static SionOptions defaults() {
        return new SionOptions();
    }

    /**
     * Sets the size to which chunks are aligned. Writing only.
     *
     * @param bytes above 0; it need not be that of the file system, which is taken if this is not called
     * @return changed options
     */
    public SionOptions fsBlockSize(int bytes) {
        require(bytes > 0, "a block size above 0 is needed, not " + bytes);
        SionOptions changed = new SionOptions(this);
        changed.fsBlockSize = bytes;
        return changed;
    }

    /**
     * Spreads the tasks over several physical files, equally many in each. Writing by several ranks only.
     *
     * @param number 1 or more, at most the number of tasks
     * @return changed options
     */
    public SionOptions files(int number) {
        require(number > 0, "1 file or more is needed, not " + number);
        SionOptions changed = new SionOptions(this);
        changed.files = number;
        return changed;
    }

    /**
     * Gives each local communicator a physical file of its own, whatever {@link #files} says. Writing by several ranks only.
     *
     * @param local made by splitting the communicator of the file; stays the caller's
     * @return changed options
     */
    public SionOptions localCommunicator(Communicator local) {
        SionOptions changed = new SionOptions(this);
        changed.localCommunicator = Optional.of(local);
        return changed;
    }

    /**
     * Sets the byte order of the metadata. Writing only.
     *
     * @param order C SIONlib writes that of its machine, and reads both
     * @return changed options
     */
    public SionOptions metadataOrder(ByteOrder order) {
        SionOptions changed = new SionOptions(this);
        changed.metadataOrder = order;
        return changed;
    }

    /**
     * Says in which byte order the data are, for those who read them. Arrays are written in it; bytes are never swapped.
     * Writing only.
     *
     * @param order of the data
     * @return changed options
     */
    public SionOptions payloadOrder(ByteOrder order) {
        SionOptions changed = new SionOptions(this);
        changed.payloadOrder = order;
        return changed;
    }

    /**
     * Lets each task hold records with keys instead of a plain stream. Writing only; a file says itself what it is.
     *
     * @return changed options
     */
    public SionOptions keyValue() {
        SionOptions changed = new SionOptions(this);
        changed.keyValue = true;
        return changed;
    }

    /**
     * Lets few tasks, the collectors, write for groups of tasks in {@link SionOutput#writeCollective}. Writing only: each task
     * reads for itself.
     *
     * @param size tasks that a group is to have; it sets how many groups are aimed at. 0 chooses by the number of tasks
     * @return changed options
     */
    public SionOptions collective(int size) {
        require(size >= 0, "a group of 0 tasks or more is needed, not " + size);
        SionOptions changed = new SionOptions(this);
        changed.collective = true;
        changed.groupSize = size;
        return changed;
    }

    /**
     * Like {@link #collective}, and the data of a group go into the stream of its collector, one behind the other; whose
     * they were is not kept. Writing only.
     *
     * @param size as for {@link #collective}
     * @return changed options
     */
    public SionOptions merge(int size) {
        SionOptions changed = collective(size);
        changed.merge = true;
        return changed;
    }

    /**
     * Writes copies of each physical file, by the tasks of another one; if a file is lost, reading takes a copy. Needs
     * several physical files and {@link SionOutput#writeCollective}; neither key/value mode nor merging goes with it. Copies that a file
     * of this name had before are deleted when it is created. Writing only.
     *
     * @param copies 0 or more, below the number of files
     * @return changed options
     */
    public SionOptions buddies(int copies) {
        require(copies >= 0, "0 copies or more are needed, not " + copies);
        SionOptions changed = new SionOptions(this);
        changed.buddies = copies;
        return changed;
    }

    /**
     * Goes through the page cache. Without it, chunks that are aligned to 4096 bytes are written and read past it.
     *
     * @return changed options
     */
    public SionOptions buffered() {
        SionOptions changed = new SionOptions(this);
        changed.buffered = true;
        return changed;
    }

    /**
     * Sets what moves the bytes.
     *
     * @param engine the best one is taken if this is not called
     * @return changed options
     */
    public SionOptions storage(StorageEngine engine) {
        SionOptions changed = new SionOptions(this);
        changed.storage = Optional.of(engine);
        return changed;
    }

    /** 0 for that of the file system. */
    int fsBlockSize() {
        return fsBlockSize;
    }

    int files() {
        return files;
    }

    Optional<Communicator> localCommunicator() {
        return localCommunicator;
    }

    ByteOrder metadataOrder() {
        return metadataOrder;
    }

    ByteOrder payloadOrder() {
        return payloadOrder;
    }

    boolean isKeyValue() {
        return keyValue;
    }

    boolean isCollective() {
        return collective;
    }

    int groupSize() {
        return groupSize;
    }

    boolean isMerge() {
        return merge;
    }

    int buddies() {
        return buddies;
    }

    boolean isBuffered() {
        return buffered;
    }

    Optional<StorageEngine> storage() {
        return storage;
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
