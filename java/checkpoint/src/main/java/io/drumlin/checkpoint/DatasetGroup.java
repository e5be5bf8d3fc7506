package io.drumlin.checkpoint;

/**
 * A group of datasets in the files of the mode HDF5: {@code FTI_InitGroup}. The files of a run contain all of its
 * groups, also empty ones; {@link FtiCheckpoints#datasets} is the root. Not thread-safe.
 */
public interface DatasetGroup {

    /**
     * Makes a group in this group.
     *
     * @param child its name: not empty, without slashes
     * @return the new group
     * @throws IllegalArgumentException the name is not allowed or belongs to another child, or there are 256 groups
     *     already
     */
    DatasetGroup group(String child);

    /**
     * Gives the group another name in the files that are written from now on: {@code FTI_RenameGroup}. If two groups of
     * a parent have the same name, checkpoints fail.
     *
     * @param other the new name, not empty, without slashes
     * @throws IllegalArgumentException the name is not allowed, or this is the root
     */
    void rename(String other);

    /**
     * Returns the name in the parent group.
     *
     * @return empty for the root
     */
    String name();

    /**
     * Returns the names from the root to this group, each with a slash before it.
     *
     * @return empty for the root
     */
    String path();
}
