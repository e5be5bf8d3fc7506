package io.drumlin.checkpoint.internal.mode;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.Mode;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.checkpoint.internal.inventory.MetadataOrigin;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Matcher;

/**
 * The directories with the metadata of a level, in the modes that keep them apart. They are on the parallel file system,
 * so the first rank looks at the directories for all, and the first rank of a group reads the file of the group.
 *
 * @param places the places where there are metadata of this run's groups
 */
public record ListedMetadata(Set<CommitSlot> places) {

    /** Looks at the directories of a level. Collective. */
    public static ListedMetadata of(RankContext context, CheckpointDirectories places, Level level) throws IOException {
        CommitSlot[] slots = CommitSlot.values();
        long[] there = new long[slots.length];
        for (int i = 0; context.app().rank() == 0 && i < slots.length; i++) {
            int slot = i;
            Path directory = places.metadataDirectory(level, slots[i]);
            context.rejected().succeeds("reading the metadata in", directory, () -> {
                if (PathStatus.isDirectory(directory)) {
                    checkGroups(directory, context.topology(), context.group().size());
                    there[slot] = 1;
                }
            });
        }
        context.app().allreduce(there, Op.MAX);
        Set<CommitSlot> found = EnumSet.noneOf(CommitSlot.class);
        for (int i = 0; i < slots.length; i++) {
            if (there[i] == 1) {
                found.add(slots[i]);
            }
        }
        return new ListedMetadata(found);
    }

    /**
     * Returns the metadata of this rank's group, which its first rank reads; empty if they cannot be used. Collective in
     * the group.
     */
    public static byte[] ofGroup(RankContext context, Path path) throws IOException {
        byte[][] content = {new byte[0]};
        if (context.group().index() == 0) {
            context.rejected()
                    .succeeds("reading", path, () -> content[0] = MetadataFiles.content(path, context.storage()));
        }
        return context.group().ofFirst(content[0]);
    }

    /** Returns whether any rank has committed metadata of a level that only another mode can read. Collective. */
    public static boolean isOfAnotherMode(RankContext context, CheckpointDirectories places, Level level, Mode mode)
            throws IOException {
        Path directory = places.metadataDirectory(level, CommitSlot.COMMITTED);
        Path path = directory.resolve(MetadataFiles.name(context.group()));
        byte[] content = ofGroup(context, path);
        boolean foreign = false;
        if (content.length > 0) {
            try {
                GroupMetadata metadata = MetadataFiles.read(path, content);
                foreign = MetadataOrigin.isOfAnotherMode(metadata, level, mode);
            } catch (IOException damaged) {
                // The search says so where it reads them; damaged metadata belong to no mode.
            }
        }
        return Agreement.any(context.app(), foreign);
    }

    /** Refuses the metadata of a run with other groups, of which this run would recover only a part. */
    private static void checkGroups(Path directory, Topology topology, int groupSize) throws IOException {
        int sectors = topology.nodes() / groupSize;
        for (Path file : PathStatus.entries(directory)) {
            Matcher name = FileNames.METADATA_FILE.matcher(file.getFileName().toString());
            if (!name.matches()) {
                continue;
            }
            long id = Long.parseLong(name.group(2));
            if (Long.parseLong(name.group(1)) >= sectors || id >= topology.nodeSize()) {
                throw MetadataOrigin.refused(
                        file,
                        "these are metadata of a run of more ranks",
                        "restart with the number of ranks of the run that wrote them");
            }
            if (id < topology.heads()) {
                throw MetadataOrigin.refused(
                        file,
                        "these are metadata of ranks that are heads now and would not get their data",
                        "restart with the head and node_size of the run that wrote them");
            }
        }
    }
}
