package io.drumlin.scr.internal.flush;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.internal.Printable;
import io.drumlin.scr.internal.cache.DatasetCache;
import io.drumlin.scr.internal.cache.FileNameTable;
import io.drumlin.scr.internal.cache.RestartCandidate;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexFormat;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.index.RestartSearch;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.settings.ScrSettings;
import io.drumlin.scr.internal.store.FileStat;
import io.drumlin.scr.internal.store.FileTransfer;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.Messages;
import io.drumlin.scr.internal.store.RootRank;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.IoFailures;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Brings a checkpoint back from the prefix directory (docs/formats/scr.md, section 6). All calls are collective. */
public final class DatasetFetch {

    private static final System.Logger LOG = System.getLogger(DatasetFetch.class.getName());

    private final ScrSettings settings;
    private final Communicator world;
    private final KvTreeStore store;
    private final ScrPrefix prefix;
    private final IndexFile index;
    private final DatasetCache cache;

    public DatasetFetch(
            ScrSettings settings, Communicator world, KvTreeStore store, ScrPrefix prefix, DatasetCache cache) {
        this.settings = settings;
        this.world = world;
        this.store = store;
        this.prefix = prefix;
        this.index = new IndexFile(prefix, store.storage());
        this.cache = cache;
    }

    /**
     * Requires that the checkpoint from which a restart begins was written by as many ranks as there are.
     *
     * @throws IOException it was not
     */
    public void requireRanks() throws IOException {
        applyCurrent();
        ScrIndex read = readIndex();
        onRoot("looking for a restart", () -> next(new RestartSearch(read), read));
    }

    private ScrIndex readIndex() throws IOException {
        ScrIndex empty = ScrIndex.empty(IndexFormat.FLAT);
        return RootRank.call(
                world, "reading the index", empty, () -> PathStatus.exists(index.path()) ? index.read() : empty);
    }

    /** Returns the first checkpoint, in the order of a restart, that can be fetched. */
    public Optional<RestartCandidate> find() throws IOException {
        applyCurrent();
        ScrIndex read = readIndex();
        RestartSearch search = new RestartSearch(read);
        List<String> missing = new ArrayList<>();
        while (true) {
            String name = Agreement.ofFirst(world, "looking for a restart", () -> {
                String tried = next(search, read);
                if (!tried.isEmpty()) {
                    change(read, each -> each.fetching(tried, ScrIndex.now()));
                }
                return tried;
            });
            if (name.isEmpty()) {
                return Optional.empty();
            }
            KvTree ranks = new KvTree();
            KvTree descriptor = new KvTree();
            boolean seen = false;
            try {
                onRoot("fetching dataset " + name, () -> find(name, read, ranks, descriptor));
                seen = true;
                RestartCandidate candidate = fetch(descriptor, ranks);
                onRoot("setting CURRENT", () -> {
                    if (missing.isEmpty()) {
                        change(read, each -> each.fetched(name));
                    }
                });
                return Optional.of(candidate);
            } catch (MeetingException e) {
                // The failure says nothing about the dataset.
                throw e;
            } catch (IOException e) {
                requireNoneToPass(e, seen);
                onRoot("noting a failure", () -> noteFailure(name, read, e, missing));
            }
        }
    }

    /** Returns the next dataset to try; empty if there is none left. Refuses one of another number of ranks. */
    private String next(RestartSearch search, ScrIndex read) throws IOException {
        String name = search.next().orElse("");
        Optional<IndexRecord> record = read.record(name);
        if (record.isPresent()) {
            int ranks = 0;
            try {
                ranks = DatasetMetadata.of(prefix, record.get(), store.storage())
                        .readRanks();
            } catch (IOException e) {
                // The fetch will tell.
                KvTreeStore.requireDamage(e);
            }
            if (ranks > 0 && ranks != world.size()) {
                throw DrumlinException.during("looking for a restart")
                        .path(prefix.path())
                        .problem("dataset " + name + " was written by " + ranks + " ranks, but there are "
                                + world.size())
                        .advice("start " + ranks + " ranks; or choose another dataset by drumlin index current, or"
                                + " begin without a restart by SCR_FETCH=0. Nothing was changed")
                        .exception();
            }
        }
        return name;
    }

    /**
     * Records a failure in the index. A dataset that is missing is passed over in this search only, because it may be
     * back at the next start: neither is it marked, nor is CURRENT set to another one.
     */
    private void noteFailure(String name, ScrIndex read, IOException failure, List<String> missing) throws IOException {
        boolean gone = "ENOENT".equals(IoFailures.errno(failure));
        LOG.log(
                System.Logger.Level.WARNING,
                "dataset " + Printable.text(name) + " cannot be fetched" + (gone ? " by this start: " : ": ")
                        + failure.getMessage());
        if (gone) {
            missing.add(name);
            read.failed(name, ScrIndex.now());
        } else {
            change(read, each -> each.failed(name, ScrIndex.now()));
        }
    }

