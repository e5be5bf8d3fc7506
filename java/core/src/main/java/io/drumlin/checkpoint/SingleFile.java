package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Checkpoints in one HDF5 file of all ranks, from which any number of ranks can restart: level 9 of C FTI, with
 * {@code ckpt_io = 5} and {@code h5_single_file_enable = 1}.
 *
 * <pre>{@code
 * SingleFile file = checkpoints.singleFile();
 * GlobalDataset grid = file.globalDataset("grid", List.of(rows, columns), ElementType.DBLE);
 * checkpoints.protect(0, block);
 * file.subset(0, grid, List.of(firstRow, 0L), List.of(blockRows, columns));
 * if (checkpoints.isRestart()) {
 *     checkpoints.recover();
 * }
 * ...
 * file.checkpoint(7);
 * }</pre>
 *
 * <p>These files are apart from the levels: they are in a directory of their own, stay when the run {@link Checkpoints#complete
 * completes}, and a restart takes the newest of them where the configuration says {@code failure = 3}; that is a new run.
 * {@link Checkpoints#recover()} then reads the variables that are subsets, is collective, and throws on all ranks if it does on any.
 * What is no subset is not in the file. The files have no checksums of the elements, as those of C FTI. Not thread-safe.
 */
public interface SingleFile {

    /**
     * Declares a dataset of all ranks: {@code FTI_DefineGlobalDataset}. Not collective, but every rank declares the same ones in one
     * order.
     *
     * @param name of the dataset, without slashes
     * @param dimensions 1 to 32, the last varying fastest
     * @param type of an element
     * @param group of this run
     * @return the dataset, of which no rank has a part yet
     * @throws IllegalArgumentException name, dimensions or group cannot be
     */
    GlobalDataset globalDataset(String name, List<Long> dimensions, DataType type, DatasetGroup group);

    /**
     * Declares a dataset of all ranks in the root group, otherwise as
     * {@link #globalDataset(String, List, DataType, DatasetGroup)}.
     *
     * @param name of the dataset, without slashes
     * @param dimensions 1 to 32, the last varying fastest
     * @param type of an element
     * @return the dataset, of which no rank has a part yet
     * @throws IllegalArgumentException name or dimensions cannot be
     */
    GlobalDataset globalDataset(String name, List<Long> dimensions, DataType type);

    /**
     * Says which elements of a global dataset a variable is, or says it anew: {@code FTI_AddSubset}, {@code FTI_UpdateSubset}. At the
     * next checkpoint or recovery the subsets of all ranks must be all of the dataset, and not overlap.
     *
     * @param id a protected variable, of as many elements and of the type of the dataset; a variable is the subset of one dataset
     * @param dataset of this run
     * @param offset of the first element, along each dimension
     * @param count elements along each dimension; 0 for a rank that has none
     * @throws IllegalArgumentException the variable is not protected, the dataset of another run, or of another rank
     */
    void subset(int id, GlobalDataset dataset, List<Long> offset, List<Long> count);

    /**
     * Whether a variable is a subset of a dataset.
     *
     * @param id any number
     * @param dataset of this run
     * @return whether {@link #subset} said so last
     */
    boolean isSubset(int id, GlobalDataset dataset);

    /**
     * The file that the restart begins with.
     *
     * @return empty unless the run was started with {@code failure = 3}
     */
    Optional<Path> restartFile();

    /**
     * Gives a dataset the dimensions that it has in the file of the restart: {@code FTI_RecoverDatasetDimension}.
     *
     * @param dataset of this run, of the same rank
     * @throws IOException there is no such file, the dataset is not in it or of another rank there
     */
    void recoverDimensions(GlobalDataset dataset) throws IOException;

    /**
     * Takes a checkpoint of all variables that are subsets into a file of its own. Collective. When it returns the file is durable, and
     * the one that this run has written before is deleted unless {@code h5_single_file_keep = 1}; when it throws there is no new
     * file, unless only that deletion failed. It is the ranks of the application that write, before this returns, also with heads.
     *
     * @param ckptId number of the checkpoint, 0 or above; part of the file's name
     * @return what it took; its level is {@link Level#L4}
     * @throws IOException on all ranks, if it failed on any: shared files are not enabled, what is declared does not fit together, or
     *     the file cannot be written
     * @throws IllegalArgumentException on all ranks: the id is below 0
     */
    CheckpointReport checkpoint(int ckptId) throws IOException;

    /**
     * Begins a checkpoint in a shared file whose variables are added one by one; those that are no subsets may be added too, and are
     * not stored. Subsets are declared before they are added, and global datasets before this. Collective.
     *
     * @param ckptId as for {@link #checkpoint}
     * @return to be committed
     * @throws IOException on all ranks: shared files are not enabled, or the file cannot be made
     * @throws IllegalArgumentException on all ranks: the id is below 0
     * @throws IllegalStateException another one is open
     */
    IncrementalCheckpoint incremental(int ckptId) throws IOException;
}
