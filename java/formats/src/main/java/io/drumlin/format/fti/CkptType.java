package io.drumlin.format.fti;

import java.util.Locale;

/** The {@code ckpt_type} of metadata. */
public enum CkptType {
    /** Files with all variables. */
    FULL,
    /** Differential checkpoint: files with layers of changed blocks. */
    DCP;

    /** Returns the value in the file. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
