package io.drumlin.scr.internal.index;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.store.KvFields;
import java.util.Optional;

/** The formats of an index; docs/formats/scr.md, section 3. An index keeps the format in which it was read. */
public enum IndexFormat {
    /**
     * SCR 1.1 and its development versions since 2011: {@code DSET/id/DIR/directory}. Every dataset is a checkpoint.
     */
    DIR("1", "DIR"),
    /** SCR 1.2 and 2.0: {@code DSET/id/NAME/name}. */
    NAME("1", "NAME"),
    /** SCR 3: {@code DSET/id}, one name for an id. */
    FLAT("2", "NAME");

    private final String version;
    private final String names;

    IndexFormat(String version, String names) {
        this.version = version;
        this.names = names;
    }

    /** Returns the value of the key VERSION. */
    String version() {
        return version;
    }

    /** Returns the key of the map from names to ids; except for FLAT, also the key of the names of an id. */
    String names() {
        return names;
    }

    /** Returns whether descriptors record whether a dataset is a checkpoint. */
    boolean hasFlags() {
        return this != DIR;
    }

    /** Returns the format of an index; empty if its VERSION is unknown. */
    static Optional<IndexFormat> of(KvTree index) {
        int version = KvFields.integer(index, "VERSION").orElse(-1);
        if (version == 2) {
            return Optional.of(FLAT);
        }
        if (version != 1) {
            return Optional.empty();
        }
        KvTree datasets = index.get("DSET");
        boolean byDirectory = index.has("DIR")
                || (datasets != null && datasets.entries().values().stream().anyMatch(dataset -> dataset.has("DIR")));
        return Optional.of(byDirectory ? DIR : NAME);
    }
}
