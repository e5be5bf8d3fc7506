package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.LongConsumer;

/**
 * What a run has left of its checkpoints, and what a restart would make of it. The files are judged by the code that restarts,
 * on a thread per rank of the run; nothing is changed (docs/formats/fti-run-directory.md, section 5).
 *
 * <p>All directories of the run must be seen from here. Where they are those of nodes, as with {@code local_test = 0}, the ranks
 * are taken to be numbered node by node, and of levels 1 to 3 only what this machine has is found. Immutable; not to be used
 * while the run goes on, which changes its files.
 */
public interface RunSurvey {

    /**
     * Finds the run that a configuration file describes.
     *
     * @param configFile configuration file of C FTI
     * @param workingDirectory where the run was started: relative directories of the configuration are below it
     * @return the run
     * @throws IOException the configuration is refused or that of another number of ranks, or the run's {@code Topology.fti} cannot be
     *     read, without which there is no restart
     */
    static RunSurvey open(Path configFile, Path workingDirectory) throws IOException {
        return CheckpointsProvider.installed().survey(configFile, workingDirectory, null);
    }

    /**
     * Finds another run than the one that a configuration file names, otherwise as {@link #open(Path, Path)}.
     *
     * @param configFile configuration file of C FTI
     * @param workingDirectory where the run was started: relative directories of the configuration are below it
     * @param execId which run
     * @return the run
     * @throws IOException as {@link #open(Path, Path)}
     */
    static RunSurvey open(Path configFile, Path workingDirectory, String execId) throws IOException {
        return CheckpointsProvider.installed().survey(configFile, workingDirectory, execId);
    }

    /**
     * The same run, and somebody is told how much of its files was read: as a whole, about the {@link RunReport.Checkpoint#bytes} of those
     * checkpoints that may be recoverable.
     *
     * @param read gets the number of bytes of each read, from several threads
     * @return another survey
     */
    RunSurvey watchedBy(LongConsumer read);

    /**
     * The run's id, the name of its directories.
     *
     * @return as in the configuration file
     */
    String execId();

    /**
     * What the next start is, by the configuration file.
     *
     * @return 0 a fresh start, 1 a restart, 2 a restart from a kept checkpoint
     */
    int failure();

    /**
     * How the data became files.
     *
     * @return {@code ckpt_io} of the configuration: 1 POSIX, 2 MPI-IO, 3 FTI-FF, 4 SIONlib, 5 HDF5
     */
    int ioMode();

    /**
     * The nodes of the run, of which each {@code group_size} keep redundancy for each other.
     *
     * @return their names in their order
     */
    List<String> nodeNames();

    /**
     * How many nodes make a group.
     *
     * @return 1 or more
     */
    int groupSize();

    /**
     * How many ranks the run has, heads included.
     *
     * @return 1 or more
     */
    int ranks();

    /**
     * Whether levels 1 to 3 lie on several nodes, so that one machine cannot see all of them.
     *
     * @return false if they lie below one directory
     */
    boolean isSpread();

    /**
     * Looks at all checkpoints of the run.
     *
     * @param data whether to read all files of those that may be recoverable, as a restart does; otherwise metadata only
     * @return what is left
     * @throws IOException the run cannot be surveyed: its topology does not fit the configuration, there is no memory, ...
     */
    RunReport report(boolean data) throws IOException;

    /**
     * A file that has the data of a rank, whole.
     *
     * @param level of the checkpoint
     * @param ckptId id of the checkpoint
     * @param source what it is
     * @param path where it lies
     * @param variables by id, where their bytes are, in their order; no parts in the mode HDF5, whose file has datasets
     */
    record RankFile(Level level, int ckptId, DataSource source, Path path, SortedMap<Integer, List<Part>> variables) {}

    /**
     * Bytes of a file.
     *
     * @param offset of the first
     * @param length how many
     */
    record Part(long offset, long length) {}

    /**
     * Finds or makes a file with the data of a rank, of the checkpoint that a restart would take, and verifies it.
     *
     * @param rank 0 to {@link #ranks} - 1
     * @param scratch an empty directory, where lost files of the rank's group come to be if they must be decoded
     * @return empty if no checkpoint can be recovered
     * @throws IOException as {@link #report}, or the file cannot be made
     */
    Optional<RankFile> fetch(int rank, Path scratch) throws IOException;
}
