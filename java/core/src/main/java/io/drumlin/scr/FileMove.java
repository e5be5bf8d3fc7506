package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.format.StoredNames;
import io.drumlin.format.kvtree.KvTree;
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
 * Copies files of a dataset from the cache of one node to that of another: a rank sends to one and receives from one at the same
 * time, slab by slab. A rank whose files fail goes on with zeros, so that no other waits for it.
 */
final class FileMove {

    private static final int SLAB = 1 << 20;
    private static final int TAG = 4;
    private static final String FAILED = "FAILED";

    private final Communicator world;
    private final KvTreeStore store;
    private final CacheDirectory directory;
    private final ByteBuffer out = ByteBuffer.allocateDirect(SLAB);
    private final ByteBuffer in = ByteBuffer.allocateDirect(SLAB);
    private @Nullable IOException sendFailure;
    private @Nullable IOException receiveFailure;

    FileMove(Communicator world, KvTreeStore store, CacheDirectory directory) {
        this.world = world;
        this.store = store;
        this.directory = directory;
    }

    /** Finds files. */
    @FunctionalInterface
    interface Finder {
        List<Path> find() throws IOException;
    }

    /**
     * Sends and receives.
     *
     * @param finder of the files to be sent; the last one comes into being when the others are there
     * @param receiver of these; {@link Messages#NOBODY} for none
     * @param sender of others; {@link Messages#NOBODY} for none
     * @throws IOException the files that were to come are not all there; or the ranks cannot meet
     */
    void run(Finder finder, int receiver, int sender) throws IOException {
        List<Path> files = new ArrayList<>();
        KvTree leaving = new KvTree();
        sendFailure = attempt(null, () -> {
            files.addAll(finder.find());
            leaving.merge(describe(files));
        });
        KvTree arriving = Messages.exchange(world, leaving, receiver, sender);
        try (LogicalFile source = openSource(files, leaving);
                LogicalFile target = openTarget(arriving)) {
            transfer(source, size(leaving), receiver, target, size(arriving), sender);
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

    /** The name of each file in the directory of the dataset, and what the system says about it. */
    private KvTree describe(List<Path> files) throws IOException {
        KvTree tree = new KvTree();
        for (int i = 0; i < files.size(); i++) {
            String name = directory.path().relativize(files.get(i)).toString();
            tree.add(Integer.toString(i)).put(name, FileStat.part(FileStat.of(files.get(i))));
        }
        return tree;
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
        LogicalFile[] opened = {LogicalFile.write(List.of(), store.storage())};
        receiveFailure = attempt(null, () -> {
            store.makeDirectory(directory.metadata());
            opened[0] = LogicalFile.write(parts(temporary(described), described), store.storage());
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

    /** Where arriving files are until they are whole. */
    private List<Path> temporary(KvTree described) {
        return described.keys().stream()
                .map(i -> directory.metadata().resolve("arriving." + world.rank() + "." + i))
                .toList();
    }

    private void transfer(LogicalFile source, long leaving, int receiver, LogicalFile target, long arriving, int sender)
            throws IOException {
        for (long offset = 0; offset < Math.max(leaving, arriving); offset += SLAB) {
            long position = offset;
            Communicator.Request request = null;
            if (offset < arriving) {
                in.clear().limit((int) Math.min(SLAB, arriving - offset));
                request = world.startReceive(in, sender, TAG);
            }
            if (offset < leaving) {
                out.clear().limit((int) Math.min(SLAB, leaving - offset));
                sendFailure = attempt(sendFailure, () -> source.read(out, position));
                Messages.send(world, out, receiver, TAG, request);
            }
            if (request != null) {
                request.await();
                receiveFailure = attempt(receiveFailure, () -> target.write(in, position));
            }
        }
    }

    /** Gives files that arrived whole their places. */
    private void settle(KvTree described) throws IOException {
        List<Path> temporary = temporary(described);
        List<KvTree> files = List.copyOf(described.entries().values());
        Set<Path> directories = new TreeSet<>();
        for (int i = 0; i < files.size(); i++) {
            for (Map.Entry<String, KvTree> file : files.get(i).entries().entrySet()) {
                Path place = StoredNames.below(directory.path(), file.getKey());
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

    /** Does a step, unless something failed before, and holds its failure back. */
    private @Nullable IOException attempt(@Nullable IOException before, Agreement.Step step) {
        return before != null ? before : Agreement.attempt(world, "moving files between caches", step);
    }
}
