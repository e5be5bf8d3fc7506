package io.drumlin.fti;

import java.util.List;

/**
 * {@code FTIT_attribute}: the attributes of a variable in the metadata, besides its values.
 *
 * @param name a name, or empty
 * @param dim at most 32 dimensions
 */
@SuppressWarnings({"checkstyle:TypeName", "TypeName"}) // The name is C FTI's.
public record FTIT_attribute(String name, List<Long> dim) {

    /**
     * Copies the dimensions.
     *
     * @param name a name, or empty
     * @param dim at most 32 dimensions
     */
    public FTIT_attribute {
        dim = List.copyOf(dim);
    }
}
