package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is left of a run's checkpoints and what a restart would recover from them. The files are checked by the
 * same code as in a restart, with one thread per rank of the run. No file is changed
 * (docs/formats/fti-run-directory.md, section 5).
 *
 * <p>All directories of the run must be visible on this machine. If each node has its own directories, as with
 * {@code local_test = 0}, the survey assumes that the ranks are numbered node by node, and of levels 1 to 3 it finds
 * only the files on this machine. Immutable. A survey must not be used while the run is active, because the run changes
 * its files.
 */
public interface RunSurvey {

    /**
     * Finds the run that a configuration file describes.
     *
     * @param configFile configuration file of C FTI
     * @param workingDirectory where the run was started: relative directories of the configuration are below it
     * @return the run
     * @throws IOException the configuration is refused or belongs to another number of ranks, or the run's
     *     {@code Topology.fti}, which every restart needs, cannot be read
     */
    static RunSurvey open(Path configFile, Path workingDirectory) throws IOException {
        return CheckpointsProvider.installed().survey(configFile, workingDirectory, null);
    }

    /**
     * Finds a run by its id instead of the id in the configuration file; otherwise like {@link #open(Path, Path)}.
     *
     * @param configFile configuration file of C FTI
     * @param workingDirectory where the run was started: relative directories of the configuration are below it
     * @param execId id of the run
     * @return the run
     * @throws IOException as {@link #open(Path, Path)}
     */
    static RunSurvey open(Path configFile, Path workingDirectory, String execId) throws IOException {
        return CheckpointsProvider.installed().survey(configFile, workingDirectory, execId);
    }

    /**
     * Returns a survey of the same run that reports how many bytes it reads. The sum is about the
     * {@link RunReport.Checkpoint#bytes} of those checkpoints that may be recoverable.
     *
     * @param read receives the number of bytes of each read, from several threads
     * @return another survey
     */
    RunSurvey watchedBy(LongConsumer read);

    /**
     * Returns a survey of the same run of which {@link #fetch} and {@link #fetchAll} take the checkpoint with an id: at a
     * level, in the archive of level 4, or kept on the nodes. Of several with this id at the levels they take the one that
     * a restart would use. If there are several at other places, they refuse.
     *
     * @param ckptId id of the checkpoint
     * @return another survey
     */
    RunSurvey choosing(int ckptId);

    /**
     * Returns the id of the run, which names its directories.
     *
     * @return as in the configuration file
     */
    String execId();

    /**
     * Returns by whom the run was written, if the configuration file is one of other ranks. The survey is then of the ranks
     * that have written it.
     *
     * @return words for people, with what these other ranks can recover; empty if the ranks are the same
     */
    Optional<String> writtenByOthers();

    /**
     * Returns how the run starts next according to the configuration file.
     *
     * @return 0 a fresh start, 1 a restart, 2 a restart from a kept checkpoint
     */
    int failure();

    /**
     * Returns how the run writes its files.
     *
     * @return {@code ckpt_io} of the configuration: 1 POSIX, 2 MPI-IO, 3 FTI-FF, 4 SIONlib, 5 HDF5
     */
    int ioMode();

    /**
     * Returns the names of the run's nodes. Every {@code group_size} of them keep redundancy for each other.
     *
     * @return the names in the order of nodes
     */
    List<String> nodeNames();

    /**
     * Returns how many nodes make a group.
     *
     * @return 1 or more
     */
    int groupSize();

    /**
     * Returns how many ranks the run has, heads included.
     *
     * @return 1 or more
     */
    int ranks();

    /**
     * Returns whether the files of levels 1 to 3 lie on several nodes, so that one machine cannot see all of them.
     *
     * @return false if they lie below one directory
     */
    boolean isSpread();

    /**
     * Inspects all checkpoints of the run.
     *
     * @param data whether to read all files of the checkpoints that may be recoverable, as a restart does; otherwise
     *     only metadata are read
     * @return the checkpoints and problems found
     * @throws IOException the run cannot be surveyed, for example because its topology does not fit the configuration
     *     or memory is short
     */
    RunReport report(boolean data) throws IOException;

    /**
     * A whole file with the data of a rank.
     *
     * @param rank the rank
     * @param level level of the checkpoint
     * @param ckptId id of the checkpoint
     * @param source the source of the data
     * @param path path of the file
     * @param variables the parts of each variable in the file, in their order, by the variable's id; no parts in the
     *     mode HDF5, whose files have datasets
     * @param metadata the metadata file of the rank's group, which has the types of the variables; null in the mode
     *     FTI-FF, whose files have no types
     * @param member number of the rank in the group, and so of its file in the metadata
     * @param passedOver a newer checkpoint, in words, of which files are missing or damaged, so that a restart would
     *     warn; empty if there is none, or if the checkpoint was {@linkplain #choosing chosen}
     */
    record RankFile(
            int rank,
            Level level,
            int ckptId,
            DataSource source,
            Path path,
            SortedMap<Integer, List<Part>> variables,
            @Nullable Path metadata,
            int member,
            Optional<String> passedOver) {}

    /**
     * A range of bytes in a file.
     *
     * @param offset offset of the first byte
     * @param length number of bytes
     */
    record Part(long offset, long length) {}

    /**
     * Finds or rebuilds a rank's file of the checkpoint that a restart would use, or of the chosen one, and verifies it.
     *
     * @param rank 0 to {@link #ranks} - 1
     * @param scratch an empty directory for the lost files of the rank's group, if they must be decoded
     * @return empty if no checkpoint can be recovered
     * @throws IOException the run cannot be surveyed, see {@link #report}, there are several chosen ones, or the file
     *     cannot be written
     */
    Optional<RankFile> fetch(int rank, Path scratch) throws IOException;

    /**
     * Finds or rebuilds the files of all ranks as {@link #fetch} does, and reads each of them only once.
     *
     * @param scratch an empty directory for the lost files of all groups, if they must be decoded
     * @return the files in the order of ranks, without heads; empty if no checkpoint can be recovered
     * @throws IOException the run cannot be surveyed, see {@link #report}, there are several chosen ones, or a file
     *     cannot be written
     */
    List<RankFile> fetchAll(Path scratch) throws IOException;
}
