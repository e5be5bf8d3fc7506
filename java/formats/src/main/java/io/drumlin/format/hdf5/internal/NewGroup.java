package io.drumlin.format.hdf5.internal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A group of a file to be written, with its members. Not thread-safe. */
public final class NewGroup implements NewObject {

    /** The members in the order of a symbol table, which is that of their bytes. */
    private final TreeMap<String, NewObject> members =
            new TreeMap<>((one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other)));

    /** Largest size of an attribute, of which a message with less than 64 KiB consists. */
    private static final int MOST_ATTRIBUTE = 60_000;

    private final Map<String, String> attributes = new TreeMap<>();

    long header;
    long tree;
    long heap;

    /** Makes an empty group: the root of a new file. */
    public NewGroup() {}

    static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Adds an object to the group.
     *
     * @param <T> type of the object
     * @param name not empty, without slashes and NULs
     * @param object an object that is in no group yet
     * @return the object
     * @throws IllegalArgumentException the name is invalid, or is in use here
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
     * Returns whether a text can be a name.
     *
     * @param name any text
     * @return false if it is empty, {@code .}, or contains a slash or a NUL
     */
    public static boolean isName(String name) {
        return !name.isEmpty() && !name.equals(".") && name.indexOf('/') < 0 && name.indexOf('\0') < 0;
    }

    /**
     * Returns the object of a name in this group.
     *
     * @param name name of the object
     * @return empty if there is no such object
     */
    public Optional<NewObject> get(String name) {
        return Optional.ofNullable(members.get(name));
    }

    /**
     * Gives the group a text.
     *
     * @param name name of the attribute
     * @param value the text
     * @throws IllegalArgumentException there are so many bytes that they do not fit into a message
     */
    public void attribute(String name, String value) {
        NewGroup.requireShort(name, value);
        attributes.put(name, value);
    }

    Map<String, String> attributes() {
        return attributes;
    }

    static void requireShort(String name, String value) {
        if (bytes(name).length + bytes(value).length > MOST_ATTRIBUTE) {
            throw new IllegalArgumentException("attribute " + name + " has more than " + MOST_ATTRIBUTE + " bytes");
        }
    }

    public Map<String, NewObject> members() {
        return members;
    }

    @Override
    public long header() {
        return header;
    }
}
