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
 * <p>These files do not belong to a level. They have their own directory and are kept when the run
 * {@link Checkpoints#complete completes}. With {@code failure = 3} in the configuration, a new run begins with the data
 * of the newest file. {@link Checkpoints#recover()} then reads the variables that are subsets, is collective, and
 * throws on all ranks if it fails on any. Variables that are not subsets are not in the file. Like those of C FTI, the
 * files have no checksums of the elements. Not thread-safe.
 */
public interface SingleFile {

    /**
     * Declares a dataset of all ranks: {@code FTI_DefineGlobalDataset}. Not collective, but every rank must declare the
     * same datasets in the same order.
     *
     * @param name name of the dataset, without slashes
     * @param dimensions 1 to 32, the last varying fastest
     * @param type type of an element
     * @param group a group of this run
     * @return the dataset; no rank has a part of it yet
     * @throws IllegalArgumentException the name, the dimensions or the group are not allowed
     */
    GlobalDataset globalDataset(String name, List<Long> dimensions, DataType type, DatasetGroup group);

    /**
     * Declares a dataset of all ranks in the root group; otherwise like
     * {@link #globalDataset(String, List, DataType, DatasetGroup)}.
     *
     * @param name name of the dataset, without slashes
     * @param dimensions 1 to 32, the last varying fastest
     * @param type type of an element
     * @return the dataset; no rank has a part of it yet
     * @throws IllegalArgumentException the name or the dimensions are not allowed
     */
    GlobalDataset globalDataset(String name, List<Long> dimensions, DataType type);

    /**
     * Says which elements of a global dataset a variable holds, or changes them: {@code FTI_AddSubset},
     * {@code FTI_UpdateSubset}. At the next checkpoint or recovery the subsets of all ranks must cover the whole
     * dataset without overlap.
     *
     * @param id a protected variable with as many elements as the subset and the element type of the dataset; a
     *     variable is a subset of only one dataset
     * @param dataset a dataset of this run
     * @param offset index of the first element, along each dimension
     * @param count number of elements along each dimension; 0 for a rank that has none
     * @throws IllegalArgumentException the variable is not protected, the dataset belongs to another run, or it has
     *     another number of dimensions
     */
    void subset(int id, GlobalDataset dataset, List<Long> offset, List<Long> count);

    /**
     * Returns whether a variable is a subset of a dataset.
     *
     * @param id any number
     * @param dataset a dataset of this run
     * @return whether the last call of {@link #subset} for this variable named the dataset
     */
    boolean isSubset(int id, GlobalDataset dataset);

    /**
     * Returns the file from which the run restarts.
     *
     * @return empty unless the run was started with {@code failure = 3}
     */
    Optional<Path> restartFile();

    /**
     * Gives a dataset the dimensions that it has in the restart file: {@code FTI_RecoverDatasetDimension}.
     *
     * @param dataset a dataset of this run, with as many dimensions as in the file
     * @throws IOException there is no restart file, the dataset is not in it, or it has another number of dimensions
     *     there
     */
    void recoverDimensions(GlobalDataset dataset) throws IOException;

    /**
     * Writes a checkpoint of all variables that are subsets to a new file. Collective. When this method returns, the
     * file is durable, and the previous file of this run is deleted unless {@code h5_single_file_keep = 1}. When it
     * throws, there is no new file, unless only that deletion failed. The application ranks write the file before the
     * method returns, even if there are heads.
     *
     * @param ckptId number of the checkpoint, 0 or above; part of the file name
     * @return size and times of the checkpoint; its level is {@link Level#L4}
     * @throws IOException on all ranks, if it failed on any: shared files are not enabled, the declarations do not fit
     *     together, or the file cannot be written
     * @throws IllegalArgumentException on all ranks: the id is below 0
     */
    CheckpointReport checkpoint(int ckptId) throws IOException;

    /**
     * Begins a checkpoint in a shared file whose variables are added one by one. Variables that are not subsets may be
     * added too, but are not stored. The program declares a subset before it adds it, and global datasets before it
     * calls this method. Collective.
     *
     * @param ckptId number of the checkpoint, 0 or above; part of the file name
     * @return the checkpoint, to be committed by the program
     * @throws IOException on all ranks: shared files are not enabled, or the file cannot be created
     * @throws IllegalArgumentException on all ranks: the id is below 0
     * @throws IllegalStateException another incremental checkpoint is open
     */
    IncrementalCheckpoint incremental(int ckptId) throws IOException;
}
