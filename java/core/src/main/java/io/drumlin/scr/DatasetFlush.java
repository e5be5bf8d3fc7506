package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.format.kvtree.KvTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Brings datasets into the prefix directory and keeps what is said there about them: index, summary, map and flush file
 * (docs/formats/scr.md, sections 5, 7 and 8). All calls but {@link #isDue} are collective.
 */
final class DatasetFlush {

    private final ScrSettings settings;
    private final Communicator world;
    private final KvTreeStore store;
    private final ScrPrefix prefix;
    private final IndexFile index;
    private final DatasetCache cache;

    DatasetFlush(ScrSettings settings, Communicator world, KvTreeStore store, ScrPrefix prefix, DatasetCache cache) {
        this.settings = settings;
        this.world = world;
        this.store = store;
        this.prefix = prefix;
        this.index = new IndexFile(prefix, store.storage());
        this.cache = cache;
    }

    /** Whether a dataset that was just completed is to be copied. */
    boolean isDue(DatasetDescriptor descriptor) throws DrumlinException {
        int every = settings.integer("SCR_FLUSH");
        return descriptor.isOutput()
                || (every > 0 && descriptor.checkpoint().orElse(1) % every == 0 && descriptor.isCheckpoint());
    }

    /** Copies the newest checkpoint of the cache, if it is not in the prefix directory and any are to be copied. */
    void copyNewest() throws IOException {
        Optional<DatasetDescriptor> newest = cache.newestCheckpoint();
        if (newest.isPresent()
                && settings.integer("SCR_FLUSH") > 0
                && cache.flushFile().isFlushNeeded(newest.get().id().orElseThrow())) {
            copy(newest.get(), cache.readMap(newest.get()));
        }
    }

    /**
     * Copies a cached dataset to the prefix directory. Until the index says so, at the end, it counts as incomplete.
     *
     * @param files of this rank, as its filemap has them
     */
    void copy(DatasetDescriptor descriptor, KvTree files) throws IOException {
        int id = descriptor.id().orElseThrow();
        FileTransfer transfer = new FileTransfer(store);
        Root.run(world, "indexing dataset " + id, () -> index.update(each -> each.begin(descriptor)));
        cache.flushFile().change(states -> states.flushing(id));
        Agreement.run(world, "flushing dataset " + id, () -> {
            for (Map.Entry<String, KvTree> file : files.entries().entrySet()) {
                CachedFile cached = CachedFile.of(file.getValue());
                transfer.copy(
                        cache.locate(descriptor, file.getKey()), cached.place(prefix), cached.size(), cached.crc());
            }
        });
        publish(descriptor, files, false);
        cache.flushFile().change(states -> states.flushed(id, true));
    }

    /**
     * Writes map, summary and, last, the index of a dataset all of whose files are in the prefix directory.
     *
     * @param sync whether the files must be made durable first
     */
    void publish(DatasetDescriptor descriptor, KvTree files, boolean sync) throws IOException {
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
        Root.run(world, "completing dataset " + id, () -> {
            DatasetMetadata.of(prefix, id, store.storage()).write(descriptor, RankFiles.of(world.size(), all));
            index.update(each -> each.complete(descriptor, ScrIndex.now()));
            if (descriptor.isCheckpoint()) {
                new PrefixFiles(prefix, store).keepNewest(settings.integer("SCR_PREFIX_SIZE"), id);
            }
        });
    }
}
