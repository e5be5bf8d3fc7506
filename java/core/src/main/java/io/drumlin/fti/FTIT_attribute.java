package io.drumlin.fti;

import java.util.List;

/**
 * {@code FTIT_attribute}: what the metadata tell of a variable besides its values.
 *
 * @param name a name, or empty
 * @param dim at most 32 dimensions
 */
@SuppressWarnings({"checkstyle:TypeName", "TypeName"}) // the name is C FTI's
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
