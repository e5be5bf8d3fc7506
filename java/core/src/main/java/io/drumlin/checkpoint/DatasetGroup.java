package io.drumlin.checkpoint;

/**
 * A group of datasets in the files of the mode HDF5: {@code FTI_InitGroup}. All groups of a run are in its files, also empty
 * ones; {@link Checkpoints#datasets} is the root. Not thread-safe.
 */
public interface DatasetGroup {

    /**
     * Makes a group in this one.
     *
     * @param child its name: not empty, without slashes
     * @return the new group
     * @throws IllegalArgumentException the name cannot be or is that of another child, or there are 256 groups already
     */
    DatasetGroup group(String child);

    /**
     * Gives the group another name, in the files that are written from now on: {@code FTI_RenameGroup}. Where two groups come
     * to have one name, checkpoints fail.
     *
     * @param other not empty, without slashes
     * @throws IllegalArgumentException the name cannot be, or this is the root
     */
    void rename(String other);

    /**
     * The name in the group around this one.
     *
     * @return empty for the root
     */
    String name();

    /**
     * The names from the root on, each with a slash before it.
     *
     * @return empty for the root
     */
    String path();
}
