package io.drumlin.checkpoint;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * The result of a survey of a run.
 *
 * @param checkpoints the checkpoints by level, in the order in which a restart tries the levels; within a level the
 *     newest first, and a superseded checkpoint after its successor; checkpoints in the archive of level 4 come last
 * @param problems the refused files and directories, with the reasons
 */
public record RunReport(List<Checkpoint> checkpoints, List<Problem> problems) {

    /** How much of a checkpoint can be recovered. */
    public enum State {
        /** All of its files are there. */
        WHOLE,
        /** Files are lost, but every rank gets its data. */
        RECOVERABLE,
        /** Files remain from a checkpoint that was not completed, or whose deletion was interrupted. */
        UNFINISHED,
        /** The data of some ranks are lost. */
        LOST
    }

    /**
     * A checkpoint that has files.
     *
     * @param level level at which it was taken
     * @param ckptId its id
     * @param archived whether it is in the archive of level 4, in which a restart looks last
     * @param folders names of the directories with its files
     * @param state how much of it can be recovered
     * @param sources where each rank gets its data from, by the rank in the names of its files
     * @param missing missing files
     * @param damaged refused files
     * @param bytes bytes of the existing files
     */
    public record Checkpoint(
            Level level,
            int ckptId,
            boolean archived,
            Set<String> folders,
            State state,
            SortedMap<Integer, DataSource> sources,
            Set<Path> missing,
            Set<Path> damaged,
            long bytes) {

        /**
         * Returns whether every rank gets its data.
         *
         * @return true for whole and for recoverable checkpoints
         */
        public boolean isRecoverable() {
            return state == State.WHOLE || state == State.RECOVERABLE;
        }

        /**
         * Returns whether it is one of levels 1 to 3 that stays on the nodes although another has taken its place. No
         * restart takes it, unless it is chosen.
         *
         * @return true if its files are in directories of kept checkpoints
         */
        public boolean isKept() {
            return folders.stream().anyMatch(folder -> folder.startsWith("drumlin-kept-"));
        }
    }

    /**
     * A file or directory that was refused.
     *
     * @param path the file or directory
     * @param reason the reason, including the path
     * @param isOfRemains whether the problem does not matter, because the file belongs to a commit or deletion that was
     *     under way when the run stopped
     */
    public record Problem(Path path, String reason, boolean isOfRemains) {}

    /**
     * Returns the checkpoint that a restart uses.
     *
     * @return empty if none can be recovered
     */
    public Optional<Checkpoint> restart() {
        return checkpoints.stream()
                .filter(Checkpoint::isRecoverable)
                .filter(checkpoint -> !checkpoint.isKept())
                .findFirst();
    }

    /**
     * Returns whether nothing is lost.
     *
     * @return true if all files exist and none was refused; remains of an interrupted commit do not count
     */
    public boolean isWhole() {
        return problems.stream().allMatch(Problem::isOfRemains)
                && checkpoints.stream()
                        .allMatch(each -> each.state() == State.WHOLE || each.state() == State.UNFINISHED);
    }
}
