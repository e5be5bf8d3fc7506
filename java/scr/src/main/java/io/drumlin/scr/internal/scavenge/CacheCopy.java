package io.drumlin.scr.internal.scavenge;

import io.drumlin.DrumlinException;
import io.drumlin.comm.internal.HostName;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.ScrConfig;
import io.drumlin.scr.internal.cache.CacheDirectory;
import io.drumlin.scr.internal.cache.CachedFile;
import io.drumlin.scr.internal.cache.RankDirectory;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.ListedFiles;
import io.drumlin.scr.internal.index.PrefixFiles;
import io.drumlin.scr.internal.redundancy.Redundancy;
import io.drumlin.scr.internal.store.FileTransfer;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.OwnDirectory;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/**
 * Copies what this node has of a dataset from its cache to the prefix directory, as a part of {@link Scavenge}. Files go
 * to their places, and filemaps and redundancy files to the directory of the dataset's metadata. Each is written under
 * another name, made durable and renamed. Thread-safe.
 */
public final class CacheCopy {

    private static final String REBUILT = "it is rebuilt if enough nodes are left";

    private final ScrPrefix prefix;
    private final Path control;
    private final KvTreeStore store;

    /**
     * Names the cache of this node.
     *
     * @param prefix the prefix directory of the job
     * @param control the directory with the index of the cache, {@link ScrConfig#controlDirectory}
     * @param storage the engine that writes the files
     */
    public CacheCopy(ScrPrefix prefix, Path control, StorageEngine storage) {
        this.prefix = prefix;
        this.control = control;
        this.store = new KvTreeStore(storage);
    }

    /**
     * What was copied.
     *
     * @param ranks the ranks of which everything was copied
     * @param files number of copied files, with SCR's own
     * @param bytes their size
     * @param problems why something was not copied, one text for each rank
     * @param contested whether a file may be that of several ranks. Then nothing was copied, and the dataset must not be
     *     completed
     */
    public record Outcome(SortedSet<Integer> ranks, long files, long bytes, List<String> problems, boolean contested) {

        private static Outcome nothing(List<String> problems, boolean contested) {
            return new Outcome(Collections.emptySortedSet(), 0, 0, problems, contested);
        }

        /**
         * Makes the outcome.
         *
         * @param ranks is copied
         * @param files as told above
         * @param bytes as told above
         * @param problems is copied
         * @param contested as told above
         */
        public Outcome {
            ranks = Collections.unmodifiableSortedSet(new TreeSet<>(ranks));
            problems = List.copyOf(problems);
        }
    }

    /**
     * Copies a dataset. What cannot be copied counts as lost: nothing is copied to the metadata of its rank, so that the
     * rank's files are rebuilt if the other nodes allow it.
     *
     * @param id number of the dataset, for which {@link Scavenge#begin} was called
     * @param progress gets the number of bytes of each part that was copied
     * @return what was copied; nothing if this node has nothing of it
     * @throws IOException nothing can be copied
     */
    public Outcome copy(int id, LongConsumer progress) throws IOException {
        DatasetDescriptor wanted =
                DatasetMetadata.of(prefix, id, store.storage()).readOrder();
        requireOwn(control, 2);
        KvTree cached = store.readIfThere(control.resolve("cindex.scrinfo")).find("DSET", Integer.toString(id));
        if (cached == null) {
            return Outcome.nothing(List.of(), false);
        }
        KvTree descriptor = cached.get("DSETDESC");
        if (descriptor == null || !DatasetDescriptor.of(descriptor).isOfSame(wanted)) {
            String problem = "its cache has another dataset of this id, from before it was away";
            return Outcome.nothing(List.of(problem), false);
        }
        Path path = StoredNames.path(cached.value("PATH").orElse(""))
                .toAbsolutePath()
                .normalize();
        requireOwn(path, 3);
        boolean inPlace = KvFields.integer(cached, "BYPASS").orElse(0) != 0;
        return new Copy(id, new CacheDirectory(path, path), wanted, inPlace, progress).run();
    }

    /** Anyone may write to the directories in which the user's begin. */
    private static void requireOwn(Path directory, int levels) throws IOException {
        Path each = directory;
        for (int i = 0; i < levels && each != null && each.getParent() != null; i++) {
            OwnDirectory.require(each);
            each = each.getParent();
        }
    }

    /** The copy of one dataset. */
    private final class Copy {

        private final Path metadata;
        private final CacheDirectory directory;
        private final boolean inPlace;
        private final ListedFiles listed;
        private final FileTransfer transfer;
        private final String suffix;
        private final NavigableMap<Integer, List<Item>> items = new TreeMap<>();
        private final SortedSet<Integer> copied = new TreeSet<>();
        private final List<String> problems = new ArrayList<>();
        private long files;
        private long bytes;

