package io.drumlin.checkpoint.internal.config;

import io.drumlin.checkpoint.Level;
import java.util.EnumSet;

/** The kinds of checkpoint files of a rank, with the words in their names. */
public enum FileKind {
    /** The rank's own data. */
    PLAIN("Rank"),
    /** Level 2: a copy of the left neighbour's plain file. */
    PARTNER("Pcof"),
    /** Level 3: the rank's part of the group's Reed-Solomon code. */
    ENCODED("RSed");

    private final String word;

    FileKind(String word) {
        this.word = word;
    }

    /** Returns the kinds of files that a checkpoint of a level has. */
    public static EnumSet<FileKind> of(Level level) {
        return switch (level) {
            case L1, L4_DCP, L4 -> EnumSet.of(PLAIN);
            case L2 -> EnumSet.of(PLAIN, PARTNER);
            case L3 -> EnumSet.of(PLAIN, ENCODED);
        };
    }

    public String word() {
        return word;
    }
}
