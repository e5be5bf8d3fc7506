package io.drumlin.checkpoint;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * What a survey of a run has found.
 *
 * @param checkpoints by level, in the order in which a restart tries these, the newest of a level first, and those that were superseded
 *     later than what has superseded them; those in the archive of level 4 last
 * @param problems files and directories that were refused, and why
 */
public record RunReport(List<Checkpoint> checkpoints, List<Problem> problems) {

    /** What can be had of a checkpoint. */
    public enum State {
        /** All of its files are there. */
        WHOLE,
        /** Files are lost, but every rank gets its data. */
        RECOVERABLE,
        /** The remains of a checkpoint that was not completed, or of one that was being deleted. */
        UNFINISHED,
        /** The data of some ranks are lost. */
        LOST
    }

    /**
     * A checkpoint of which there are files.
     *
     * @param level at which it was taken
     * @param ckptId its id
     * @param archived whether it is kept in the archive of level 4, where no restart looks
     * @param folders names of the directories with its files
     * @param state what can be had of it
     * @param sources from what each rank gets its data, by the rank in the names of its files
     * @param missing files that are not there
     * @param damaged files that were refused
     * @param bytes of the files that are there
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
         * Whether every rank gets its data.
         *
         * @return true if it is whole, too
         */
        public boolean isRecoverable() {
            return state == State.WHOLE || state == State.RECOVERABLE;
        }
    }

    /**
     * A file or directory that was refused.
     *
     * @param path the file or directory
     * @param reason with the path in it
     * @param isOfRemains whether it is of no account, because what was written or deleted there when the run stopped is not
     *     whole: true in the directories of a commit under way
     */
    public record Problem(Path path, String reason, boolean isOfRemains) {}

    /**
     * The checkpoint that a restart takes.
     *
     * @return empty if none can be recovered
     */
    public Optional<Checkpoint> restart() {
        return checkpoints.stream()
                .filter(checkpoint -> checkpoint.isRecoverable() && !checkpoint.archived())
                .findFirst();
    }

    /**
     * Whether nothing is lost.
     *
     * @return true if all files are there and none was refused, remains of an interrupted commit aside
     */
    public boolean isWhole() {
        return problems.stream().allMatch(Problem::isOfRemains)
                && checkpoints.stream()
                        .allMatch(each -> each.state() == State.WHOLE || each.state() == State.UNFINISHED);
    }
}