        /** @param inPlace whether the program wrote its files to the prefix directory */
        private Copy(int id, CacheDirectory directory, DatasetDescriptor wanted, boolean inPlace, LongConsumer progress)
                throws IOException {
            this.metadata = prefix.metadata(id);
            this.directory = directory;
            this.inPlace = inPlace;
            this.listed = new ListedFiles(prefix, store, wanted);
            this.transfer = new FileTransfer(store, progress);
            this.suffix = "." + HostName.read() + ".new";
        }

        private Outcome run() throws IOException {
            for (int rank : directory.ranks()) {
                attempt(rank, () -> items.put(rank, read(rank)));
            }
            List<String> contested = contested();
            if (!contested.isEmpty()) {
                return Outcome.nothing(contested, true);
            }
            for (Map.Entry<Integer, List<Item>> rank : items.entrySet()) {
                attempt(rank.getKey(), () -> copy(rank.getKey(), rank.getValue()));
            }
            return new Outcome(copied, files, bytes, problems, false);
        }

        private void attempt(int rank, Step step) {
            try {
                step.run();
            } catch (IOException e) {
                problems.add("rank " + rank + ": " + e.getMessage());
            }
        }

        private List<Item> read(int rank) throws IOException {
            Path map = directory.filemap(rank);
            if (PathStatus.size(map) == 0) {
                // A file that a dying node left empty tells nothing, not even that the rank has no files.
                throw refused(map, "it is empty", REBUILT);
            }
            KvTree found = store.read(map).get("FILE");
            List<Item> read = new ArrayList<>();
            for (Map.Entry<String, KvTree> file :
                    (found == null ? new KvTree() : found).entries().entrySet()) {
                CachedFile cached = CachedFile.of(file.getValue());
                Path place = cached.place(prefix);
                Path source =
                        inPlace ? place : RankDirectory.of(directory, rank).locate(file.getKey());
                read.add(new Item(source, place, cached));
            }
            return read;
        }

        /** Returns the files that would go to several places, if no CRC32 tells to which each belongs. */
        private List<String> contested() {
            Map<Path, SortedSet<Path>> places = new TreeMap<>();
            Set<Path> untold = new HashSet<>();
            for (Item item : items.values().stream().flatMap(List::stream).toList()) {
                places.computeIfAbsent(item.source(), each -> new TreeSet<>()).add(item.place());
                if (item.cached().crc().isEmpty()) {
                    untold.add(item.source());
                }
            }
            return places.entrySet().stream()
                    .filter(each -> each.getValue().size() > 1 && untold.contains(each.getKey()))
                    .map(each -> each.getKey() + " may be any of " + each.getValue()
                            + ", because their last names are the same, and no CRC32 tells; nothing was copied. Give the"
                            + " files of a node different last names")
                    .toList();
        }

        /** Copies all of a rank, its filemap last. */
        private void copy(int rank, List<Item> owned) throws IOException {
            for (Item item : owned) {
                if (!item.cached().isComplete()) {
                    throw refused(item.source(), "its job did not complete it", REBUILT);
                }
            }
            for (Item item : owned) {
                copy(item);
            }
            List<Path> own = new ArrayList<>(directory.redundancyFiles(Redundancy.MAPS, rank));
            own.addAll(directory.redundancyFiles(Redundancy.DATA, rank));
            own.add(directory.filemap(rank));
            for (Path each : own) {
                replace(new Item(each, metadata.resolve(each.getFileName().toString()), new CachedFile(new KvTree())));
            }
            copied.add(rank);
        }

        private void copy(Item item) throws IOException {
            if (item.source().equals(item.place())) {
                requireSize(item.place(), item.cached());
                item.cached().check(item.place(), store);
                // This node may have the bytes in its page cache only.
                new PrefixFiles(prefix, store).sync(item.place());
                return;
            }
            if (PathStatus.exists(item.place())) {
                listed.requireFree(item.place());
            }
            replace(item);
        }

        private void requireSize(Path place, CachedFile cached) throws IOException {
            long size = PathStatus.size(place);
            if (cached.size().orElse(size) != size) {
                throw refused(
                        place,
                        "it has " + size + " bytes, but " + cached.size().getAsLong() + " were written",
                        REBUILT);
            }
        }

        private void replace(Item item) throws IOException {
            Path target = item.place();
            Path temporary = target.resolveSibling(target.getFileName() + suffix);
            try {
                transfer.copy(
                        item.source(),
                        temporary,
                        item.cached().meta(),
                        item.cached().size(),
                        item.cached().crc());
                bytes += PathStatus.size(temporary);
                store.storage().rename(temporary, target);
                store.storage().syncDirectory(target.resolveSibling("."));
            } catch (Throwable e) {
                try {
                    store.storage().delete(temporary);
                } catch (IOException alsoFailed) {
                    e.addSuppressed(alsoFailed);
                }
                throw e;
            }
            files++;
        }

        private DrumlinException refused(Path path, String problem, String advice) {
            return DrumlinException.during("saving a file from the cache")
                    .path(path)
                    .problem(problem)
                    .advice(advice)
                    .exception();
        }
    }

    /** A file in the cache, and where it belongs. */
    private record Item(Path source, Path place, CachedFile cached) {}

    /** A step that may fail. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }
}
