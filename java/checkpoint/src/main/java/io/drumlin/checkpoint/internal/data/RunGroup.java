package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.DatasetGroup;
import io.drumlin.format.hdf5.internal.NewGroup;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An HDF5 group of a run. A checkpoint that is written while the program continues uses copies of the groups. Not
 * thread-safe.
 */
public final class RunGroup implements DatasetGroup {

    /** Most groups that a run can have in C FTI, the root included. */
    private static final int MOST = 256;

    private final @Nullable RunGroup parent;
    private final List<RunGroup> children = new ArrayList<>();
    private final @Nullable RunGroup original;
    private String name;

    /** Creates the root of a run. */
    public RunGroup() {
        this(null, "", null);
    }

    private RunGroup(@Nullable RunGroup parent, String name, @Nullable RunGroup original) {
        this.parent = parent;
        this.name = name;
        this.original = original;
    }

    /**
     * Returns a copy of this group and all groups below it. Later changes by the program do not affect the copy.
     *
     * @param copies receives the copy of each group
     * @param copyOfParent copy of the parent group; {@code null} for the root
     */
    public RunGroup frozen(Map<RunGroup, RunGroup> copies, @Nullable RunGroup copyOfParent) {
        RunGroup copy = new RunGroup(copyOfParent, name, this);
        copies.put(this, copy);
        children.forEach(child -> copy.children.add(child.frozen(copies, copy)));
        return copy;
    }

    /** Returns the group that this is a copy of, or this group if it is not a copy. */
    public RunGroup original() {
        return original == null ? this : original;
    }

    @Override
    public RunGroup group(String child) {
        requireName(child);
        if (children.stream().anyMatch(other -> other.name.equals(child))) {
            throw new IllegalArgumentException("group \"" + path() + "\" has a child " + child + " already");
        }
        if (root().count() == MOST) {
            throw new IllegalArgumentException("there are " + MOST + " groups already");
        }
        RunGroup made = new RunGroup(this, child, null);
        children.add(made);
        return made;
    }

    /**
     * Returns the group as this class.
     *
     * @throws IllegalArgumentException the program has implemented the interface itself
     */
    public static RunGroup of(DatasetGroup group) {
        if (group instanceof RunGroup own) {
            return own;
        }
        throw new IllegalArgumentException("group \"" + group.name() + "\" is of no run");
    }

    /**
     * Checks a name for an HDF5 file.
     *
     * @throws IllegalArgumentException the name is empty or contains a slash
     */
    public static void requireName(String name) {
        if (!NewGroup.isName(name)) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" is no name in an HDF5 file: it is empty or has a slash in it");
        }
    }

    private int count() {
        return 1 + children.stream().mapToInt(RunGroup::count).sum();
    }

    @Override
    public void rename(String other) {
        requireName(other);
        if (parent == null) {
            throw new IllegalArgumentException("the root has no name");
        }
        name = other;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String path() {
        return parent == null ? "" : parent.path() + "/" + name;
    }

    /** Returns the root group of the run. */
    public RunGroup root() {
        return parent == null ? this : parent.root();
    }

    /** Returns the groups directly below this one. */
    public List<RunGroup> children() {
        return Collections.unmodifiableList(children);
    }
}
