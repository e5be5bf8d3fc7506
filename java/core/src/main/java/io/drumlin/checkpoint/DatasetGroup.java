package io.drumlin.checkpoint;

import io.drumlin.format.hdf5.NewGroup;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A group of datasets in the files of the mode HDF5: {@code FTI_InitGroup}. All groups of a run are in its files, also empty
 * ones; {@link Checkpoints#datasets} is the root. Not thread-safe.
 */
public final class DatasetGroup {

    /** Groups that a run can have in C FTI, the root included. */
    private static final int MOST = 256;

    private final @Nullable DatasetGroup parent;
    private final List<DatasetGroup> children = new ArrayList<>();
    private final @Nullable DatasetGroup original;
    private String name;

    /** The root of a run. */
    DatasetGroup() {
        this(null, "", null);
    }

    private DatasetGroup(@Nullable DatasetGroup parent, String name, @Nullable DatasetGroup original) {
        this.parent = parent;
        this.name = name;
        this.original = original;
    }

    /**
     * A copy of this and all below, which what the program changes later does not change.
     *
     * @param copies get that of each group
     * @param copyOfParent of the group around this one; none for the root
     */
    DatasetGroup frozen(Map<DatasetGroup, DatasetGroup> copies, @Nullable DatasetGroup copyOfParent) {
        DatasetGroup copy = new DatasetGroup(copyOfParent, name, this);
        copies.put(this, copy);
        children.forEach(child -> copy.children.add(child.frozen(copies, copy)));
        return copy;
    }

    /** The group that this is a copy of; itself if it is none. */
    DatasetGroup original() {
        return original == null ? this : original;
    }

    /**
     * Makes a group in this one.
     *
     * @param child its name: not empty, without slashes
     * @return the new group
     * @throws IllegalArgumentException the name cannot be or is that of another child, or there are 256 groups already
     */
    public DatasetGroup group(String child) {
        requireName(child);
        if (children.stream().anyMatch(other -> other.name.equals(child))) {
            throw new IllegalArgumentException("group \"" + path() + "\" has a child " + child + " already");
        }
        if (root().count() == MOST) {
            throw new IllegalArgumentException("there are " + MOST + " groups already");
        }
        DatasetGroup made = new DatasetGroup(this, child, null);
        children.add(made);
        return made;
    }

    static void requireName(String name) {
        if (!NewGroup.isName(name)) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" is no name in an HDF5 file: it is empty or has a slash in it");
        }
    }

    private int count() {
        return 1 + children.stream().mapToInt(DatasetGroup::count).sum();
    }

    /**
     * Gives the group another name, in the files that are written from now on: {@code FTI_RenameGroup}. Where two groups come
     * to have one name, checkpoints fail.
     *
     * @param other not empty, without slashes
     * @throws IllegalArgumentException the name cannot be, or this is the root
     */
    public void rename(String other) {
        requireName(other);
        if (parent == null) {
            throw new IllegalArgumentException("the root has no name");
        }
        name = other;
    }

    /**
     * The name in the group around this one.
     *
     * @return empty for the root
     */
    public String name() {
        return name;
    }

    /** The names from the root on, each with a slash before it. */
    String path() {
        return parent == null ? "" : parent.path() + "/" + name;
    }

    DatasetGroup root() {
        return parent == null ? this : parent.root();
    }

    List<DatasetGroup> children() {
        return Collections.unmodifiableList(children);
    }
}
