package io.drumlin.hostile;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/** What may happen to a run. {@link Model} says what each of them may do to its checkpoints. */
enum Trouble {
    /** The job dies at any operation on a file. */
    KILL(true),
    /** All nodes lose power at any operation on a file; what was not synced may be there or not. */
    POWER_LOSS(true),
    /** Between two starts a node loses its disk. */
    NODE_LOST(true),
    /** A node, always the same in a life, comes back with the disk that it had some time ago. */
    OLD_DISK(true),
    /** Any nodes do: together they may have a checkpoint that was superseded. */
    OLD_DISKS(true),
    /** Nodes are there in another order. */
    OTHER_ORDER(true),
    /** Another node, with an empty disk, has the place of one. */
    OTHER_NODE(true),
    /** A node has another name and the same disk. */
    RENAMED_NODE(true),
    /** Two ranks have each other's file. */
    SWAPPED_FILES(true),
    /** A file is what it was some time ago, or one of some time ago is there too. */
    OLDER_FILE(true),
    /** A level's directory is what it was some time ago, on the parallel file system or that node. */
    OLDER_DIRECTORY(true),
    /** There is a directory in the place of a file. */
    FILE_IS_DIRECTORY(true),
    /** A bit of a file with data is another. */
    FLIPPED_DATA(true),
    /** A bit of the metadata of a group is another, in the modes that have them. */
    FLIPPED_METADATA(true),
    /** For one start a bit of Topology.fti is another. */
    FLIPPED_TOPOLOGY(true),
    /** A bit of Checkpoint.fti is another. */
    FLIPPED_LIST(true),
    /** For one start a bit of the configuration is another. */
    FLIPPED_CONFIG(true),
    /** The run is copied, as by {@code cp -r} or {@code rsync} without times: all files are as old as the copy. */
    COPIED(true),
    /** The run was in an archive of {@code tar}: times are whole seconds. */
    UNPACKED(true),
    /** Somebody touches files, so that a scratch file system does not delete them. */
    TOUCHED(true),
    /** Files have times of a clock that was set back or forward. */
    OTHER_CLOCK(true),
    /** A file ends too early. */
    TRUNCATED(true),
    /** A bit is another in one read of a restart. */
    FLIPPED_READ(true),
    /** An operation of a restart fails, once or from then on. */
    RESTART_ERROR(true),
    /** An operation of a checkpoint fails, once or from then on. */
    CHECKPOINT_ERROR(true),
    /** For one start nothing can be written to any node's disk. */
    FULL_NODES(true),
    /** For one start the configuration names another I/O mode. */
    OTHER_MODE(true),
    /** While the job runs another is started with its configuration; it waits for seconds before it is refused. */
    SECOND_JOB(false),
    /** For one start there is nothing but the archive of level 4. */
    ARCHIVE_ONLY(true),
    /** Two nodes have one disk. */
    SHARED_DISK(true),
    /** The ranks are dealt out to the nodes in another way: in turn, or those of a node one after the other. */
    OTHER_PLACEMENT(true);

    private final boolean always;

    /** @param always whether tests that always run have it */
    Trouble(boolean always) {
        this.always = always;
    }

    /**
     * Those that a test may meet.
     *
     * @param names with commas between them; {@code all}, or empty for those that always run
     */
    static Set<Trouble> named(String names) {
        EnumSet<Trouble> chosen = EnumSet.noneOf(Trouble.class);
        for (Trouble each : values()) {
            if (names.equals("all") || (names.isEmpty() && each.always)) {
                chosen.add(each);
            }
        }
        if (chosen.isEmpty() && !names.equals("none")) {
            Arrays.stream(names.split(",")).map(Trouble::valueOf).forEach(chosen::add);
        }
        return chosen;
    }
}