    /**
     * Names the checkpoints of the index that are newer than the one from which the program restarts.
     *
     * @param id number of that one
     */
    public void warnOfNewer(int id, String name) throws IOException {
        onRoot("reading the index", () -> {
            List<String> newer = new ArrayList<>();
            for (IndexRecord record :
                    PathStatus.exists(index.path()) ? index.read().records() : List.<IndexRecord>of()) {
                if (record.id() > id && record.isCheckpoint()) {
                    String state = !record.isComplete()
                            ? "its copy did not end"
                            : record.isFailed() ? "a restart from it failed" : "complete";
                    newer.add(Printable.text(record.name()) + " (" + state + ")");
                }
            }
            if (!newer.isEmpty()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        (name.isEmpty()
                                        ? "no restart begins with a dataset of the index: "
                                        : "the restart begins with " + Printable.text(name)
                                                + ", and not with newer datasets of the index: ")
                                + String.join(", ", newer));
            }
        });
    }

    /**
     * Ends the search if an error may pass. A checkpoint recorded as failed would not be tried again, though it is the
     * newest one. Collective.
     *
     * @param failure the failure of this rank, even if another rank has the error that may pass
     * @param seen whether rank 0 has seen all files; a rank that does not find one has another file system there
     * @throws IOException that failure
     */
    private void requireNoneToPass(IOException failure, boolean seen) throws IOException {
        boolean elsewhere = seen && "ENOENT".equals(IoFailures.errno(failure));
        if (Agreement.any(world, elsewhere || IoFailures.mayPass(failure))) {
            throw failure;
        }
    }

    /** Obeys SCR_CURRENT, once. Later restarts continue from the state to which the first one led. */
    private void applyCurrent() throws IOException {
        String name = settings.text("SCR_CURRENT");
        if (name.isEmpty() || name.equals(cache.current())) {
            return;
        }
        onRoot("setting CURRENT", () -> {
            if (PathStatus.exists(index.path())) {
                index.update(each -> {
                    if (!each.setCurrent(name)) {
                        LOG.log(
                                System.Logger.Level.WARNING,
                                "SCR_CURRENT=" + name + ": the index knows no such checkpoint");
                    }
                });
            }
        });
        cache.setCurrent(name);
    }

    /** Changes the index on disk and the copy that the search uses. */
    private void change(ScrIndex copy, IndexFile.Change change) throws IOException {
        index.update(change);
        change.apply(copy);
    }

    /** Looks at the metadata and at all files of a dataset; for rank 0. */
    private void find(String name, ScrIndex read, KvTree ranks, KvTree descriptor) throws IOException {
        IndexRecord record = read.record(name).orElseThrow(() -> DrumlinException.during("fetching dataset " + name)
                .problem("the index does not know it")
                .exception());
        DatasetMetadata metadata = DatasetMetadata.of(prefix, record, store.storage());
        metadata.checkFetchable(world.size()).addTo(ranks, metadata);
        descriptor.merge(metadata.readDescriptor().tree());
    }

    private RestartCandidate fetch(KvTree found, KvTree ranks) throws IOException {
        DatasetDescriptor dataset = DatasetDescriptor.of(Messages.bcast(world, found, 0));
        KvTree files = Messages.scatter(world, rank -> ranks.add(Integer.toString(rank)), 0);
        return settings.flag("SCR_FETCH_BYPASS") ? inPlace(dataset, files) : toCache(dataset, files);
    }

    private RestartCandidate inPlace(DatasetDescriptor descriptor, KvTree own) throws IOException {
        Map<Path, Path> files = new HashMap<>();
        Agreement.run(world, "checking the files of a dataset", () -> {
            for (Map.Entry<String, KvTree> file : own.entries().entrySet()) {
                Path path = path(file.getValue());
                OptionalLong crc = KvFields.number(file.getValue(), "CRC");
                if (crc.isPresent() && crc.getAsLong() != store.crc32(path)) {
                    throw DrumlinException.during("checking a file of a dataset")
                            .path(path)
                            .problem("its CRC32 is not that which was written")
                            .exception();
                }
                files.put(prefix.path().relativize(path), path);
            }
        });
        return new RestartCandidate(descriptor.id().orElse(0), descriptor.name().orElse(""), false, files);
    }

    private RestartCandidate toCache(DatasetDescriptor descriptor, KvTree own) throws IOException {
        int id = descriptor.id().orElseThrow();
        FileTransfer transfer = new FileTransfer(store);
        FileNameTable table = cache.names(id);
        cache.begin(descriptor);
        try {
            KvTree files = new KvTree();
            Agreement.run(world, "fetching dataset " + id, () -> {
                for (KvTree file : own.entries().values()) {
                    Path from = path(file);
                    transfer.copy(
                            from,
                            table.route(from),
                            FileStat.of(from),
                            KvFields.number(file, "SIZE"),
                            KvFields.number(file, "CRC"));
                }
            });
            cache.settle(descriptor, table);
            Agreement.run(world, "fetching dataset " + id, () -> files.merge(table.describe()));
            cache.complete(descriptor, files);
            cache.flushFile().change(states -> states.flushed(id, true));
            return cache.candidate(descriptor);
        } catch (MeetingException e) {
            throw e;
        } catch (IOException e) {
            cache.delete(id);
            throw e;
        }
    }

    private static Path path(KvTree file) throws DrumlinException {
        return StoredNames.path(file.value("AT").orElseThrow());
    }

    private void onRoot(String operation, Agreement.Step step) throws IOException {
        RootRank.run(world, operation, step);
    }
}
