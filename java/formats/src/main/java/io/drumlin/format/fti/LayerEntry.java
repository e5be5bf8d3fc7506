package io.drumlin.format.fti;

import java.util.List;

/**
 * The metadata of a layer of a differential checkpoint; docs/formats/fti-posix.md, section 5.
 *
 * @param size size of the layer in the file, in bytes
 * @param hash the first 15 bytes of the layer's digest, 30 lower-case hexadecimal digits; all 32 before v1.5
 * @param variables the variables when the layer was written; none if they are unknown. C FTI writes those of the last
 *     layer for all layers
 * @param ckptId id of the checkpoint that wrote the layer, -1 if it is unknown. C FTI writes it only for the last layer
 */
public record LayerEntry(long size, String hash, List<Variable> variables, int ckptId) {

    /** Digits of a hash before v1.5. */
    static final int LONG_HASH = 32;

    static final String VARIABLE = "_var";

    /** Drumlin's own key; C FTI ignores it. */
    static final String OWN_VARIABLE = "_drumlin_var";

    static final String OWN_CKPT_ID = "_drumlin_ckpt_id";

    /**
     * A variable at the time of a layer.
     *
     * @param id id of the protected variable
     * @param size size of the variable in bytes
     */
    public record Variable(int id, long size) {}

    /**
     * Copies the list.
     *
     * @param size size in bytes
     * @param hash 30 digits
     * @param variables the variables when the layer was written
     * @param ckptId id of the checkpoint
     */
    public LayerEntry {
        variables = List.copyOf(variables);
    }

    /**
     * @param newest the variables of the last layer; C FTI writes them for all layers
     */
    void define(String prefix, List<Variable> newest, IniText text) {
        text.define(prefix + "_size", size);
        text.define(prefix + "_hash", hash);
        defineAll(prefix + VARIABLE, newest, text);
        if (!variables.isEmpty() && !variables.equals(newest)) {
            defineAll(prefix + OWN_VARIABLE, variables, text);
        }
        if (ckptId >= 0) {
            text.define(prefix + OWN_CKPT_ID, ckptId);
        }
    }

    private static void defineAll(String prefix, List<Variable> variables, IniText text) {
        for (int i = 0; i < variables.size(); i++) {
            text.define(prefix + i + "_id", variables.get(i).id);
            text.define(prefix + i + "_size", variables.get(i).size);
        }
    }
}
