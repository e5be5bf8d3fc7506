package io.drumlin.format.fti;

import java.util.List;

/**
 * What the metadata say of a layer of a differential checkpoint; docs/formats/fti-posix.md, section 5.
 *
 * @param size bytes of the layer in the file
 * @param hash the first 15 bytes of the layer's digest, 30 lower-case hexadecimal digits
 * @param variables the variables when the layer was written
 */
public record LayerEntry(long size, String hash, List<Variable> variables) {

    /**
     * A variable at the time of a layer.
     *
     * @param id id of the protected variable
     * @param size bytes of the variable
     */
    public record Variable(int id, long size) {}

    /**
     * Copies the list.
     *
     * @param size bytes
     * @param hash 30 digits
     * @param variables when the layer was written
     */
    public LayerEntry {
        variables = List.copyOf(variables);
    }

    void define(String prefix, IniText text) {
        text.define(prefix + "_size", size);
        text.define(prefix + "_hash", hash);
        for (int i = 0; i < variables.size(); i++) {
            text.define(prefix + "_var" + i + "_id", variables.get(i).id);
            text.define(prefix + "_var" + i + "_size", variables.get(i).size);
        }
    }
}
