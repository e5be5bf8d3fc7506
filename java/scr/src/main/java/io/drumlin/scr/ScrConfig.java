package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.internal.BatchSystem;
import io.drumlin.scr.internal.settings.ConfigLine;
import io.drumlin.scr.internal.settings.ScrSettings;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parameters of SCR. The environment has the highest priority. The user's file comes next ({@code SCR_CONF_FILE},
 * or {@code .scrconf} in the prefix directory), then the values that the program sets, then the defaults. Not
 * thread-safe.
 */
public final class ScrConfig {

    private static final Pattern VARIABLE = Pattern.compile("\\$(?:\\{(\\w+)\\}|(\\w+))");

    private static final String END_TIME = "SCR_END_TIME";

    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("SCR_ENABLE", "1"),
            Map.entry("SCR_PREFIX", ""),
            Map.entry("SCR_CNTL_BASE", "/dev/shm"),
            Map.entry("SCR_CACHE_BASE", "/dev/shm"),
            Map.entry("SCR_CACHE_SIZE", "1"),
            Map.entry("SCR_CACHE_BYPASS", "1"),
            Map.entry("SCR_COPY_TYPE", "XOR"),
            Map.entry("SCR_SET_SIZE", "8"),
            Map.entry("SCR_SET_FAILURES", "2"),
            Map.entry("SCR_FLUSH", "10"),
            Map.entry("SCR_FLUSH_ASYNC", "0"),
            Map.entry("SCR_FLUSH_ASYNC_BW", "0"),
            Map.entry("SCR_FLUSH_ON_RESTART", "0"),
            Map.entry("SCR_GLOBAL_RESTART", "0"),
            Map.entry("SCR_CACHE_PURGE", "0"),
            Map.entry("SCR_PREFIX_PURGE", "0"),
            Map.entry("SCR_FETCH", "1"),
            Map.entry("SCR_FETCH_BYPASS", "0"),
            Map.entry("SCR_CURRENT", ""),
            Map.entry("SCR_DROP_AFTER_CURRENT", "0"),
            Map.entry("SCR_PREFIX_SIZE", "0"),
            Map.entry("SCR_CHECKPOINT_INTERVAL", "0"),
            Map.entry("SCR_CHECKPOINT_SECONDS", "0"),
            Map.entry("SCR_CHECKPOINT_OVERHEAD", "0"),
            Map.entry("SCR_HALT_SECONDS", "0"),
            Map.entry("SCR_HALT_EXIT", "0"),
            Map.entry(END_TIME, ""),
            Map.entry("SCR_JOB_ID", "defjobid"),
            Map.entry("SCR_JOB_NAME", ""),
            Map.entry("SCR_CLUSTER_NAME", ""),
            Map.entry("SCR_USER_NAME", ""),
            Map.entry("SCR_CONF_FILE", ""),
            // This parameter is not SCR's. Ranks with the same name share a node, for tests on one machine.
            Map.entry("SCR_NODE_NAME", ""));

    /** Parameters of SCR that have no effect here, with their defaults other than 0. */
    private static final Map<String, String> UNUSED_DEFAULTS = Map.of(
            "SCR_FLUSH_TYPE", "SYNC",
            "SCR_GROUP", "NODE",
            "SCR_DISTRIBUTE", "1",
            "SCR_COPY_METADATA", "1",
            "SCR_CRC_ON_FLUSH", "1",
            "SCR_RUNS", "1");

    private static final Pattern DESCRIPTOR = Pattern.compile("\\s*CKPT=", Pattern.CASE_INSENSITIVE);
    private static final Pattern ITEM = Pattern.compile("CKPT=(\\S+)\\s+(\\w+)", Pattern.CASE_INSENSITIVE);
    private static final Pattern KEY = Pattern.compile("SCR_[A-Z0-9_]+");

    private final Map<String, String> environment;
    private final Map<String, String> set = new HashMap<>();

    /** The items of the lines CKPT, by their numbers. */
    private final Map<String, Map<String, String>> descriptors = new TreeMap<>();

    /**
     * Makes a configuration with an environment.
     *
     * @param environment usually {@link System#getenv()}
     */
    public ScrConfig(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    /**
     * Makes the configuration that a job had which has ended: the environment, and what its program set. Lines of the
     * program that Drumlin does not know are left out.
     *
     * @param environment usually {@link System#getenv()}
     * @param prefix the prefix directory of the job
     * @return a configuration with this prefix directory
     * @throws IOException what the program set cannot be read
     */
    public static ScrConfig ofJob(Map<String, String> environment, Path prefix) throws IOException {
        Map<String, String> joined = new HashMap<>(environment);
        joined.put("SCR_PREFIX", prefix.toString());
        ScrConfig config = new ScrConfig(joined);
        Path set = new ScrPrefix(prefix).applicationConfig();
        if (PathStatus.exists(set)) {
            for (String line : lines(set)) {
                try {
                    config.add(line);
                } catch (IllegalArgumentException e) {
                    // C programs may set what has no effect here.
                }
            }
        }
        return config;
    }

    /**
     * Returns the directory in which each node has the index of its cache.
     *
     * @return an absolute path
     * @throws IOException the user's file cannot be read, or has a line that is not supported
     */
    public Path controlDirectory() throws IOException {
        return read().control();
    }

    /**
     * Sets a parameter. The environment and the user's file override it.
     *
     * @param key name, {@code SCR_...}; opening datasets warns of one that has no effect
     * @param value empty for the default
     * @return this
     * @throws IllegalArgumentException the name is not that of a parameter
     */
    public ScrConfig set(String key, String value) {
        if (!KEY.matcher(key).matches()) {
            throw new IllegalArgumentException("SCR has no parameter " + key);
        }
        set.put(key, value);
        return this;
    }

    /** Returns the values that the program set, one line for each, in the form that SCR leaves for its scripts. */
    String program() {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(set).forEach((key, value) -> text.append(value.isEmpty() ? "" : key + "=" + value + "\n"));
        descriptors.forEach((number, items) -> {
            text.append("CKPT=").append(number);
            new TreeMap<>(items).forEach((key, value) -> text.append(" " + key + "=" + value));
            text.append("\n");
        });
        return text.toString();
    }

    /**
     * Adds a line to the values that the program sets. It is a parameter, or {@code CKPT=N} with items that describe
     * how checkpoints at an interval are cached. Lines {@code CKPT} apply only if SCR_COPY_TYPE is FILE.
     *
     * @param line a line in the form of the configuration file
     * @return this
     * @throws IllegalArgumentException the line does not have this form, or asks for something that is not supported
     */
    public ScrConfig add(String line) {
        if (DESCRIPTOR.matcher(line).lookingAt()) {
            ConfigLine.parse(line, environment).ifPresent(each -> take(each, set, descriptors));
            return this;
        }
        int equals = line.indexOf('=');
        if (equals < 0) {
            throw new IllegalArgumentException("'" + line + "' is no KEY=VALUE");
        }
        return set(line.substring(0, equals).strip(), line.substring(equals + 1).strip());
    }

    /** Returns the effective parameters. */
    ScrSettings read() throws IOException {
        Map<String, Map<String, String>> lines = new TreeMap<>();
        Map<String, String> values = new HashMap<>(DEFAULTS);
        take(values, readSet(lines));
        if (values.getOrDefault(END_TIME, "").isEmpty()) {
            new BatchSystem(environment).endInEnvironment().ifPresent(end -> values.put(END_TIME, Long.toString(end)));
        }
        values.replaceAll((key, value) -> expand(value, name -> environment.getOrDefault(name, "")));
        return new ScrSettings(values).resolved().described(lines);
    }

    /** Returns the parameters that the environment, the user's file or the program set, and puts the lines CKPT. */
    private Map<String, String> readSet(Map<String, Map<String, String>> lines) throws IOException {
        // The environment and the program tell where the file is. The file in turn overrides the values of the program.
        Map<String, String> location = new HashMap<>(DEFAULTS);
        take(location, set);
        take(location, environment);
        location.replaceAll((key, value) -> expand(value, name -> environment.getOrDefault(name, "")));
        Map<String, String> file = new HashMap<>();
        descriptors.forEach((number, items) -> lines.put(number, new HashMap<>(items)));
        readFile(new ScrSettings(location), file, lines);
        Map<String, String> values = new HashMap<>();
        take(values, set);
        take(values, file);
        take(values, environment);
        values.replaceAll((key, value) -> expand(value, name -> environment.getOrDefault(name, "")));
        return values;
    }

    /**
     * Returns the value that a parameter has. The user's file is read anew.
     *
     * @param query a name, {@code SCR_...}, or an item of a line, {@code CKPT=N ITEM}
     * @return the value; empty if the environment, the file and the program leave the default
     * @throws IOException the user's file cannot be read
     * @throws IllegalArgumentException the query has neither form
     */
    public Optional<String> get(String query) throws IOException {
        Matcher item = ITEM.matcher(query.strip());
        if (!item.matches() && !KEY.matcher(query.strip()).matches()) {
            throw new IllegalArgumentException("'" + query + "' is neither SCR_KEY nor CKPT=N ITEM");
        }
        Map<String, Map<String, String>> lines = new TreeMap<>();
        Map<String, String> values = readSet(lines);
        return Optional.ofNullable(
                item.matches()
                        ? lines.getOrDefault(item.group(1), Map.of())
                                .get(item.group(2).toUpperCase(Locale.ROOT))
                        : values.get(query.strip()));
    }

    /** Copies values. An empty value counts as not set. */
    private static void take(Map<String, String> values, Map<String, String> more) {
        more.forEach((key, value) -> {
            if (KEY.matcher(key).matches() && !value.isEmpty()) {
                values.put(key, value);
            }
        });
    }

    /** Returns the parameters that were set without effect, sorted, for people. */
    static List<String> unused(ScrSettings settings) {
        return settings.values().entrySet().stream()
                .filter(entry -> !DEFAULTS.containsKey(entry.getKey())
                        && !entry.getValue().equals(UNUSED_DEFAULTS.getOrDefault(entry.getKey(), "0")))
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .sorted()
                .toList();
    }

    private static List<String> lines(Path path) throws IOException {
        return PathStatus.readText(path, StandardCharsets.UTF_8).lines().toList();
    }

    private void readFile(
            ScrSettings settings, Map<String, String> values, Map<String, Map<String, String>> descriptors)
            throws IOException {
        String name = settings.text("SCR_CONF_FILE");
        Path path = name.isEmpty() ? settings.prefix().resolve(".scrconf") : Path.of(name);
        if (name.isEmpty() && !PathStatus.exists(path)) {
            return;
        }
        for (String line : lines(path)) {
            try {
                ConfigLine.parse(line, environment).ifPresent(each -> take(each, values, descriptors));
            } catch (IllegalArgumentException e) {
                throw DrumlinException.during("reading the configuration of SCR")
                        .path(path)
                        .problem("'" + line.strip() + "' is not supported: " + e.getMessage())
                        .advice("supported are lines SCR_KEY=VALUE, and CKPT=N with items")
                        .exception();
            }
        }
    }

    private static void take(
            ConfigLine line, Map<String, String> values, Map<String, Map<String, String>> descriptors) {
        if (line.key().equals("CKPT")) {
            descriptors.computeIfAbsent(line.value(), each -> new HashMap<>()).putAll(line.items());
        } else if (line.items().isEmpty() && KEY.matcher(line.key()).matches()) {
            values.put(line.key(), line.value());
        } else {
            throw new IllegalArgumentException("no line begins with " + line.key() + " here, or it has one item only");
        }
    }

    /**
     * Replaces {@code $NAME} and <code>${NAME}</code> in a value.
     *
     * @param value the value
     * @param variables returns the value of a variable
     * @return the value with the values of its variables
     */
    public static String expand(String value, UnaryOperator<String> variables) {
        return VARIABLE.matcher(value)
                .replaceAll(found -> Matcher.quoteReplacement(
                        variables.apply(found.group(1) == null ? found.group(2) : found.group(1))));
    }
}
