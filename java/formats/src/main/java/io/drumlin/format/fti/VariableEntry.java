package io.drumlin.format.fti;

import java.util.List;

/**
 * The metadata of a variable; docs/formats/fti-posix.md, section 3.
 *
 * @param id id of the protected variable, 0 or more
 * @param typeId 0 to 10 for C FTI's own types, -1 for others
 * @param typeSize size of an element in bytes
 * @param size size of the variable in bytes
 * @param pos byte offset in the rank's file; meaningless in differential checkpoints
 * @param name the attribute name, empty if it was not set; one character per byte
 * @param idChar the name of the id, empty if it has none; one character per byte
 * @param dims the attribute dimensions, at most {@value #MAX_DIMS}; empty if they were not set
 */
public record VariableEntry(
        int id, int typeId, long typeSize, long size, long pos, String name, String idChar, List<Long> dims) {

    /** Largest number of dimensions of an attribute. */
    public static final int MAX_DIMS = 32;

    /**
     * Copies the list.
     *
     * @param id 0 or more
     * @param typeId -1 to 10
     * @param typeSize size in bytes
     * @param size size in bytes
     * @param pos byte offset
     * @param name the attribute name
     * @param idChar the name of the id
     * @param dims the attribute dimensions
     */
    public VariableEntry {
        dims = List.copyOf(dims);
    }

    /** Returns this variable at another position. */
    VariableEntry at(long position) {
        return new VariableEntry(id, typeId, typeSize, size, position, name, idChar, dims);
    }

    void define(String prefix, IniText text, Release release) {
        boolean isTyped = release == Release.V1_5;
        text.define(prefix + "_id", id);
        if (isTyped) {
            text.define(prefix + "_typeid", typeId);
            text.define(prefix + "_typesize", typeSize);
        }
        text.define(prefix + "_size", size);
        if (release != Release.V1_0) {
            text.define(prefix + "_pos", pos);
        }
        if (release.compareTo(Release.V1_4) >= 0) {
            text.define(prefix + "_name", name);
        }
        if (!isTyped) {
            return;
        }
        text.define(prefix + "_idchar", idChar);
        text.define(prefix + "_ndims", dims.size());
        for (int i = 0; i < dims.size(); i++) {
            text.define(prefix + "_dim" + i, dims.get(i));
        }
    }
}
