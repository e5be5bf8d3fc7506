package io.drumlin.checkpoint;

import io.drumlin.checkpoint.RunReport.State;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a configuration file and all their checkpoints: finds them, lets a job go on from one of them, and deletes
 * those that are not needed (docs/formats/fti-run-directory.md, sections 13 to 16).
 *
 * <p>What changes a run first takes its lease, and is refused while a job has the run open. If it is refused, nothing
 * has changed. If it is interrupted, no restart takes what is left for whole, and {@link #prune} finishes it. Levels 1
 * to 3 are seen as in {@link RunSurvey}: if each node has directories of its own, only those of this machine. Immutable.
 */
public interface RunCatalogue {

    /**
     * Finds the runs of a configuration file.
     *
     * @param configFile configuration file of C FTI
     * @param workingDirectory where the runs were started: relative directories of the configuration are below it
     * @return the catalogue, which reads the directories anew at each call
     * @throws IOException the configuration cannot be read, or is refused
     */
    static RunCatalogue open(Path configFile, Path workingDirectory) throws IOException {
        return CheckpointsProvider.installed().catalogue(configFile, workingDirectory);
    }

    /**
     * Returns the same catalogue, which reports how many bytes of checkpoints it reads where it verifies data. The sum is
     * about the {@link Checkpoint#bytes} of those that may be recoverable.
     *
     * @param read receives the number of bytes of each read, from several threads
     * @return another catalogue
     */
    RunCatalogue watchedBy(LongConsumer read);

    /**
     * Returns the run that the configuration file names.
     *
     * @return its id; empty before the first start
     */
    String execId();

    /**
     * Returns how the job starts next according to the configuration file.
     *
     * @return 0 a fresh start, 1 a restart, 2 a restart from a kept checkpoint
     */
    int failure();

    /**
     * Returns whether the run that the configuration file names was completed, and no start has come after it. A run that
     * ended before its first checkpoint has not: its files are still there, which a completed run deletes, archives or keeps.
     *
     * @return whether it was; false if a job has the run open, or was killed while it had
     * @throws IOException the directory of metadata cannot be read
     */
    boolean hasEnded() throws IOException;

    /**
     * Returns the directory below which the runs have their directories of metadata.
     *
     * @return {@code meta_dir}
     */
    Path metadata();

    /**
     * A run.
     *
     * @param execId its id
     * @param isNamed whether the configuration file names it
     * @param isOpen whether a job has it open, or was killed while it had
     * @param parent the run from which it branches off; null if it is no branch
     * @param parentCkptId the checkpoint of the parent with which it began; -1 if it is no branch
     * @param checkpoints its checkpoints, in the order in which a restart tries them
     * @param problem why not more is known about the checkpoints; null if all is known
     */
    record Run(
            String execId,
            boolean isNamed,
            boolean isOpen,
            @Nullable String parent,
            int parentCkptId,
            List<Checkpoint> checkpoints,
            @Nullable String problem) {}

    /**
     * A checkpoint of a run.
     *
     * @param ckptId its id
     * @param level its level
     * @param isArchived whether it is in the archive of level 4
     * @param folders the names of the directories that have its files
     * @param time when it was taken; null if the log of the run does not say it, or this machine does not see it
     * @param bytes bytes of its files
     * @param ranks the number of ranks that have data in it; 0 if unknown
     * @param state how much of it can be recovered; null if unknown
     * @param missing files that are missing
     * @param damaged files that were refused
     * @param start the last start of the run before the checkpoint was taken, as an object of JSON; null if none is
     *     recorded
     */
    record Checkpoint(
            int ckptId,
            Level level,
            boolean isArchived,
            Set<String> folders,
            @Nullable Instant time,
            long bytes,
            int ranks,
            @Nullable State state,
            Set<Path> missing,
            Set<Path> damaged,
            @Nullable String start) {

        /**
         * Returns whether every rank gets its data.
         *
         * @return true for whole and for recoverable checkpoints
         */
        public boolean isRecoverable() {
            return state == State.WHOLE || state == State.RECOVERABLE;
        }
    }

    /**
     * Finds all runs, and the checkpoints of each.
     *
     * @param data whether to read and verify all data; otherwise only metadata are read
     * @return the runs by their ids
     * @throws IOException a directory cannot be read. A run that cannot be surveyed is no reason; see {@link Run#problem}
     */
    List<Run> runs(boolean data) throws IOException;

    /**
     * Finds one run and its checkpoints.
     *
     * @param execId id of the run
     * @param data whether to read and verify all data; otherwise only metadata are read
     * @return the run
     * @throws IOException there is no such run, or a directory cannot be read
     */
    Run run(String execId, boolean data) throws IOException;

    /**
     * Finds what is left of branches that were not made to the end, and of deletions that were interrupted.
     *
     * @return directories, by their names
     * @throws IOException a directory cannot be read
     */
    List<Path> remains() throws IOException;

    /**
     * What was restored.
     *
     * @param parent the run that has the checkpoint
     * @param ckptId the checkpoint
     * @param branch the run that begins with it, with which the job starts next
     * @param formerExecId the run that the configuration file named before
     * @param formerFailure how the job would have started before
     */
    record Restored(String parent, int ckptId, String branch, String formerExecId, int formerFailure) {}

    /**
     * Lets the next start of the job begin with a checkpoint: verifies it, begins a branch with it, and writes the branch
     * into the configuration file.
     *
     * @param execId the run that has the checkpoint
     * @param ckptId id of the checkpoint
     * @param name the name of the branch; null for one that is made from the run's
     * @return what was done
     * @throws IOException there is no such checkpoint, it is damaged, or a job has the run or that of the configuration
     *     open; nothing has changed
     */
    Restored restore(String execId, int ckptId, @Nullable String name) throws IOException;

    /**
     * Restores the latest checkpoint before a time; otherwise like {@link #restore}.
     *
     * @param execId the run that has the checkpoint
     * @param time the checkpoint was taken before it
     * @param name the name of the branch; null for one that is made from the run's
     * @return what was done
     * @throws IOException as {@link #restore}
     */
    Restored restoreLatestBefore(String execId, Instant time, @Nullable String name) throws IOException;

    /**
     * What a deletion frees.
     *
     * @param what the deleted checkpoints, as {@code run/id}, or runs; in the order of deletion
     * @param bytes bytes of the files that have no other name
     * @param elsewhere names of the nodes that may still have files of a deleted run
     * @param refused why a run or a checkpoint was left as it is
     * @param remains what was finished of interrupted work; of a run that is deleted, the directories on this machine
     */
    record Deleted(List<String> what, long bytes, List<String> elsewhere, List<String> refused, List<Path> remains) {}

    /**
     * Deletes a checkpoint from the archive of level 4.
     *
     * @param execId id of the run
     * @param ckptId id of the checkpoint
     * @param dryRun whether nothing is to be changed
     * @return what was deleted, or would be
     * @throws IOException there is no such checkpoint in the archive, or a job has the run open; or files could not be
     *     deleted
     */
    Deleted delete(String execId, int ckptId, boolean dryRun) throws IOException;

    /**
     * Deletes a run with everything that this machine sees of it.
     *
     * @param execId id of the run
     * @param force whether to delete it also if the job would restart from it
     * @param dryRun whether nothing is to be changed
     * @return what was deleted, or would be
     * @throws IOException there is no such run, the job would restart from it, or a job has it open; or files could not
     *     be deleted
     */
    Deleted deleteRun(String execId, boolean force, boolean dryRun) throws IOException;

    /**
     * Which checkpoints of level 4 are kept. The values are those of the configuration file's section {@code [drumlin]};
     * null for what the file says.
     *
     * @param keep {@code keep}, a number
     * @param keepEvery {@code keep_every}, such as 6h
     * @param keepSize {@code keep_size}, such as 2T
     */
    record Rule(@Nullable String keep, @Nullable String keepEvery, @Nullable String keepSize) {}

    /**
     * Deletes the archived checkpoints that are not to be kept, and finishes interrupted work: deletions, and half-made
     * branches unless a job has their parent open. Of a checkpoint that the log of the run does not have, nobody knows how
     * old it is: it stays, and {@code refused} names it. Only checkpoints that are whole as far as their metadata tell are counted and
     * deleted. On the nodes that this machine sees, also deletes what {@code keep_l1} to {@code keep_l3} of the
     * configuration do not keep. Of a level without its key only the newest stays.
     *
     * @param execIds the runs; a run that a job has open, or that cannot be surveyed, is left as it is
     * @param rule which checkpoints are kept
     * @param dryRun whether nothing is to be changed
     * @return what was deleted, or would be
     * @throws IOException the rule is refused, or files could not be deleted
     */
    Deleted prune(List<String> execIds, Rule rule, boolean dryRun) throws IOException;
}
