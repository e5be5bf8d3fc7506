package io.drumlin.checkpoint.internal.config;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunDescription;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.format.fti.IniFile;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.Layout;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The settings of a run, read from the configuration file of C FTI (docs/configuration.md).
 *
 * <p>Unknown keys are ignored, and kept when the file is rewritten. In Drumlin's own section {@code [drumlin]} they are
 * refused. Immutable.
 */
public final class FtiConfig {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** Value of {@code failure} for a restart from the shared HDF5 file. */
    private static final int FROM_SINGLE_FILE = 3;

    private static final int UNSET = -1;

    private static final int KIBIBYTE = 1024;
    private static final double SECONDS_PER_HOUR = 3600;

    /**
     * Bounds of {@code slab_memory} in MiB. They stand for slabs of 64 KiB, which hold any block of a differential
     * checkpoint, and of 16 MiB.
     */
    private static final int LEAST_SLAB_MEMORY = 2;

    private static final int MOST_SLAB_MEMORY = 512;
    private static final int DEFAULT_SLAB_MEMORY = 32;

    /** Default and bounds of {@code lease} in minutes: an NFS client may see a changed file only after one minute. */
    private static final int DEFAULT_LEASE = 3;

    private static final int MOST_LEASE = 24 * 60;

    private final IniFile ini;
    private final Path workingDirectory;
    private final ConfigValues values;

    private final int heads;
    private final int nodeSize;
    private final int groupSize;
    private final EnumSet<Level> inline = EnumSet.of(Level.L1);
    private final boolean keepHeadsAlive;
    private final Path ckptDir;
    private final Path glblDir;
    private final Path metaDir;
    private final Path glblStashDir;
    private final EnumMap<Level, Integer> intervals = new EnumMap<>(Level.class);
    private final boolean keepLastCkpt;
    private final KeptCheckpoints kept;
    private final Optional<CheckpointChoice> choice;
    private final int leaseMinutes;
    private final int maxSyncInterval;
    private final Mode mode;
    private final int verbosity;
    private final int maxVarId;
    private final Optional<DifferentialConfig> differential;
    private final SingleFileConfig singleFile;
    private final int failure;
    private final String execId;
    private final int blockKibibytes;
    private final boolean staging;
    private final boolean localTest;
    private final int fastForward;
    private final Packing packing;
    private final Layout layout;
    private final boolean asynchronous;
    private final int slabMebibytes;
    private final Optional<String> storage;
    private final boolean goesOnFromOlder;
    private final int h5Compression;
    private final Injection injection;
    private final StopConfig stop;
    private final EnumMap<Level, Double> meanSecondsBetweenFailures = new EnumMap<>(Level.class);

