package io.drumlin.checkpoint.internal.config;

import io.drumlin.DrumlinException;
import io.drumlin.format.fti.IniFile;

/**
 * What the configuration file says of the checkpoints that a restarted run has of its own, beside those of its groups:
 * the key {@code groups_only} of {@code [drumlin]} (docs/formats/fti-run-directory.md, section 18).
 */
public enum OwnCheckpoints {
    /** It has some, and a restart that finds none has lost them: the file has no such key. */
    SOME,
    /** It has none. Only groups have. */
    NONE,
    /** The first one was begun. Whether it was completed is not known until it is found. */
    BEGUN;

    private static final String SECTION = "drumlin";

    private static final String KEY = "groups_only";

    private static final String BEGUN_SUFFIX = " begun";

    /** Reads the key. What it says of another run is of no account. */
    public static OwnCheckpoints of(FtiConfig config) {
        String value = config.ini().get(SECTION, KEY).orElse("");
        if (config.failure() == 0 || value.isEmpty()) {
            return SOME;
        }
        if (value.equals(config.execId())) {
            return NONE;
        }
        return value.equals(config.execId() + BEGUN_SUFFIX) ? BEGUN : SOME;
    }

    /** Returns a configuration file that says this of a run. */
    public IniFile in(IniFile ini, String execId) throws DrumlinException {
        if (this == SOME) {
            return ini.without(SECTION, KEY);
        }
        return ini.with(SECTION, KEY, this == NONE ? execId : execId + BEGUN_SUFFIX);
    }

    /** Returns the line with which a person says that a run has no checkpoint of its own. */
    public static String noneOf(String execId) {
        return "[" + SECTION + "] " + KEY + " = " + execId;
    }
}
