package io.drumlin.scr.internal.flush;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.cache.CachedDataset;
import io.drumlin.scr.internal.cache.CachedFile;
import io.drumlin.scr.internal.cache.DatasetCache;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.PrefixFiles;
import io.drumlin.scr.internal.index.RankFiles;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.settings.ScrSettings;
import io.drumlin.scr.internal.store.FileTransfer;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.Messages;
import io.drumlin.scr.internal.store.Pace;
import io.drumlin.scr.internal.store.RootRank;
import io.drumlin.scr.internal.store.ScrPrefix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Copies datasets to the prefix directory and maintains their records there: index, summary, map and flush file
 * (docs/formats/scr.md, sections 5, 7 and 8). All calls are collective unless they say otherwise.
 */
public final class DatasetFlush {

    private static final System.Logger LOG = System.getLogger(DatasetFlush.class.getName());

    private final ScrSettings settings;
    private final Communicator world;
    private final KvTreeStore store;
    private final ScrPrefix prefix;
    private final IndexFile index;
    private final DatasetCache cache;
    private @Nullable Running running;

    /** The dataset that is being copied, the same on all ranks. */
    private record Running(DatasetDescriptor descriptor, KvTree files, FlushThread thread, Pace pace) {}

    public DatasetFlush(
            ScrSettings settings, Communicator world, KvTreeStore store, ScrPrefix prefix, DatasetCache cache) {
        this.settings = settings;
        this.world = world;
        this.store = store;
        this.prefix = prefix;
        this.index = new IndexFile(prefix, store.storage());
        this.cache = cache;
    }

    /** Returns whether a dataset is due to be copied. Not collective. */
    public boolean isDue(DatasetDescriptor descriptor) throws DrumlinException {
        int every = settings.integer("SCR_FLUSH");
        return descriptor.isOutput()
                || (every > 0 && descriptor.checkpoint().orElse(1) % every == 0 && descriptor.isCheckpoint());
    }

    /** Copies the newest checkpoint of the cache, if copying is enabled and the prefix directory does not have it. */
    public void copyNewest() throws IOException {
        Optional<DatasetDescriptor> newest = cache.newestCheckpoint();
        if (newest.isPresent() && settings.integer("SCR_FLUSH") > 0) {
            copyIfNeeded(newest.get());
        }
    }

    /**
     * Copies the datasets that an earlier job left in the caches only: those that were due, or all of them with
     * SCR_FLUSH_ON_RESTART.
     */
    void copyLeft() throws IOException {
        boolean all = settings.flag("SCR_FLUSH_ON_RESTART");
        for (DatasetDescriptor each : List.copyOf(cache.datasets().values())) {
            if (all || isDue(each)) {
                copyIfNeeded(each);
            }
        }
    }

    private void copyIfNeeded(DatasetDescriptor descriptor) throws IOException {
        if (cache.flushFile().isFlushNeeded(descriptor.id().orElseThrow())) {
            copy(descriptor, cache.readMap(descriptor), false);
        }
    }

    /**
     * Copies a cached dataset to the prefix directory. It counts as incomplete until the index lists it, which happens
     * last. Waits first for a copy that is under way.
     *
     * @param files the files of this rank, as its filemap has them
     * @param background whether the program continues meanwhile, until {@link #poll} or {@link #finish} find the copy
     *     done
     */
    public void copy(DatasetDescriptor descriptor, KvTree files, boolean background) throws IOException {
        finish();
        int id = descriptor.id().orElseThrow();
        Pace pace = background ? Pace.of(settings.bytes("SCR_FLUSH_ASYNC_BW"), world.size()) : Pace.unlimited();
        RootRank.run(world, "indexing dataset " + id, () -> {
            index.update(each -> each.begin(descriptor));
            new PrefixFiles(prefix, store).deleteMetadata(prefix.metadata(id));
            if (background) {
                metadata(id).writeOrder(descriptor, world.size());
            }
        });
        cache.flushFile().change(states -> states.flushing(id, background));
        FlushThread thread = new FlushThread(id, () -> {
            copyFiles(descriptor, files, pace);
            if (background) {
                // If nobody lists the dataset because the job dies, the next one can.
                CachedDataset.writeMap(store, metadata(id).filemap(world.rank()), files);
            }
        });
        running = new Running(descriptor, files, thread, pace);
        thread.start();
        if (!background) {
            finish();
        }
    }

