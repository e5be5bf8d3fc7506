package io.drumlin.scr.internal.cache;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.comm.internal.PairExchange;
import io.drumlin.comm.internal.PairExchange.Side;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.redundancy.LogicalFile;
import io.drumlin.scr.internal.store.FileStat;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.Messages;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Copies files of a dataset from the cache of one node to that of another. A rank sends to one rank and receives from
 * one at the same time, slab by slab. A rank whose files fail continues with zeros, so that no other rank waits for it.
 */
final class FileMove {

    private static final int SLAB = 1 << 20;
    private static final int TAG = 4;
    private static final String FAILED = "FAILED";

    private final Communicator world;
    private final KvTreeStore store;
    private final RankDirectory directory;
    private final ByteBuffer out = ByteBuffer.allocateDirect(SLAB);
    private final ByteBuffer in = ByteBuffer.allocateDirect(SLAB);
    private @Nullable IOException sendFailure;
    private @Nullable IOException receiveFailure;

    FileMove(Communicator world, KvTreeStore store, RankDirectory directory) {
        this.world = world;
        this.store = store;
        this.directory = directory;
    }

    /** Finds files: their places, and where they are. */
    @FunctionalInterface
    interface Finder {
        Map<Path, Path> find() throws IOException;
    }

    /**
     * Sends and receives.
     *
     * @param finder finds the files to be sent; the receiver moves the last one to its place after the others
     * @param receiver rank that gets these files; {@link Messages#NOBODY} for none
     * @param sender rank that sends files to this one; {@link Messages#NOBODY} for none
     * @throws IOException not all expected files have arrived, or the ranks cannot communicate
     */
    void run(Finder finder, int receiver, int sender) throws IOException {
        List<Path> files = new ArrayList<>();
        KvTree leaving = new KvTree();
        sendFailure = attempt(null, () -> {
            Map<Path, Path> found = finder.find();
            files.addAll(found.values());
            leaving.merge(describe(found));
        });
        KvTree arriving = Messages.exchange(world, leaving, receiver, sender);
        try (LogicalFile source = openSource(files, leaving);
                LogicalFile target = openTarget(arriving)) {
            Side sent = new Side(
                    receiver,
                    size(leaving),
                    length -> out.clear().limit(length),
                    (piece, offset) -> sendFailure = attempt(sendFailure, () -> source.read(piece, offset)));
            Side received = new Side(
                    sender,
                    size(arriving),
                    length -> in.clear().limit(length),
                    (piece, offset) -> receiveFailure = attempt(receiveFailure, () -> target.write(piece, offset)));
            PairExchange.run(world, TAG, SLAB, sent, received);
            receiveFailure = attempt(receiveFailure, target::sync);
        }
        KvTree verdict = new KvTree();
        if (sendFailure != null) {
            verdict.set(FAILED, String.valueOf(sendFailure.getMessage()));
        }
        KvTree theirs = Messages.exchange(world, verdict, receiver, sender);
        if (theirs.has(FAILED)) {
            throw DrumlinException.during("moving files between caches")
                    .problem("rank " + sender + " failed: "
                            + theirs.value(FAILED).orElse(""))
                    .exception();
        }
        if (receiveFailure != null) {
            throw receiveFailure;
        }
        settle(arriving);
    }

    /** Describes each file: its place in the directory of the dataset, and the attributes that the system gives it. */
    private KvTree describe(Map<Path, Path> files) throws IOException {
        KvTree tree = new KvTree();
        for (Map.Entry<Path, Path> file : files.entrySet()) {
            String place = base().relativize(file.getKey()).toString();
            tree.add(Integer.toString(tree.size())).put(place, FileStat.part(FileStat.of(file.getValue())));
        }
        return tree;
    }

    private Path base() {
        return directory.directory().path();
    }

    private static long size(KvTree described) {
        return sizes(described).stream().mapToLong(Long::longValue).sum();
    }

    private static List<Long> sizes(KvTree described) {
        return described.entries().values().stream()
                .map(file -> KvFields.number(file.get(file.first().orElse("")), "SIZE")
                        .orElse(0))
                .toList();
    }

    private LogicalFile openSource(List<Path> files, KvTree described) throws IOException {
        LogicalFile[] opened = {LogicalFile.read(List.of(), store.storage())};
        sendFailure =
                attempt(sendFailure, () -> opened[0] = LogicalFile.read(parts(files, described), store.storage()));
        return opened[0];
    }

    private LogicalFile openTarget(KvTree described) throws IOException {
        LogicalFile[] opened = {LogicalFile.write(List.of(), store)};
        receiveFailure = attempt(null, () -> {
            store.makeDirectory(directory.metadata());
            opened[0] = LogicalFile.write(parts(temporary(described), described), store);
        });
        return opened[0];
    }

    private static List<LogicalFile.Part> parts(List<Path> files, KvTree described) {
        List<Long> sizes = sizes(described);
        List<LogicalFile.Part> parts = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            parts.add(new LogicalFile.Part(files.get(i), sizes.get(i)));
        }
        return parts;
    }

    /** Returns the temporary paths of arriving files, used until they are complete. */
    private List<Path> temporary(KvTree described) {
        return described.keys().stream()
                .map(i -> directory.metadata().resolve("arriving." + world.rank() + "." + i))
                .toList();
    }

    /** Moves completely received files to their final paths. */
    private void settle(KvTree described) throws IOException {
        List<Path> temporary = temporary(described);
        List<KvTree> files = List.copyOf(described.entries().values());
        Set<Path> directories = new TreeSet<>();
        for (int i = 0; i < files.size(); i++) {
            for (Map.Entry<String, KvTree> file : files.get(i).entries().entrySet()) {
                Path place = directory.target(StoredNames.below(base(), file.getKey()));
                Path parent = Objects.requireNonNull(place.getParent(), "it is below the dataset");
                store.makeDirectory(parent);
                FileStat.restore(temporary.get(i), file.getValue());
                if (i == files.size() - 1) {
                    sync(directories);
                }
                store.storage().rename(temporary.get(i), place);
                directories.add(parent);
            }
        }
        sync(directories);
    }

    private void sync(Set<Path> directories) throws IOException {
        for (Path each : directories) {
            store.storage().syncDirectory(each);
        }
    }

    /** Carries out a step unless something has failed before, and returns the failure to be thrown later. */
    private @Nullable IOException attempt(@Nullable IOException before, Agreement.Step step) {
        return before != null ? before : Agreement.attempt(world, "moving files between caches", step);
    }
}
