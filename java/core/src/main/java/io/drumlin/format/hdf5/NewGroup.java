package io.drumlin.format.hdf5;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A group of a file that is to be written, and what is in it. Not thread-safe. */
public final class NewGroup implements NewObject {

    /** In the order in which a symbol table has them: that of their bytes. */
    private final TreeMap<String, NewObject> members =
            new TreeMap<>((one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other)));

    long header;
    long tree;
    long heap;

    /** A group without anything in it: the root of a new file. */
    public NewGroup() {}

    static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Puts something into the group.
     *
     * @param <T> what it is
     * @param name not empty, without slashes and NULs
     * @param object that is in no group yet
     * @return the object
     * @throws IllegalArgumentException the name cannot be, or is in use here
     */
    public <T extends NewObject> T add(String name, T object) {
        if (!isName(name)) {
            throw new IllegalArgumentException("\"" + name + "\" is no name in an HDF5 file");
        }
        if (members.putIfAbsent(name, object) != null) {
            throw new IllegalArgumentException("the name " + name + " is used twice in a group");
        }
        return object;
    }

    /**
     * Whether something can have a name.
     *
     * @param name any text
     * @return false if it is empty, {@code .}, or has a slash or a NUL in it
     */
    public static boolean isName(String name) {
        return !name.isEmpty() && !name.equals(".") && name.indexOf('/') < 0 && name.indexOf('\0') < 0;
    }

    /**
     * What has a name in this group.
     *
     * @param name of the object
     * @return empty if there is no such object
     */
    public Optional<NewObject> get(String name) {
        return Optional.ofNullable(members.get(name));
    }

    Map<String, NewObject> members() {
        return members;
    }

    @Override
    public long header() {
        return header;
    }
}
