package io.drumlin.scr.internal.settings;

import io.drumlin.DrumlinException;
import io.drumlin.comm.internal.HostName;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The parsed parameters of SCR. */
public record ScrSettings(Map<String, String> values, List<CheckpointDescriptor> descriptors) {

    private static final Pattern BYTES = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)([kKmMgGtTpPeE]?)[bB]?");

    public ScrSettings {
        values = Map.copyOf(values);
        descriptors = List.copyOf(descriptors);
    }

    /** Makes settings without descriptors. */
    public ScrSettings(Map<String, String> values) {
        this(values, List.of());
    }

    /** Returns these settings with other values. */
    ScrSettings with(Map<String, String> others) {
        Map<String, String> joined = new HashMap<>(values);
        joined.putAll(others);
        return new ScrSettings(joined, descriptors);
    }

    /** Returns these settings with the lines CKPT, by their numbers, if SCR_COPY_TYPE makes them apply. */
    public ScrSettings described(Map<String, Map<String, String>> lines) throws DrumlinException {
        List<CheckpointDescriptor> all = new ArrayList<>();
        if (!text("SCR_COPY_TYPE").equalsIgnoreCase("FILE")) {
            all.add(CheckpointDescriptor.of(this));
        } else {
            for (Map<String, String> items : lines.values()) {
                if (new ScrSettings(Map.of("ENABLED", "1")).with(items).flag("ENABLED")) {
                    all.add(CheckpointDescriptor.of(items, this));
                }
            }
            if (all.stream().noneMatch(each -> each.interval() == 1)) {
                throw DrumlinException.during("reading the configuration of SCR")
                        .problem("SCR_COPY_TYPE is FILE, but no enabled line CKPT has INTERVAL=1")
                        .advice("add one: it is for the checkpoints that no other line is for")
                        .exception();
            }
        }
        return new ScrSettings(values, all);
    }

    public String text(String key) {
        return values.getOrDefault(key, "");
    }

    private String text(String key, String otherwise) {
        return text(key).isEmpty() ? otherwise : text(key);
    }

    public long number(String key) throws DrumlinException {
        try {
            return text(key).isEmpty() ? 0 : Long.parseLong(text(key));
        } catch (NumberFormatException e) {
            throw DrumlinException.during("reading the configuration of SCR")
                    .problem(key + " is '" + text(key) + "', not a whole number")
                    .cause(e)
                    .exception();
        }
    }

    /** Returns a number of bytes, which may have a unit: 10, 64KB, 1.5GB. */
    public long bytes(String key) throws DrumlinException {
        Matcher matcher = BYTES.matcher(text(key));
        if (text(key).isEmpty()) {
            return 0;
        } else if (!matcher.matches()) {
            throw DrumlinException.during("reading the configuration of SCR")
                    .problem(key + " is '" + text(key) + "', not a number of bytes such as 500MB")
                    .exception();
        }
        int power = " kmgtpe"
                .indexOf((matcher.group(2) + " ").toLowerCase(Locale.ROOT).charAt(0));
        return (long) (Double.parseDouble(matcher.group(1)) * Math.pow(1024, power));
    }

    public int integer(String key) throws DrumlinException {
        return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, number(key)));
    }

    public boolean flag(String key) throws DrumlinException {
        return number(key) != 0;
    }

    /**
     * Returns these settings with the consequences of SCR_GLOBAL_RESTART: everything is read from the prefix directory.
     */
    public ScrSettings resolved() throws DrumlinException {
        if (!flag("SCR_GLOBAL_RESTART")) {
            return this;
        }
        return with(Map.of("SCR_FLUSH_ON_RESTART", "1", "SCR_FETCH", "1", "SCR_FETCH_BYPASS", "1"));
    }

    public OptionalLong endTime() throws DrumlinException {
        return text("SCR_END_TIME").isEmpty() ? OptionalLong.empty() : OptionalLong.of(number("SCR_END_TIME"));
    }

    /** Returns the descriptor for caching a dataset. */
    public CheckpointDescriptor descriptor(DatasetDescriptor dataset) {
        return CheckpointDescriptor.choose(descriptors, dataset);
    }

    public Path prefix() {
        return Path.of(text("SCR_PREFIX")).toAbsolutePath().normalize();
    }

    public String user() {
        return text("SCR_USER_NAME", System.getProperty("user.name", "user"));
    }

    public String node() throws IOException {
        return text("SCR_NODE_NAME").isEmpty() ? HostName.read() : text("SCR_NODE_NAME");
    }

    public Path control() {
        return below("SCR_CNTL_BASE");
    }

    public Path cache() {
        return below("SCR_CACHE_BASE");
    }

    private Path below(String key) {
        return Path.of(text(key)).toAbsolutePath().normalize().resolve(user()).resolve("scr." + text("SCR_JOB_ID"));
    }
}
