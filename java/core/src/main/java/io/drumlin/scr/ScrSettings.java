package io.drumlin.scr;

import io.drumlin.DrumlinException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/** Parameters of SCR that were looked up and parsed. */
record ScrSettings(Map<String, String> values) {

    String text(String key) {
        return values.getOrDefault(key, "");
    }

    private String text(String key, String otherwise) {
        return text(key).isEmpty() ? otherwise : text(key);
    }

    long number(String key) throws DrumlinException {
        try {
            return text(key).isEmpty() ? 0 : Long.parseLong(text(key));
        } catch (NumberFormatException e) {
            throw DrumlinException.during("reading the configuration of SCR")
                    .problem(key + " is '" + text(key) + "', not a whole number")
                    .cause(e)
                    .exception();
        }
    }

    int integer(String key) throws DrumlinException {
        return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, number(key)));
    }

    boolean flag(String key) throws DrumlinException {
        return number(key) != 0;
    }

    /** With SCR_GLOBAL_RESTART what it implies: everything is read from the prefix directory. */
    ScrSettings resolved() throws DrumlinException {
        if (!flag("SCR_GLOBAL_RESTART")) {
            return this;
        }
        Map<String, String> implied = new HashMap<>(values);
        for (String key : List.of("SCR_FLUSH_ON_RESTART", "SCR_FETCH", "SCR_FETCH_BYPASS")) {
            implied.put(key, "1");
        }
        return new ScrSettings(implied);
    }

    OptionalLong endTime() throws DrumlinException {
        return text("SCR_END_TIME").isEmpty() ? OptionalLong.empty() : OptionalLong.of(number("SCR_END_TIME"));
    }

    CopyType copyType() throws DrumlinException {
        String name = text("SCR_COPY_TYPE").toUpperCase(Locale.ROOT);
        for (CopyType type : CopyType.values()) {
            if (type.name().equals(name)) {
                return type;
            }
        }
        throw DrumlinException.during("reading the configuration of SCR")
                .problem("SCR_COPY_TYPE is '" + name + "'")
                .advice("use SINGLE, PARTNER, XOR or RS")
                .exception();
    }

    Path prefix() {
        return Path.of(text("SCR_PREFIX")).toAbsolutePath().normalize();
    }

    String user() {
        return text("SCR_USER_NAME", System.getProperty("user.name", "user"));
    }

    String node() {
        return text("SCR_NODE_NAME", ScrConfig.hostName());
    }

    Path control() {
        return below("SCR_CNTL_BASE");
    }

    Path cache() {
        return below("SCR_CACHE_BASE");
    }

    private Path below(String key) {
        return Path.of(text(key)).toAbsolutePath().normalize().resolve(user()).resolve("scr." + text("SCR_JOB_ID"));
    }
}
