package io.drumlin.scr.internal.index;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.Messages;
import io.drumlin.scr.internal.store.RootRank;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Lists checkpoints of other writers than SCR in the index of the prefix directory that contains them, so that one
 * index knows everything (docs/formats/scr.md, section 13). CURRENT does not change. All calls are collective. Not
 * thread-safe.
 */
public final class DatasetRegistry {

    private final ScrPrefix prefix;
    private final Communicator world;
    private final KvTreeStore store;
    private final IndexFile index;

    /**
     * Names a prefix directory.
     *
     * @param prefix the prefix directory
     * @param world all ranks that write the checkpoints; it is neither duplicated nor closed
     * @param storage the engine that writes the files
     */
    public DatasetRegistry(ScrPrefix prefix, Communicator world, StorageEngine storage) {
        this.prefix = prefix;
        this.world = world;
        this.store = new KvTreeStore(storage);
        this.index = new IndexFile(prefix, storage);
    }

    /**
     * Lists a checkpoint whose files are all there and durable.
     *
     * @param name unique in the prefix directory, the same on all ranks
     * @param job the name of its job, for people
     * @param file the file of this rank, below the prefix directory; if several ranks name the same file, it belongs to
     *     the first of them
     * @throws IOException the checkpoint could not be listed
     */
    public void add(String name, String job, Path file) throws IOException {
        KvTree own = new KvTree();
        Agreement.run(world, "listing " + name, () -> {
            own.addPath(Integer.toString(world.rank()), relative(file)).set("SIZE", PathStatus.size(file));
        });
        KvTree all = Messages.gather(world, own, 0);
        RootRank.run(world, "listing " + name, () -> {
            dropRepeated(all);
            RankFiles files = RankFiles.of(world.size(), all);
            index.update(each -> list(each, name, job, files));
        });
    }

    /**
     * Lists a checkpoint whose files are all there and durable, and were written by other ranks than these.
     *
     * @param name unique in the prefix directory, the same on all ranks
     * @param job the name of its job, for people
     * @param ranks number of ranks that wrote the checkpoint
     * @param filesOfRanks the files of its first ranks, below the prefix directory; the other ranks have none
     * @throws IOException the checkpoint could not be listed
     */
    public void add(String name, String job, int ranks, List<List<Path>> filesOfRanks) throws IOException {
        RootRank.run(world, "listing " + name, () -> {
            KvTree all = new KvTree();
            for (int rank = 0; rank < ranks; rank++) {
                KvTree owned = all.add(Integer.toString(rank));
                for (Path file : rank < filesOfRanks.size() ? filesOfRanks.get(rank) : List.<Path>of()) {
                    owned.add(relative(file)).set("SIZE", PathStatus.size(file));
                }
            }
            RankFiles files = RankFiles.of(ranks, all);
            index.update(each -> list(each, name, job, files));
        });
    }

    private String relative(Path file) {
        return prefix.path().relativize(file.toAbsolutePath().normalize()).toString();
    }

    /**
     * Returns the checkpoints that are listed as complete.
     *
     * @param start the start of their names
     * @return their names, on the first rank; empty on the others
     * @throws IOException the index cannot be read
     */
    public Set<String> names(String start) throws IOException {
        return RootRank.call(
                world,
                "looking for " + start,
                Set.of(),
                () -> PathStatus.exists(index.path())
                        ? index.read().records().stream()
                                .filter(record -> record.name().startsWith(start) && record.isComplete())
                                .map(IndexRecord::name)
                                .collect(Collectors.toSet())
                        : Set.of());
    }

    /**
     * Returns whether a checkpoint is listed as complete.
     *
     * @param name the name of the checkpoint
     * @return the same on all ranks
     * @throws IOException the index cannot be read
     */
    public boolean has(String name) throws IOException {
        boolean found = RootRank.call(
                world,
                "looking for " + name,
                false,
                () -> PathStatus.exists(index.path())
                        && index.read()
                                .record(name)
                                .filter(IndexRecord::isComplete)
                                .isPresent());
        long[] listed = {found ? 1 : 0};
        world.allreduce(listed, Communicator.Op.MAX);
        return listed[0] == 1;
    }

    /** Keeps each file at the first rank that names it. */
    private static void dropRepeated(KvTree all) {
        Set<String> seen = new HashSet<>();
        for (KvTree owned : all.entries().values()) {
            for (String path : List.copyOf(owned.keys())) {
                if (!seen.add(path)) {
                    owned.remove(path);
                }
            }
        }
    }

    /**
     * Writes the map and the summary first. All of it happens under the lock of the index, so that nobody else takes
     * the id.
     */
    private void list(ScrIndex each, String name, String job, RankFiles files) throws IOException {
        int id = 1;
        int checkpoint = 1;
        for (IndexRecord record : each.records()) {
            id = Math.max(id, record.id() + 1);
            checkpoint = Math.max(checkpoint, record.descriptor().checkpoint().orElse(0) + 1);
        }
        while (PathStatus.exists(prefix.metadata(id))) {
            id++;
        }
        long bytes = files.files().values().stream()
                .flatMap(List::stream)
                .mapToLong(file -> file.size().orElse(0))
                .sum();
        long count = files.files().values().stream().mapToLong(List::size).sum();
        Instant now = Instant.now();
        DatasetDescriptor descriptor = DatasetDescriptor.started(
                        // The checkpoint is listed as output, so that a job of SCR that keeps only its newest
                        // checkpoints does not delete it.
                        id, name, true, true, ChronoUnit.MICROS.between(Instant.EPOCH, now))
                .with("USER", System.getProperty("user.name", ""))
                .with("JOBID", job)
                .withCheckpoint(checkpoint)
                .completed(count, bytes, true);
        DatasetMetadata metadata = DatasetMetadata.of(prefix, id, store.storage());
        metadata.checkSizes(files);
        metadata.write(descriptor, files);
        each.add(descriptor, true, LocalDateTime.ofInstant(now, ZoneId.systemDefault()));
    }

    /**
     * Forgets checkpoints whose files are about to change or be deleted, with their maps and summaries. The change is
     * durable when the call returns.
     *
     * @param start the start of their names
     * @return their names, the same on all ranks
     * @throws IOException the checkpoints could not be forgotten, or the rest of their metadata not deleted
     */
    public List<String> removeAll(String start) throws IOException {
        return removeIf(name -> name.startsWith(start));
    }

    /**
     * Forgets checkpoints by their names; otherwise like {@link #removeAll}.
     *
     * @param which says whether a checkpoint is forgotten
     * @return their names, the same on all ranks
     * @throws IOException the checkpoints could not be forgotten, or the rest of their metadata not deleted
     */
    public List<String> removeIf(Predicate<String> which) throws IOException {
        List<String> names = new ArrayList<>();
        RootRank.run(world, "taking checkpoints out of the index", () -> {
            if (PathStatus.exists(index.path())) {
                List<IndexRecord> records = index.read().records().stream()
                        .filter(record -> which.test(record.name()))
                        .toList();
                if (!records.isEmpty()) {
                    index.update(each -> records.forEach(record -> each.remove(record.name())));
                }
                for (IndexRecord record : records) {
                    names.add(record.name());
                    new PrefixFiles(prefix, store).deleteMetadata(prefix.metadata(record.id()));
                }
            }
        });
        return Agreement.bcast(world, String.join("\n", names), 0).lines().toList();
    }
}
