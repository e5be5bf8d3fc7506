package io.drumlin.checkpoint.internal.ftiff;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint;
import io.drumlin.checkpoint.internal.verify.BlockSums;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A checkpoint in the mode FTI-FF. The rank count is derived from the names of the files, one for each rank;
 * {@code RecordedRankCounts} checks that none is missing.
 *
 * @param files the ranks in the names of the files, in the order of the application's ranks
 * @param mayBeUnmarked whether the checkpoint may be one of C FTI, whose files have only the id in common
 */
record FtiFfElasticCheckpoint(
        FtiFfReader reader,
        CheckpointDirectories places,
        Level level,
        CommitSlot slot,
        int ckptId,
        List<Integer> files,
        boolean mayBeUnmarked)
        implements ElasticCheckpoint {

    /**
     * Finds the checkpoints of a level on one rank.
     *
     * @return one line per checkpoint for {@link #of}, newest first, to be sent to the other ranks
     */
    static List<String> find(FtiFfReader reader, CheckpointDirectories places, Level level) throws IOException {
        boolean replacing = PathStatus.exists(places.directory(level, CommitSlot.REPLACED));
        boolean committed = PathStatus.exists(places.directory(level, CommitSlot.COMMITTED));
        List<String> found = new ArrayList<>();
        for (CommitSlot slot : CommitSlot.values()) {
            // The files of all ranks are complete only if the old ones were already put aside.
            if (slot != CommitSlot.TMP || (replacing && !committed)) {
                boolean mayDiffer = slot == CommitSlot.COMMITTED && !replacing;
                files(reader, places.directory(level, slot), level).forEach((ckptId, ranks) -> {
                    StringJoiner line = new StringJoiner(" ");
                    line.add(slot.name()).add(ckptId.toString()).add(Boolean.toString(mayDiffer));
                    ranks.forEach(rank -> line.add(rank.toString()));
                    found.add(line.toString());
                });
            }
        }
        return found;
    }

    /** Returns the ranks that have a file, by checkpoint, the highest id first. */
    private static SortedMap<Integer, TreeSet<Integer>> files(FtiFfReader reader, Path directory, Level level)
            throws IOException {
        SortedMap<Integer, TreeSet<Integer>> ranks = new TreeMap<>(Comparator.reverseOrder());
        if (level == Level.L4_DCP) {
            differential(reader, directory, ranks);
            return ranks;
        }
        for (Path file : PathStatus.entries(directory)) {
            OptionalInt rank = FileNames.plainOwner(file.getFileName().toString());
            OptionalInt ckptId = FileNames.ckptId(file);
            if (rank.isPresent() && ckptId.isPresent()) {
                ranks.computeIfAbsent(ckptId.getAsInt(), id -> new TreeSet<>()).add(rank.getAsInt());
            }
        }
        return ranks;
    }

    /**
     * Adds the ranks of a differential checkpoint. Only its files record the id, which is read from the first readable
     * file.
     */
    private static void differential(FtiFfReader reader, Path directory, SortedMap<Integer, TreeSet<Integer>> found)
            throws IOException {
        TreeSet<Integer> ranks = new TreeSet<>();
        Optional<FtiFfFile> readable = Optional.empty();
        for (Path file : PathStatus.entries(directory)) {
            OptionalInt rank = FileNames.differentialOwner(file.getFileName().toString());
            if (rank.isPresent()) {
                ranks.add(rank.getAsInt());
                readable = readable.or(() -> reader.readable(file));
            }
        }
        readable.ifPresent(file -> found.put(file.meta().ckptId(), ranks));
    }

    /**
     * Returns a checkpoint that {@link #find} found.
     *
     * @throws IOException files are missing
     */
    static FtiFfElasticCheckpoint of(FtiFfReader reader, CheckpointDirectories places, Level level, String line)
            throws IOException {
        String[] words = line.split(" ", -1);
        List<Integer> files = new ArrayList<>();
        for (int i = 3; i < words.length; i++) {
            files.add(Integer.parseInt(words[i]));
        }
        CommitSlot slot = CommitSlot.valueOf(words[0]);
        requireAll(places.directory(level, slot), files);
        return new FtiFfElasticCheckpoint(
                reader, places, level, slot, Integer.parseInt(words[1]), files, Boolean.parseBoolean(words[2]));
    }

    /**
     * Checks that the files belong to all application ranks: to all ranks, or with heads to all but the first of each
     * node.
     */
    private static void requireAll(Path directory, List<Integer> files) throws IOException {
        int heads = files.get(0) == 0 ? 0 : 1;
        int nodeSize = heads == 0 ? 1 : nodeSize(files);
        int expected = 0;
        for (int file : files) {
            expected += heads == 1 && expected % nodeSize == 0 ? 1 : 0;
            if (file != expected) {
                throw DrumlinException.during("restart")
                        .path(directory)
                        .problem("the file of rank " + expected + " is missing")
                        .advice("a restart on another number of ranks needs the files of all ranks")
                        .exception();
            }
            expected++;
        }
    }

    /** Returns the ranks of each node, if the first is a head. */
    private static int nodeSize(List<Integer> files) {
        int nodeSize = 1;
        while (files.contains(nodeSize)) {
            nodeSize++;
        }
        return nodeSize;
    }

    @Override
    public int ranks() {
        return files.size();
    }

    @Override
    public Path missingFile(int stored) {
        if (files.get(0) == 0) {
            return file(files.size());
        }
        int nodeSize = nodeSize(files);
        int next = files.get(files.size() - 1) + 1;
        // If this number of ranks does not fill nodes with heads, there were no heads, and the first application rank
        // was rank 0.
        return file(stored % (nodeSize - 1) != 0 ? 0 : next % nodeSize == 0 ? next + 1 : next);
    }

    private Path path(int rank) {
        return file(files.get(rank));
    }

    private Path file(int file) {
        String name = level == Level.L4_DCP
                ? FileNames.differentialName(file)
                : FileNames.fileName(FileKind.PLAIN, ckptId, file);
        return places.directory(level, slot).resolve(name);
    }

    @Override
    public Part part(int rank) throws IOException {
        Path path = path(rank);
        FtiFfFile file = reader.metadata(FileKind.PLAIN, path);
        if (file.layout().atEnd() && file.meta().ckptId() != ckptId) {
            throw DrumlinException.during("restart")
                    .path(path)
                    .problem("it is of checkpoint " + file.meta().ckptId() + " and others are of " + ckptId)
                    .advice("another checkpoint is needed")
                    .exception();
        }
        return new Part(
                path,
                FtiFfFilePlan.stored(ckptId, file.blocks()),
                FtiFfReader.common(path, file, ckptId, files.get(rank), Collections.max(files) + 1));
    }

    @Override
    public List<BlockSums> check(int rank) throws IOException {
        Path path = path(rank);
        return reader.checkBlocks(path, reader.metadata(FileKind.PLAIN, path));
    }

    @Override
    public ElasticCheckpoint inPlace() {
        return new FtiFfElasticCheckpoint(reader, places, level, CommitSlot.COMMITTED, ckptId, files, mayBeUnmarked);
    }
}