    private void copyFiles(DatasetDescriptor descriptor, KvTree files, Pace pace) throws IOException {
        FileTransfer transfer = new FileTransfer(store, pace);
        for (Map.Entry<String, KvTree> file : files.entries().entrySet()) {
            CachedFile cached = CachedFile.of(file.getValue());
            Path from = cache.locate(descriptor, file.getKey());
            transfer.copy(from, cached.place(prefix), cached.meta(), cached.size(), cached.crc());
        }
    }

    /** Returns whether a dataset is still being copied. Not collective. */
    public boolean isRunning(int id) {
        return running != null && running.descriptor().id().orElse(-1) == id;
    }

    /** Lists the copied dataset once all ranks have finished the copy. */
    public void poll() throws IOException {
        if (running != null) {
            if (Agreement.all(world, running.thread().isDone())) {
                finish();
            }
        }
    }

    /**
     * Waits for the copy that is under way and lists its dataset.
     *
     * @throws IOException the dataset could not be copied; it is in the caches only
     */
    public void finish() throws IOException {
        Running ending = running;
        if (ending == null) {
            return;
        }
        running = null;
        // The program does nothing but wait for the copy now.
        ending.pace().lift();
        int id = ending.descriptor().id().orElseThrow();
        try {
            Agreement.agree(world, "flushing dataset " + id, ending.thread().await());
            publish(ending.descriptor(), ending.files(), false);
        } catch (MeetingException e) {
            // Other ranks may have listed it.
            throw e;
        } catch (IOException e) {
            try {
                cache.flushFile().change(states -> states.flushed(id, false));
            } catch (IOException more) {
                e.addSuppressed(more);
            }
            throw e;
        }
        cache.flushFile().change(states -> states.flushed(id, true));
        Agreement.attempt(world, "deleting a map", () -> store.storage()
                .delete(metadata(id).filemap(world.rank())));
    }

    /**
     * Writes the map, the summary and, last, the index record of a dataset whose files are all in the prefix directory.
     * Rank 0 must see all of them: what a node writes elsewhere, because the prefix directory is not mounted there, is
     * lost.
     *
     * @param sync whether the files must be made durable first
     */
    public void publish(DatasetDescriptor descriptor, KvTree files, boolean sync) throws IOException {
        int id = descriptor.id().orElseThrow();
        KvTree own = new KvTree();
        Agreement.run(world, "describing dataset " + id, () -> {
            KvTree entry = own.add(Integer.toString(world.rank()));
            for (KvTree file : files.entries().values()) {
                CachedFile cached = CachedFile.of(file);
                Path place = cached.place(prefix);
                cached.describe(entry.add(prefix.path().relativize(place).toString()));
                if (sync) {
                    new PrefixFiles(prefix, store).sync(place);
                }
            }
        });
        KvTree all = Messages.gather(world, own, 0);
        RootRank.run(world, "completing dataset " + id, () -> {
            RankFiles map = RankFiles.of(world.size(), all);
            metadata(id).requireVisible(map);
            metadata(id).write(descriptor, map);
            index.update(each -> each.complete(descriptor, ScrIndex.now()));
            store.storage().delete(metadata(id).order());
            if (descriptor.isCheckpoint()) {
                deleteOld(id);
            }
        });
    }

    private DatasetMetadata metadata(int id) {
        return DatasetMetadata.of(prefix, id, store.storage());
    }

    /** The dataset is complete and listed, even if older ones cannot be deleted. */
    private void deleteOld(int id) {
        try {
            new PrefixFiles(prefix, store).keepNewest(settings.integer("SCR_PREFIX_SIZE"), id);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "older datasets than " + id + " were not deleted", e);
        }
    }

    /**
     * Copies the files of one rank while the program continues. It does not communicate with other ranks; its starter does
     * so later.
     */
    private static final class FlushThread {

        private final Thread thread;
        private @Nullable IOException failure;

        FlushThread(int id, Agreement.Step copy) {
            thread = new Thread(() -> run(id, copy), "drumlin-flush-" + id);
            thread.setDaemon(true);
        }

        private void run(int id, Agreement.Step copy) {
            try {
                copy.run();
            } catch (IOException e) {
                failure = e;
            } catch (Throwable e) {
                failure = DrumlinException.during("flushing dataset " + id)
                        .cause(e)
                        .advice("this is an error of the program or of Drumlin, see the cause")
                        .exception();
            }
        }

        void start() {
            thread.start();
        }

        boolean isDone() {
            return !thread.isAlive();
        }

        /**
         * Waits for the end. Returns the failure, if there was one. Other ranks wait too, so an interrupt is kept for
         * later.
         */
        @Nullable
        IOException await() {
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return failure;
        }
    }
}
