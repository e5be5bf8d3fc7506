package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.cache.CachedFile;
import io.drumlin.scr.internal.cache.DatasetCache;
import io.drumlin.scr.internal.cache.FileNameTable;
import io.drumlin.scr.internal.cache.RestartCandidate;
import io.drumlin.scr.internal.flush.DatasetCounter;
import io.drumlin.scr.internal.flush.DatasetFetch;
import io.drumlin.scr.internal.flush.DatasetFlush;
import io.drumlin.scr.internal.flush.JobStart;
import io.drumlin.scr.internal.halt.HaltConditions;
import io.drumlin.scr.internal.halt.HaltFile;
import io.drumlin.scr.internal.halt.JobHalt;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.PrefixFiles;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.redundancy.NodeLayout;
import io.drumlin.scr.internal.settings.CheckpointIntervals;
import io.drumlin.scr.internal.settings.ScrSettings;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.RootRank;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Datasets that programs write and read with SCR. They are written to caches in the nodes, protected there, copied to
 * the prefix directory, and found again after a restart (docs/formats/scr.md).
 *
 * <p>To take a checkpoint, call {@link #needCheckpoint}, {@link #startOutput}, {@link #routeFile} for each file of this
 * rank, write the files, and call {@link #completeOutput}. To restart, call {@link #haveRestart},
 * {@link #startRestart}, {@link #routeFile}, read the files, and call {@link #completeRestart}. If that returns false,
 * begin the restart again.
 *
 * <p>All calls except {@link #routeFile} are collective over the communicator; a failure on one rank is a failure on
 * all. A call that does not fit the state throws an {@link IllegalStateException}. Not thread-safe.
 */
public final class ScrDatasets implements Closeable {

    private static final System.Logger LOG = System.getLogger(ScrDatasets.class.getName());

    private enum State {
        IDLE,
        OUTPUT,
        RESTART,
        CLOSED
    }

    private final ScrSettings settings;
    private final Communicator world;
    private final NodeLayout layout;
    private final KvTreeStore store;
    private final ScrPrefix prefix;
    private final IndexFile index;
    private final JobHalt halt;
    private final DatasetCache cache;
    private final DatasetFlush flush;
    private final DatasetFetch fetch;
    private final DatasetCounter counter;
    private final CheckpointIntervals intervals;

    private State state = State.IDLE;
    private boolean unknownRestart;
    private @Nullable Output output;
    private @Nullable RestartCandidate candidate;

    /** The dataset that is being written. */
    private record Output(DatasetDescriptor descriptor, boolean bypass, FileNameTable files) {}

    private ScrDatasets(ScrSettings settings, NodeLayout layout, Communicator world, StorageEngine storage)
            throws IOException {
        this.settings = settings;
        this.world = world;
        this.store = new KvTreeStore(storage);
        this.prefix = new ScrPrefix(settings.prefix());
        this.index = new IndexFile(prefix, storage);
        this.halt = new JobHalt(settings, world, new HaltFile(prefix, storage));
        this.layout = layout;
        this.cache = new DatasetCache(store, world, layout, settings, prefix);
        this.flush = new DatasetFlush(settings, world, store, prefix, cache);
        this.fetch = new DatasetFetch(settings, world, store, prefix, cache);
        this.counter = new DatasetCounter(prefix, settings, world);
        this.intervals = new CheckpointIntervals(settings);
    }

    /**
     * Begins: rebuilds the files that the caches have lost, and finds where to continue. Collective.
     *
     * @param config parameters; their files are read here
     * @param comm all ranks; duplicated
     * @param storage the engine that writes the files
     * @return datasets, which the caller must close
     * @throws IOException a directory cannot be used, a parameter is wrong, or the dataset from which a restart would
     *     begin was written by another number of ranks
     */
    public static ScrDatasets open(ScrConfig config, Communicator comm, StorageEngine storage) throws IOException {
        Communicator world = comm.dup();
        try {
            return open(config, storage, world);
        } catch (Throwable e) {
            closeAfter(e, world::close);
            throw e;
        }
    }

    private static ScrDatasets open(ScrConfig config, StorageEngine storage, Communicator world) throws IOException {
        String operation = "reading the configuration of SCR";
        ScrSettings settings = Agreement.call(world, operation, () -> {
            ScrSettings read = config.read();
            if (!read.flag("SCR_ENABLE")) {
                throw DrumlinException.during("opening datasets")
                        .problem("SCR_ENABLE is 0")
                        .advice("unset it, or do without datasets")
                        .exception();
            }
            return read;
        });
        String node = Agreement.call(world, operation, settings::node);
        if (world.rank() == 0) {
            warnOfUnused(settings);
        }
        NodeLayout layout = new NodeLayout(world, node);
        try {
            ScrDatasets datasets = new ScrDatasets(settings, layout, world, storage);
            new JobStart(settings, world, layout, datasets.prefix, datasets.cache, datasets.flush)
                    .run(config.program(), storage);
            if (settings.flag("SCR_FETCH") && datasets.cache.newestCheckpoint().isEmpty()) {
                datasets.fetch.requireRanks();
            }
            datasets.counter.findLast(datasets.index, datasets.cache);
            return datasets;
        } catch (Throwable e) {
            closeAfter(e, layout);
            throw e;
        }
    }

    private static void closeAfter(Throwable failure, Closeable opened) {
        try {
            opened.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private static void warnOfUnused(ScrSettings settings) {
        List<String> unused = ScrConfig.unused(settings);
        if (!unused.isEmpty()) {
            LOG.log(System.Logger.Level.WARNING, "nothing follows from " + String.join(", ", unused));
        }
    }

    /**
     * Returns whether the program should take a checkpoint now. Collective.
     *
     * @return true if SCR_CHECKPOINT_INTERVAL, _SECONDS or _OVERHEAD ask for a checkpoint, or the job must halt
     * @throws IOException the halt file cannot be read, or the background copy of a dataset failed
     */
    public boolean needCheckpoint() throws IOException {
        require(State.IDLE);
        flush.poll();
        // The clock of rank 0 decides.
        boolean due = Agreement.any(world, world.rank() == 0 && intervals.isDue());
        return halt.reason().isPresent() || due;
    }

    /**
     * Returns whether the job must halt. Collective.
     *
     * @return the answer of the halt file
     * @throws IOException the halt file cannot be read
     */
    public boolean shouldExit() throws IOException {
        return halt.reason().isPresent();
    }

    /**
     * Begins a dataset. The oldest ones leave the cache to make room. Collective.
     *
     * @param name the same on all ranks, unique in the prefix directory; {@code null} for {@code scr.dataset.ID}
     * @param checkpoint whether the program can restart from it
     * @param mustFlush whether it must reach the prefix directory
     * @throws IOException the caches or the index cannot be changed, or the background copy of a dataset failed; no
     *     dataset was begun
     * @throws IllegalStateException another dataset was begun, or the last {@link #haveRestart} failed
     */
    public void startOutput(@Nullable String name, boolean checkpoint, boolean mustFlush) throws IOException {
        require(State.IDLE);
        if (unknownRestart) {
            throw new IllegalStateException("haveRestart failed, and there may be a checkpoint that the new ones would"
                    + " replace; call it again, or begin without a restart by SCR_FETCH=0");
        }
        flush.poll();
        DatasetDescriptor descriptor = counter.next(name, checkpoint, mustFlush);
        boolean bypass = settings.descriptor(descriptor).bypass();
        if (bypass) {
            onRoot("indexing a dataset", () -> index.update(each -> each.begin(descriptor)));
        } else {
            waitForFlushOf(cache.evicted());
            cache.begin(descriptor);
        }
        counter.begun(descriptor);
        int id = descriptor.id().orElseThrow();
        FileNameTable files = bypass ? new FileNameTable(store, prefix, world, prefix.path()) : cache.names(id);
        output = new Output(descriptor, bypass, files);
        candidate = null;
        intervals.begin();
        state = State.OUTPUT;
    }

    private void waitForFlushOf(List<Integer> leaving) throws IOException {
        if (leaving.stream().anyMatch(flush::isRunning)) {
            flush.finish();
        }
    }

    /**
     * Returns the path at which to write or read a file of this rank. A path for writing holds until
     * {@link #completeOutput}, which moves the file to its place in the cache. Not collective. Unlike in SCR, files of
     * a node with equal last names do not collide.
     *
     * @param file the path that the program wants, in the prefix directory; in a restart the last name is enough
     * @return the current path
     * @throws IOException the file is outside the prefix directory or, in a restart, is not a file of this rank
     */
    public Path routeFile(Path file) throws IOException {
        if (state == State.RESTART && candidate != null) {
            return candidate.locate(file, prefix, world.rank());
        }
        if (state != State.OUTPUT || output == null) {
            return file;
        }
        return output.files().route(file);
    }

    /**
     * Ends the dataset: protects it in the caches and, if it is due, copies it to the prefix directory. With
     * SCR_FLUSH_ASYNC the program continues during the copy. {@link #needCheckpoint}, {@link #startOutput}, this method
     * and {@link #close} list the dataset once they find that all ranks have copied it. Collective.
     *
     * @param valid whether the files of this rank are good
     * @return whether the files of all ranks are good; if not, the dataset is given up
     * @throws IOException this dataset, or the one that was being copied, could not be protected or copied; the index
     *     does not list that one as complete
     */
    public boolean completeOutput(boolean valid) throws IOException {
        require(State.OUTPUT);
        state = State.IDLE;
        Output written = Objects.requireNonNull(output, "a dataset was begun");
        DatasetDescriptor descriptor = written.descriptor();
        int id = descriptor.id().orElseThrow();
        KvTree files = new KvTree();
        // Other ranks may still be writing to a file that this rank shares.
        world.barrier();
        IOException failure = written.bypass() ? null : settle(descriptor, written.files());
        if (failure == null) {
            failure = Agreement.attempt(
                    world,
                    "looking at the files of dataset " + id,
                    () -> files.merge(written.files().describe()));
        }
        long[] sums = {failure == null ? files.size() : 0, bytes(files)};
        world.allreduce(sums, Communicator.Op.SUM);
        boolean good = Agreement.all(world, valid && failure == null);
        descriptor.completed(sums[0], sums[1], good);
        if (!good) {
            if (!written.bypass()) {
                cache.delete(id);
            }
            Agreement.agree(world, "completing dataset " + id, failure);
            return false;
        }
        if (written.bypass()) {
            flush.finish();
            flush.publish(descriptor, files, true);
        } else {
            cache.complete(descriptor, files);
            if (flush.isDue(descriptor)) {
                flush.copy(descriptor, files, settings.flag("SCR_FLUSH_ASYNC"));
            } else {
                flush.poll();
            }
        }
        if (descriptor.isCheckpoint()) {
            halt.count();
        }
        intervals.end();
        return true;
    }

    /** Returns the failure of this rank; if there is one, every rank has one. */
    private @Nullable IOException settle(DatasetDescriptor descriptor, FileNameTable files) throws IOException {
        try {
            cache.settle(descriptor, files);
            return null;
        } catch (MeetingException e) {
            throw e;
        } catch (IOException e) {
            return e;
        }
    }

    private static long bytes(KvTree files) {
        return files.entries().values().stream()
                .mapToLong(file -> CachedFile.of(file).size().orElse(0))
                .sum();
    }

    /**
     * Finds a checkpoint to restart from: the newest in the caches, or else one of the prefix directory, which is
     * fetched. Collective.
     *
     * @return its name; empty if there is none
     * @throws IOException the index cannot be read or changed, an error that may pass kept a dataset from being
     *     fetched, or the next dataset to try was written by another number of ranks. No dataset can be begun before
     *     another call of this method succeeds
     */
    public Optional<String> haveRestart() throws IOException {
        require(State.IDLE);
        flush.finish();
        if (candidate == null) {
            unknownRestart = true;
            candidate = findRestart();
            unknownRestart = false;
        }
        return Optional.ofNullable(candidate).map(RestartCandidate::name);
    }

    private @Nullable RestartCandidate findRestart() throws IOException {
        RestartCandidate found = null;
        Optional<DatasetDescriptor> cached = cache.newestCheckpoint();
        if (cached.isPresent()) {
            found = cache.candidate(cached.get());
        } else if (!settings.flag("SCR_FETCH")) {
            return null;
        } else {
            found = fetch.find().orElse(null);
        }
        fetch.warnOfNewer(found == null ? -1 : found.id(), found == null ? "" : found.name());
        return found;
    }

    /**
     * Begins to restart from the checkpoint that {@link #haveRestart} found. Collective.
     *
     * @return the name of the checkpoint
     */
    public String startRestart() {
        require(State.IDLE);
        if (candidate == null) {
            throw new IllegalStateException("there is nothing to restart from; haveRestart says so");
        }
        state = State.RESTART;
        return candidate.name();
    }

    /**
     * Ends the restart. Collective.
     *
     * @param valid whether this rank could read its files
     * @return whether all ranks could; if not, the checkpoint counts as failed, and the next one may be tried
     * @throws IOException the failure could not be recorded
     */
    public boolean completeRestart(boolean valid) throws IOException {
        require(State.RESTART);
        state = State.IDLE;
        boolean good = Agreement.all(world, valid);
        RestartCandidate tried = Objects.requireNonNull(candidate, "a restart was begun");
        String name = tried.name();
        candidate = null;
        if (good) {
            return true;
        }
        change("noting a failure", each -> {
            if (each.record(name).isPresent()) {
                each.failed(name, ScrIndex.now());
            }
        });
        if (tried.cached()) {
            cache.delete(tried.id());
        }
        return false;
    }

    /**
     * Makes the next restart begin with a checkpoint. Collective.
     *
     * @param name the name of the checkpoint; nothing happens if the index lists no such checkpoint
     * @throws IOException the index could not be changed
     */
    public void current(String name) throws IOException {
        flush.finish();
        change("setting CURRENT", each -> {
            if (each.setCurrent(name) && settings.flag("SCR_DROP_AFTER_CURRENT")) {
                each.removeAfter(name);
            }
        });
    }

    /**
     * Removes a dataset from the index; its files stay. Collective.
     *
     * @param name the name of the dataset; nothing happens if the index does not list it
     * @throws IOException the index could not be changed
     */
    public void drop(String name) throws IOException {
        flush.finish();
        change("dropping dataset " + name, each -> each.remove(name));
    }

    /**
     * Deletes a dataset: its files in the prefix directory and in the caches, and its record. Collective.
     *
     * @param name the name of the dataset; nothing happens if the index does not list it
     * @throws IOException something could not be deleted; the index may have forgotten it nevertheless
     */
    public void delete(String name) throws IOException {
        flush.finish();
        for (var cached : Map.copyOf(cache.datasets()).entrySet()) {
            if (cached.getValue().name().filter(name::equals).isPresent()) {
                cache.delete(cached.getKey());
            }
        }
        onRoot("deleting dataset " + name, () -> new PrefixFiles(prefix, store).delete(name));
    }

    /** Changes the index, if there is one. */
    private void change(String operation, IndexFile.Change change) throws IOException {
        onRoot(operation, () -> {
            if (PathStatus.exists(index.path())) {
                index.update(change);
            }
        });
    }

    private void onRoot(String operation, Agreement.Step step) throws IOException {
        RootRank.run(world, operation, step);
    }

    private void require(State wanted) {
        if (state != wanted) {
            throw new IllegalStateException("this call needs the state " + wanted + ", but it is " + state);
        }
    }

    /**
     * Ends: copies the newest checkpoint to the prefix directory if SCR_FLUSH is above 0 and it is not there, and
     * records that the job ended by itself. A second call does nothing. Collective.
     *
     * @throws IOException a checkpoint could not be copied
     */
    @Override
    public void close() throws IOException {
        if (state != State.CLOSED) {
            close(HaltConditions.FINALIZED);
        }
    }

    private void close(String reason) throws IOException {
        state = State.CLOSED;
        try {
            IOException failure = Agreement.attempt(world, "ending a flush", flush::finish);
            flush.copyNewest();
            halt.finish(reason);
            Agreement.agree(world, "ending a flush", failure);
        } finally {
            layout.close();
            world.close();
        }
    }

    /**
     * Ends like {@link #close} if the job must halt and SCR_HALT_EXIT is 1, and records the reason. The program should
     * then end with exit status 0. {@link SCR} does so at the end of {@code SCR_Init} and of
     * {@code SCR_Complete_output} of a checkpoint. Collective.
     *
     * @return the reason; empty if the program should continue
     * @throws IOException the halt file cannot be read, or a checkpoint could not be copied
     */
    public Optional<String> closeIfHalted() throws IOException {
        require(State.IDLE);
        if (!settings.flag("SCR_HALT_EXIT")) {
            return Optional.empty();
        }
        Optional<String> reason = halt.reason();
        if (reason.isPresent()) {
            close(reason.get());
        }
        return reason;
    }
}