    private FtiConfig(IniFile ini, String name, Path workingDirectory) throws DrumlinException {
        this.ini = ini;
        this.workingDirectory = workingDirectory;
        values = new ConfigValues(ini, name);
        KnownKeys.requireKnown(ini, name);
        heads = values.oneOf("basic", "head", 0, "0 or 1", 0, 1);
        nodeSize = values.inRange("basic", "node_size", UNSET, 1 + heads, 256);
        groupSize = values.inRange("basic", "group_size", 1, 1, Integer.MAX_VALUE);
        ckptDir = workingDirectory.resolve(values.directory("ckpt_dir"));
        glblDir = workingDirectory.resolve(values.directory("glbl_dir"));
        metaDir = workingDirectory.resolve(values.directory("meta_dir"));
        boolean stashesApart = !values.get("basic", "glbl_stash_dir").orElse("").isEmpty();
        glblStashDir = stashesApart ? workingDirectory.resolve(values.directory("glbl_stash_dir")) : glblDir;
        for (Level level : Level.values()) {
            String key = level == Level.L4_DCP ? "dcp_l4" : "ckpt_l" + level.number();
            int minutes = values.integer("basic", key, UNSET);
            intervals.put(level, minutes > 0 ? minutes : UNSET);
        }
        keepLastCkpt = values.oneOf("basic", "keep_last_ckpt", 0, "0 or 1", 0, 1) == 1;
        kept = KeptCheckpoints.read(values, values.bool("basic", "keep_l4_ckpt", false));
        readInline();
        keepHeadsAlive = values.bool("basic", "keep_heads_alive", false);
        if (keepHeadsAlive && heads == 0) {
            throw values.refused("basic", "keep_heads_alive", "0 while head = 0");
        }
        maxSyncInterval = readMaxSyncInterval();
        mode = readMode();
        verbosity = values.inRange("basic", "verbosity", UNSET, 1, 3);
        int configuredMaxVarId = values.integer("basic", "max_var_id", 102400);
        maxVarId = configuredMaxVarId < 0 ? 102400 : configuredMaxVarId;
        staging = values.bool("basic", "enable_staging", false);
        differential = readDifferential();
        singleFile = SingleFileConfig.read(values, workingDirectory, glblDir, heads);
        failure = readFailure();
        String named = values.get("restart", "exec_id").orElse("");
        boolean isName = CheckpointChoice.NAME.matcher(named).matches();
        if (failure() != 0 && !isName) {
            throw values.refused("restart", "exec_id", "the name of the run's directory, without slashes");
        }
        execId = isName ? named : "";
        blockKibibytes = values.inRange("advanced", "block_size", UNSET, 1, 2048);
        localTest = values.oneOf("advanced", "local_test", UNSET, "0 or 1", 0, 1) == 1;
        fastForward = values.inRange("advanced", "fast_forward", 1, 1, 10);
        packing = readPacking();
        layout = readLayout();
        asynchronous = values.bool("drumlin", "async", false);
        slabMebibytes =
                values.inRange("drumlin", "slab_memory", DEFAULT_SLAB_MEMORY, LEAST_SLAB_MEMORY, MOST_SLAB_MEMORY);
        leaseMinutes = values.inRange("drumlin", "lease", DEFAULT_LEASE, 0, MOST_LEASE);
        storage = values.text("drumlin", "storage");
        goesOnFromOlder = readOnUnreadable();
        h5Compression = readH5Compression();
        injection = Injection.read(values);
        stop = StopConfig.read(values);
        choice = CheckpointChoice.read(values);
        readFailureTimes();
        checkGroupSize();
    }

    private void readFailureTimes() throws DrumlinException {
        String interval = values.get("drumlin", "ckpt_interval").orElse("");
        if (!interval.isEmpty() && !interval.equalsIgnoreCase("auto")) {
            throw values.refused("drumlin", "ckpt_interval", "auto, or nothing for ckpt_l1 to ckpt_l4");
        }
        for (Level level : Level.values()) {
            if (level == Level.L4_DCP) {
                continue;
            }
            String key = "mtbf_l" + level.number();
            Optional<String> hours = values.text("drumlin", key);
            if (hours.isPresent() && !interval.isEmpty()) {
                meanSecondsBetweenFailures.put(level, values.hours(key, hours.get()) * SECONDS_PER_HOUR);
            }
        }
        if (!interval.isEmpty() && meanSecondsBetweenFailures.isEmpty()) {
            throw values.refused("drumlin", "ckpt_interval", "auto with mtbf_l1, mtbf_l2, mtbf_l3 or mtbf_l4 in hours");
        }
    }

    /**
     * Reads and checks the settings.
     *
     * @param text the content of the file, one character per byte
     * @param name the file's name, for messages
     * @return the settings
     * @throws DrumlinException a line is not valid INI, or a value is refused; the message gives section, key, value
     *     and what is allowed
     */
    public static FtiConfig parse(String text, String name) throws DrumlinException {
        return parse(text, name, Path.of(""));
    }

    /** Reads and checks the settings of a run whose working directory differs from that of this process. */
    public static FtiConfig parse(String text, String name, Path workingDirectory) throws DrumlinException {
        return new FtiConfig(IniFile.parse(text, name), name, workingDirectory);
    }

    /** Returns these settings with other numbers of ranks on a node and in a group. */
    public FtiConfig with(int otherNodeSize, int otherGroupSize) throws DrumlinException {
        IniFile other = ini.with("basic", "node_size", Integer.toString(otherNodeSize))
                .with("basic", "group_size", Integer.toString(otherGroupSize));
        return new FtiConfig(other, "the configuration of the run", workingDirectory);
    }

    /** Returns {@code block_size} in bytes, the size of one message of C FTI; it has no effect here. */
    public int blockBytes() {
        return blockKibibytes * KIBIBYTE;
    }

    private void readInline() throws DrumlinException {
        for (Level level : List.of(Level.L2, Level.L3, Level.L4)) {
            String key = "inline_l" + level.number();
            if (values.integer("basic", key, 1) != 0) {
                inline.add(level);
            } else if (heads == 0) {
                throw values.refused("basic", key, "1 while head = 0");
            }
        }
    }

    /** Returns {@code transfer_size} in bytes, the size of one write of C FTI; it has no effect here. */
    public int transferBytes() {
        return Transfers.bytes(values);
    }

    /** Returns the hints for MPI-IO that the keys for Lustre stand for. */
    public Map<String, String> stripeHints() {
        return Transfers.stripeHints(values);
    }

    /** Returns the tags of C FTI's messages, which have no effect here. */
    public RunDescription.Tags tags() {
        return new RunDescription.Tags(
                values.lenient("advanced", "ckpt_tag", 711),
                values.lenient("advanced", "stage_tag", 406),
                values.lenient("advanced", "final_tag", 3107),
                values.lenient("advanced", "general_tag", 2612));
    }

    private int readMaxSyncInterval() throws DrumlinException {
        int value = values.integer("basic", "max_sync_intv", UNSET);
        if (value <= 0) {
            return 512;
        }
        int lower = Integer.highestOneBit(value);
        if (lower != value) {
            LOG.log(Logger.Level.WARNING, "max_sync_intv = {0} is no power of two, {1} is used", value, lower);
        }
        return lower;
    }

    private Mode readMode() throws DrumlinException {
        String text = values.text("basic", "ckpt_io").orElse("0");
        if (!ConfigValues.startsWithDigit(text)) {
            throw noMode(text);
        }
        int value = ConfigValues.parseInteger(text);
        return Mode.of(value).orElseGet(() -> {
            LOG.log(
                    Logger.Level.WARNING,
                    "ckpt_io = {0} is no I/O mode of this version, POSIX (1) is used; 3 is FTI-FF",
                    value);
            return Mode.POSIX;
        });
    }

    private DrumlinException noMode(String text) {
        Map<String, String> modes = new LinkedHashMap<>();
        for (Mode each : Mode.values()) {
            modes.put(each.word(), each.number() + " (" + each.word() + ")");
        }
        String meant = KnownKeys.nearest(text.toUpperCase(Locale.ROOT), modes.keySet())
                .map(word -> "; did you mean " + modes.get(word) + "?")
                .orElse("");
        return values.refused("basic", "ckpt_io", String.join(", ", modes.values()) + meant);
    }

    private Optional<DifferentialConfig> readDifferential() throws DrumlinException {
        if (!values.bool("basic", "enable_dcp", false)) {
            return Optional.empty();
        }
        if (!mode.differential()) {
            return noDifferential("enable_dcp = 1 needs ckpt_io = 1 or 3");
        }
        int digest = overridden("dcp_mode", "FTI_DCP_HASH_MODE");
        int blockSize = overridden("dcp_block_size", "FTI_DCP_BLOCK_SIZE");
        if (digest < 1 || digest > 2) {
            return noDifferential("dcp_mode = " + digest + " is neither 1 (MD5) nor 2 (CRC32)");
        }
        int least = mode == Mode.FTI_FF ? DifferentialConfig.LEAST_BLOCK : 1;
        int most = mode == Mode.FTI_FF ? DifferentialConfig.MOST_BLOCK : DifferentialConfig.MOST_POSIX_BLOCK;
        if (blockSize < least || blockSize > most) {
            return noDifferential("dcp_block_size = " + blockSize + " is not in " + least + ".." + most);
        }
        int stackSize = values.integer("basic", "dcp_stack_size", DifferentialConfig.DEFAULT_STACK);
        boolean allowedStack = stackSize >= 1 && stackSize <= DifferentialConfig.MOST_LAYERS;
        return Optional.of(new DifferentialConfig(
                digest == 2, blockSize, allowedStack ? stackSize : DifferentialConfig.DEFAULT_STACK));
    }

    /** C FTI prefers the environment variable only in the mode FTI-FF. */
    private int overridden(String key, String variable) throws DrumlinException {
        String given = mode == Mode.FTI_FF ? System.getenv(variable) : null;
        return given == null ? values.integer("basic", key, UNSET) : ConfigValues.parseInteger(given);
    }

    private static Optional<DifferentialConfig> noDifferential(String why) {
        LOG.log(Logger.Level.WARNING, "{0}: there are no differential checkpoints", why);
        return Optional.empty();
    }

    private int readFailure() throws DrumlinException {
        int value = values.integer("restart", "failure", 0);
        if (value == FROM_SINGLE_FILE && mode != Mode.HDF5) {
            LOG.log(Logger.Level.WARNING, "failure = 3 needs ckpt_io = 5; this is a fresh start");
            return 0;
        }
        String allowed = "0 (fresh), 1 (restart), 2 (restart from a kept checkpoint) or 3 (from the shared HDF5 file)";
        return values.oneOf("restart", "failure", 0, allowed, 0, 1, 2, FROM_SINGLE_FILE);
    }

    private Layout readLayout() throws DrumlinException {
        return switch (values.get("drumlin", "layout").orElse("F").toUpperCase(Locale.ROOT)) {
            case "F" -> Layout.F;
            case "E" -> Layout.E;
            case "A" -> Layout.A;
            default -> throw values.refused("drumlin", "layout", "F (C FTI's head), E (v1.4.1 to v1.6) or A (v1.1)");
        };
    }

    private boolean readOnUnreadable() throws DrumlinException {
        return switch (values.get("drumlin", "on_unreadable").orElse("stop").toLowerCase(Locale.ROOT)) {
            case "stop" -> false;
            case "older" -> true;
            default -> throw values.refused("drumlin", "on_unreadable", "stop or older");
        };
    }

    private int readH5Compression() throws DrumlinException {
        String value = values.get("drumlin", "h5_compression").orElse("none").toLowerCase(Locale.ROOT);
        if (!value.matches("none|gzip:[1-9]")) {
            throw values.refused("drumlin", "h5_compression", "none, or gzip:1 (fast) to gzip:9 (small)");
        }
        return value.equals("none") ? 0 : value.charAt(value.length() - 1) - '0';
    }

    private Packing readPacking() throws DrumlinException {
        String value = values.get("drumlin", "packing").orElse("aligned");
        try {
            return Packing.valueOf(value.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw values.refused("drumlin", "packing", "aligned or compact");
        }
    }

    private void checkGroupSize() throws DrumlinException {
        boolean l3 = isWanted(Level.L3);
        if (((l3 || isWanted(Level.L2)) && groupSize < 2) || (l3 && groupSize >= 32)) {
            String keys = "while ckpt_l2, ckpt_l3, mtbf_l2, mtbf_l3, keep_l2 or keep_l3 asks for them";
            throw values.refused("basic", "group_size", "2 or more, and below 32 for level 3, " + keys);
        }
    }

    private boolean isWanted(Level level) {
        return interval(level) > 0 || meanSecondsBetweenFailures.containsKey(level) || kept.onNodes(level) > 1;
    }

    /** Returns the file from which the settings were read. */
    public IniFile ini() {
        return ini;
    }

    /** Returns the number of ranks per node that take no part in the application: 0 or 1. */
    public int heads() {
        return heads;
    }

    /** Returns the number of ranks per node, heads included. */
    public int nodeSize() {
        return nodeSize;
    }

    /** Returns whether the application ranks, and not the heads, finish a checkpoint of a level. */
    public boolean isInline(Level level) {
        return level == Level.L4_DCP || inline.contains(level);
    }

    /** Returns whether heads continue the program when the run is over. */
    public boolean keepHeadsAlive() {
        return keepHeadsAlive;
    }

    public int groupSize() {
        return groupSize;
    }

    public Path ckptDir() {
        return ckptDir;
    }

    public Path glblDir() {
        return glblDir;
    }

    public Path metaDir() {
        return metaDir;
    }

    /** Returns the directory with the stashes of all runs. */
    public Path glblStashDir() {
        return glblStashDir;
    }

    /** Returns the minutes between two snapshots of a level, or -1. */
    public int interval(Level level) {
        return intervals.getOrDefault(level, UNSET);
    }

    /**
     * Returns the mean seconds between failures that need a level, for each level whose interval is computed from them.
     */
    public Map<Level, Double> meanSecondsBetweenFailures() {
        return meanSecondsBetweenFailures;
    }

    public boolean keepLastCkpt() {
        return keepLastCkpt;
    }

    /** Returns the checkpoint with which a new branch of the run is to begin, if one was chosen. */
    public Optional<CheckpointChoice> choice() {
        return choice;
    }

    /** Returns which checkpoints of level 4 are kept. */
    public KeptCheckpoints kept() {
        return kept;
    }

    public Mode mode() {
        return mode;
    }

    /** Returns {@code max_sync_intv} in iterations, a power of two. */
    public int maxSyncIntv() {
        return maxSyncInterval;
    }

    /**
     * Returns how much C FTI prints.
     *
     * @return 1 debug, 2 information, 3 warnings
     */
    public int verbosity() {
        return verbosity;
    }

    public int maxVarId() {
        return maxVarId;
    }

    /** Returns how differential checkpoints are taken; empty if they are disabled. */
    public Optional<DifferentialConfig> differential() {
        return differential;
    }

    /** Returns 0, 1 or 2: whether and how the run of {@link #execId} is restarted. */
    public int failure() {
        return isFromSingleFile() ? 0 : failure;
    }

    /** Returns whether a new run begins with the data of a shared HDF5 file. */
    public boolean isFromSingleFile() {
        return failure == FROM_SINGLE_FILE;
    }

    /** Returns the settings of shared HDF5 files. */
    public SingleFileConfig singleFile() {
        return singleFile;
    }

    /** Returns the run's id in the file; empty before the first start. */
    public String execId() {
        return execId;
    }

    /** Returns whether the program can send files to the parallel file system. */
    public boolean staging() {
        return staging;
    }

    public boolean localTest() {
        return localTest;
    }

    public int fastForward() {
        return fastForward;
    }

    /** Returns the layout of new FTI-FF files. */
    public Layout layout() {
        return layout;
    }

    public Packing packing() {
        return packing;
    }

    /** Returns whether a restart treats what it cannot read as lost, and may continue from an older checkpoint. */
    public boolean goesOnFromOlder() {
        return goesOnFromOlder;
    }

    /** Returns the level of gzip for files in the mode HDF5: 1 to 9, or 0 for none. */
    public int h5Compression() {
        return mode == Mode.HDF5 ? h5Compression : 0;
    }

    public Injection injection() {
        return injection;
    }

    public StopConfig stop() {
        return stop;
    }

    /** Returns whether a thread of each rank takes checkpoints while the rank computes. */
    public boolean isAsynchronous() {
        return asynchronous;
    }

    /** Returns the bytes of each of the {@link SlabPool#SLABS} slabs of a rank: a power of two. */
    public int slabBytes() {
        return Integer.highestOneBit((slabMebibytes << 20) / SlabPool.SLABS);
    }

    /** Returns how long a start watches the lease of another job; zero if there are no leases. */
    public Duration lease() {
        return Duration.ofMinutes(leaseMinutes);
    }

    public Optional<String> storage() {
        return storage;
    }

    /** The keys of {@code [advanced]} that say how C FTI moves bytes to the parallel file system. */
    private static final class Transfers {

        /** Bounds of {@code transfer_size}, and the value used outside of them, in MiB. */
        private static final int LEAST = 8;

        private static final int MOST = 64;
        private static final int DEFAULT = 16;

        private static final int MEBIBYTE = 1 << 20;

        private static final int UNSET = -1;

        private Transfers() {}

        static int bytes(ConfigValues values) {
            int mebibytes = values.lenient("advanced", "transfer_size", UNSET);
            return (mebibytes >= LEAST && mebibytes <= MOST ? mebibytes : DEFAULT) * MEBIBYTE;
        }

        /**
         * Returns hints for MPI-IO. C FTI gives the same values to Lustre itself. A value below those of Lustre leaves the
         * choice to the file system.
         */
        static Map<String, String> stripeHints(ConfigValues values) {
            Map<String, String> hints = new TreeMap<>();
            putHint(hints, "striping_unit", values.lenient("advanced", "lustre_stiping_unit", UNSET), 1);
            putHint(hints, "striping_factor", values.lenient("advanced", "lustre_stiping_factor", UNSET), 1);
            putHint(hints, "start_iodevice", values.lenient("advanced", "lustre_stiping_offset", UNSET), 0);
            return hints;
        }

        private static void putHint(Map<String, String> hints, String hint, int value, int least) {
            if (value >= least) {
                hints.put(hint, Integer.toString(value));
            }
        }
    }
}
