package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.format.fti.IniFile;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.Layout;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The settings of a run, read from the configuration file of C FTI (docs/configuration.md).
 *
 * <p>Unknown keys are ignored and kept when the file is rewritten, but for the section {@code [drumlin]}, which is ours and in which
 * they are refused. Immutable.
 */
final class FtiConfig {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** Value of {@code ckpt_io} for POSIX. */
    static final int IO_POSIX = 1;

    /** Value of {@code ckpt_io} for MPI-IO. */
    static final int IO_MPI = 2;

    /** Value of {@code ckpt_io} for FTI-FF. */
    static final int IO_FTIFF = 3;

    /** Value of {@code ckpt_io} for SIONlib. */
    static final int IO_SIONLIB = 4;

    /** Value of {@code ckpt_io} for HDF5. */
    static final int IO_HDF5 = 5;

    /** Value of {@code failure} for a restart from the shared HDF5 file. */
    private static final int FROM_SINGLE_FILE = 3;

    private static final int UNSET = -1;

    private static final int KIBIBYTE = 1024;
    private static final double SECONDS_PER_HOUR = 3600;

    /** Bounds of {@code transfer_size} and what is taken beyond them, in MiB. */
    private static final int LEAST_TRANSFER = 8;

    private static final int MOST_TRANSFER = 64;
    private static final int DEFAULT_TRANSFER = 16;

    /** Bounds of {@code slab_memory} in MiB: of slabs of 64 KiB, into which any block of a differential checkpoint fits, and of 16 MiB. */
    private static final int LEAST_SLAB_MEMORY = 2;

    private static final int MOST_SLAB_MEMORY = 512;
    private static final int DEFAULT_SLAB_MEMORY = 32;

    /** Bounds of {@code lease} in minutes: a client of NFS may not see for one minute that a file has changed. */
    private static final int DEFAULT_LEASE = 3;

    private static final int MOST_LEASE = 24 * 60;

    private final String name;
    private final IniFile ini;

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
    private final boolean keepL4Ckpt;
    private final int leaseMinutes;
    private final int maxSyncInterval;
    private final int ioMode;
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
    private final Optional<Path> scrIndex;
    private final boolean goesOnFromOlder;

    private final Injection injection;
    private final EnumMap<Level, Double> meanSecondsBetweenFailures = new EnumMap<>(Level.class);

    /**
     * Where a bit is flipped, and how often.
     *
     * @param rank of the application
     * @param index of the element
     * @param position of the bit in the element, the lowest first
     * @param number of flips at most
     * @param frequency seconds that must have passed since the last one
     */
    record Injection(int rank, int index, int position, int number, int frequency) {}

    private FtiConfig(IniFile ini, String name, Path workingDirectory) throws DrumlinException {
        this.ini = ini;
        this.name = name;
        KnownKeys.requireKnown(ini, name);
        heads = oneOf("basic", "head", 0, "0 or 1", 0, 1);
        nodeSize = inRange("basic", "node_size", UNSET, 1 + heads, 256);
        groupSize = inRange("basic", "group_size", 1, 1, Integer.MAX_VALUE);
        ckptDir = workingDirectory.resolve(directory("ckpt_dir"));
        glblDir = workingDirectory.resolve(directory("glbl_dir"));
        metaDir = workingDirectory.resolve(directory("meta_dir"));
        boolean stashesApart = !ini.get("basic", "glbl_stash_dir").orElse("").isEmpty();
        glblStashDir = stashesApart ? workingDirectory.resolve(directory("glbl_stash_dir")) : glblDir;
        for (Level level : Level.values()) {
            String key = level == Level.L4_DCP ? "dcp_l4" : "ckpt_l" + level.number();
            int minutes = integer("basic", key, UNSET);
            intervals.put(level, minutes > 0 ? minutes : UNSET);
        }
        keepLastCkpt = oneOf("basic", "keep_last_ckpt", 0, "0 or 1", 0, 1) == 1;
        keepL4Ckpt = bool("basic", "keep_l4_ckpt", false);
        readInline();
        keepHeadsAlive = bool("basic", "keep_heads_alive", false);
        if (keepHeadsAlive && heads == 0) {
            throw refused("basic", "keep_heads_alive", "0 while head = 0");
        }
        maxSyncInterval = readMaxSyncInterval();
        ioMode = readIoMode();
        verbosity = inRange("basic", "verbosity", UNSET, 1, 3);
        int configuredMaxVarId = integer("basic", "max_var_id", 102400);
        maxVarId = configuredMaxVarId < 0 ? 102400 : configuredMaxVarId;
        staging = bool("basic", "enable_staging", false);
        differential = readDifferential();
        singleFile = readSingleFile(workingDirectory);
        failure = readFailure();
        execId = ini.get("restart", "exec_id").orElse("");
        if (failure() != 0 && !execId.matches("[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*")) {
            throw refused("restart", "exec_id", "the name of the run's directory, without slashes");
        }
        blockKibibytes = inRange("advanced", "block_size", UNSET, 1, 2048);
        localTest = oneOf("advanced", "local_test", UNSET, "0 or 1", 0, 1) == 1;
        fastForward = inRange("advanced", "fast_forward", 1, 1, 10);
        packing = readPacking();
        layout = readLayout();
        asynchronous = bool("drumlin", "async", false);
        slabMebibytes = inRange("drumlin", "slab_memory", DEFAULT_SLAB_MEMORY, LEAST_SLAB_MEMORY, MOST_SLAB_MEMORY);
        leaseMinutes = inRange("drumlin", "lease", DEFAULT_LEASE, 0, MOST_LEASE);
        storage = text("drumlin", "storage");
        scrIndex = readScrIndex();
        goesOnFromOlder = readOnUnreadable();
        injection = readInjection();
        readFailureTimes();
        checkGroupSize();
    }

    private void readFailureTimes() throws DrumlinException {
        String interval = ini.get("drumlin", "ckpt_interval").orElse("");
        if (!interval.isEmpty() && !interval.equalsIgnoreCase("auto")) {
            throw refused("drumlin", "ckpt_interval", "auto, or nothing for ckpt_l1 to ckpt_l4");
        }
        for (Level level : Level.values()) {
            if (level == Level.L4_DCP) {
                continue;
            }
            String key = "mtbf_l" + level.number();
            Optional<String> hours = text("drumlin", key);
            if (hours.isPresent() && !interval.isEmpty()) {
                meanSecondsBetweenFailures.put(level, hours(key, hours.get()) * SECONDS_PER_HOUR);
            }
        }
        if (!interval.isEmpty() && meanSecondsBetweenFailures.isEmpty()) {
            throw refused("drumlin", "ckpt_interval", "auto with mtbf_l1, mtbf_l2, mtbf_l3 or mtbf_l4 in hours");
        }
    }

    /** A value that is there and not empty. */
    private Optional<String> text(String section, String key) {
        String text = ini.get(section, key).orElse("");
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    private double hours(String key, String text) throws DrumlinException {
        try {
            double hours = Double.parseDouble(text);
            if (hours > 0 && Double.isFinite(hours)) {
                return hours;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw refused("drumlin", key, "hours above 0, such as 36 or 0.5");
    }

    private Injection readInjection() throws DrumlinException {
        String section = "injection";
        return new Injection(
                integer(section, "rank", 0),
                integer(section, "index", 0),
                integer(section, "position", 0),
                integer(section, "number", 0),
                integer(section, "frequency", UNSET));
    }

    /**
     * Reads and checks the settings.
     *
     * @param text the content of the file, one character per byte
     * @param name the file's name, for messages
     * @return the settings
     * @throws DrumlinException a line is no INI, or a value is refused; the message gives section, key, value and what is
     *     allowed
     */
    static FtiConfig parse(String text, String name) throws DrumlinException {
        return parse(text, name, Path.of(""));
    }

    /** Does the same for a run that worked in another directory than this process. */
    static FtiConfig parse(String text, String name, Path workingDirectory) throws DrumlinException {
        return new FtiConfig(IniFile.parse(text, name), name, workingDirectory);
    }

    /** {@code block_size} in bytes, which C FTI sends at once; here it has no effect. */
    int blockBytes() {
        return blockKibibytes * KIBIBYTE;
    }

    private void readInline() throws DrumlinException {
        for (Level level : List.of(Level.L2, Level.L3, Level.L4)) {
            String key = "inline_l" + level.number();
            if (integer("basic", key, 1) != 0) {
                inline.add(level);
            } else if (heads == 0) {
                throw refused("basic", key, "1 while head = 0");
            }
        }
    }

    /** {@code transfer_size} in bytes, which C FTI writes at once; here it has no effect. */
    int transferBytes() {
        int mebibytes = lenient("advanced", "transfer_size", UNSET);
        boolean allowed = mebibytes >= LEAST_TRANSFER && mebibytes <= MOST_TRANSFER;
        return (allowed ? mebibytes : DEFAULT_TRANSFER) * KIBIBYTE * KIBIBYTE;
    }

    /** The tags of C FTI's messages, which have no effect here. */
    RunDescription.Tags tags() {
        return new RunDescription.Tags(
                lenient("advanced", "ckpt_tag", 711),
                lenient("advanced", "stage_tag", 406),
                lenient("advanced", "final_tag", 3107),
                lenient("advanced", "general_tag", 2612));
    }

    private int readMaxSyncInterval() throws DrumlinException {
        int value = integer("basic", "max_sync_intv", UNSET);
        if (value <= 0) {
            return 512;
        }
        int lower = Integer.highestOneBit(value);
        if (lower != value) {
            LOG.log(Logger.Level.WARNING, "max_sync_intv = {0} is no power of two, {1} is used", value, lower);
        }
        return lower;
    }

    private int readIoMode() throws DrumlinException {
        String text = text("basic", "ckpt_io").orElse("0");
        if (!startsWithDigit(text)) {
            throw noMode(text);
        }
        int value = parseInteger(text);
        if (value >= IO_POSIX && value <= IO_HDF5) {
            return value;
        }
        LOG.log(
                Logger.Level.WARNING,
                "ckpt_io = {0} is no I/O mode of this version, POSIX (1) is used; 3 is FTI-FF",
                value);
        return IO_POSIX;
    }

    private DrumlinException noMode(String text) {
        List<String> modes = IntStream.rangeClosed(IO_POSIX, IO_HDF5)
                .mapToObj(FtiConfig::wordOfMode)
                .toList();
        String meant = KnownKeys.nearest(text.toUpperCase(Locale.ROOT), modes)
                .map(word -> IO_POSIX + modes.indexOf(word))
                .map(mode -> "did you mean " + mode + " (" + wordOfMode(mode) + ")? ")
                .orElse("");
        String allowed = IntStream.rangeClosed(IO_POSIX, IO_HDF5)
                .mapToObj(mode -> mode + " (" + wordOfMode(mode) + ")")
                .collect(Collectors.joining(", "));
        return refused("basic", "ckpt_io", allowed + (meant.isEmpty() ? "" : "; " + meant.strip()));
    }

    private Optional<DifferentialConfig> readDifferential() throws DrumlinException {
        if (!bool("basic", "enable_dcp", false)) {
            return Optional.empty();
        }
        if (ioMode != IO_FTIFF && ioMode != IO_POSIX) {
            return noDifferential("enable_dcp = 1 needs ckpt_io = 1 or 3");
        }
        int mode = overridden("dcp_mode", "FTI_DCP_HASH_MODE");
        int blockSize = overridden("dcp_block_size", "FTI_DCP_BLOCK_SIZE");
        if (mode < 1 || mode > 2) {
            return noDifferential("dcp_mode = " + mode + " is neither 1 (MD5) nor 2 (CRC32)");
        }
        int least = ioMode == IO_FTIFF ? DifferentialConfig.LEAST_BLOCK : 1;
        int most = ioMode == IO_FTIFF ? DifferentialConfig.MOST_BLOCK : DifferentialConfig.MOST_POSIX_BLOCK;
        if (blockSize < least || blockSize > most) {
            return noDifferential("dcp_block_size = " + blockSize + " is not in " + least + ".." + most);
        }
        int stackSize = integer("basic", "dcp_stack_size", DifferentialConfig.DEFAULT_STACK);
        boolean allowedStack = stackSize >= 1 && stackSize <= DifferentialConfig.MOST_LAYERS;
        return Optional.of(new DifferentialConfig(
                mode == 2, blockSize, allowedStack ? stackSize : DifferentialConfig.DEFAULT_STACK));
    }

    /** C FTI takes the environment first in the mode FTI-FF only. */
    private int overridden(String key, String variable) throws DrumlinException {
        String given = ioMode == IO_FTIFF ? System.getenv(variable) : null;
        return given == null ? integer("basic", key, UNSET) : parseInteger(given);
    }

    private static Optional<DifferentialConfig> noDifferential(String why) {
        LOG.log(Logger.Level.WARNING, "{0}: there are no differential checkpoints", why);
        return Optional.empty();
    }

    private int readFailure() throws DrumlinException {
        int value = integer("restart", "failure", 0);
        if (value == FROM_SINGLE_FILE && ioMode != IO_HDF5) {
            LOG.log(Logger.Level.WARNING, "failure = 3 needs ckpt_io = 5; this is a fresh start");
            return 0;
        }
        String allowed = "0 (fresh), 1 (restart), 2 (restart from a kept checkpoint) or 3 (from the shared HDF5 file)";
        return oneOf("restart", "failure", 0, allowed, 0, 1, 2, FROM_SINGLE_FILE);
    }

    private SingleFileConfig readSingleFile(Path workingDirectory) throws DrumlinException {
        boolean inline = bool("basic", "h5_single_file_inline", true);
        if (!inline && heads == 0) {
            throw refused("basic", "h5_single_file_inline", "1 while head = 0");
        }
        boolean apart = !ini.get("basic", "h5_single_file_dir").orElse("").isEmpty();
        Optional<String> given = text("basic", "h5_single_file_prefix");
        String prefix =
                given.isPresent() ? path("basic", "h5_single_file_prefix").toString() : "VPR-h5";
        if (given.orElse("").indexOf('/') >= 0) {
            throw refused("basic", "h5_single_file_prefix", "the beginning of a file's name, without slashes");
        }
        return new SingleFileConfig(
                bool("basic", "h5_single_file_enable", false),
                apart ? workingDirectory.resolve(directory("h5_single_file_dir")) : glblDir,
                prefix,
                bool("basic", "h5_single_file_keep", false),
                inline);
    }

    private Layout readLayout() throws DrumlinException {
        return switch (ini.get("drumlin", "layout").orElse("F").toUpperCase(Locale.ROOT)) {
            case "F" -> Layout.F;
            case "E" -> Layout.E;
            case "A" -> Layout.A;
            default -> throw refused("drumlin", "layout", "F (C FTI's head), E (v1.4.1 to v1.6) or A (v1.1)");
        };
    }

    private Optional<Path> readScrIndex() throws DrumlinException {
        Optional<Path> prefix = text("drumlin", "scr_index").isPresent()
                ? Optional.of(path("drumlin", "scr_index").toAbsolutePath().normalize())
                : Optional.empty();
        if (prefix.isPresent() && keepL4Ckpt) {
            throw refused("drumlin", "scr_index", "nothing while keep_l4_ckpt = 1");
        }
        if (prefix.isPresent() && !glblDir.toAbsolutePath().normalize().startsWith(prefix.get())) {
            throw refused("drumlin", "scr_index", "glbl_dir or a directory above it");
        }
        return prefix;
    }

    private boolean readOnUnreadable() throws DrumlinException {
        return switch (ini.get("drumlin", "on_unreadable").orElse("stop").toLowerCase(Locale.ROOT)) {
            case "stop" -> false;
            case "older" -> true;
            default -> throw refused("drumlin", "on_unreadable", "stop or older");
        };
    }

    private Packing readPacking() throws DrumlinException {
        String value = ini.get("drumlin", "packing").orElse("aligned");
        try {
            return Packing.valueOf(value.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw refused("drumlin", "packing", "aligned or compact");
        }
    }

    private void checkGroupSize() throws DrumlinException {
        boolean l2 = interval(Level.L2) > 0 || meanSecondsBetweenFailures.containsKey(Level.L2);
        boolean l3 = interval(Level.L3) > 0 || meanSecondsBetweenFailures.containsKey(Level.L3);
        if ((l2 || l3) && groupSize < 2) {
            throw refused("basic", "group_size", "2 or more while ckpt_l2, ckpt_l3, mtbf_l2 or mtbf_l3 is above 0");
        }
        if (l3 && groupSize >= 32) {
            throw refused("basic", "group_size", "below 32 while ckpt_l3 or mtbf_l3 is above 0");
        }
    }

    private Path directory(String key) throws DrumlinException {
        if (text("basic", key).isEmpty()) {
            throw refused("basic", key, "the path of a directory");
        }
        return path("basic", key);
    }

    private Path path(String section, String key) throws DrumlinException {
        String value = text(section, key).orElse("");
        // The text holds one character per byte, so that a rewrite keeps bytes that are no UTF-8.
        ByteBuffer bytes = ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1));
        try {
            return Path.of(StandardCharsets.UTF_8.newDecoder().decode(bytes).toString());
        } catch (CharacterCodingException e) {
            throw refused(section, key, "a path in UTF-8");
        } catch (InvalidPathException e) {
            throw refused(section, key, "a path in the characters of the locale, see LC_ALL (C.UTF-8 has them all)");
        }
    }

    private int integer(String section, String key, int absent) throws DrumlinException {
        if (!isInteger(section, key)) {
            throw refused(section, key, "a whole number");
        }
        return lenient(section, key, absent);
    }

    /** C FTI takes words for 0. Of its keys the letters after a number are ignored, as there; of ours they are not. */
    private boolean isInteger(String section, String key) {
        Optional<String> text = text(section, key);
        return text.isEmpty() || (section.equals("drumlin") ? isNumber(text.get()) : startsWithDigit(text.get()));
    }

    private int lenient(String section, String key, int absent) {
        return ini.get(section, key).map(FtiConfig::parseInteger).orElse(absent);
    }

    private static boolean startsWithDigit(String text) {
        return text.strip().matches("(?s)[+-]?[0-9].*");
    }

    private static boolean isNumber(String text) {
        return text.strip().matches("[+-]?([0-9]+|0[xX][0-9a-fA-F]+)");
    }

    /** As {@code strtol} with base 0 reads it: 0x.. and 0.. are understood, anything after the digits is ignored. */
    static int parseInteger(String text) {
        String digits = text.strip();
        boolean negative = digits.startsWith("-");
        digits = negative || digits.startsWith("+") ? digits.substring(1) : digits;
        int radix = 10;
        if (digits.toLowerCase(Locale.ROOT).startsWith("0x")) {
            radix = 16;
            digits = digits.substring(2);
        } else if (digits.startsWith("0")) {
            radix = 8;
        }
        long value = 0;
        for (int i = 0; i < digits.length() && Character.digit(digits.charAt(i), radix) >= 0; i++) {
            value = Math.min(value * radix + Character.digit(digits.charAt(i), radix), 1L << 32);
        }
        return (int) (negative ? Math.max(-value, Integer.MIN_VALUE) : Math.min(value, Integer.MAX_VALUE));
    }

    private boolean bool(String section, String key, boolean absent) throws DrumlinException {
        String text = ini.get(section, key).orElse("");
        if (text.isEmpty()) {
            return absent;
        }
        char first = Character.toLowerCase(text.charAt(0));
        if (first == 'y' || first == '1' || first == 't') {
            return true;
        }
        if (first == 'n' || first == '0' || first == 'f') {
            return false;
        }
        throw refused(section, key, "0 or 1");
    }

    private int inRange(String section, String key, int absent, int low, int high) throws DrumlinException {
        int value = lenient(section, key, absent);
        if (!isInteger(section, key) || value < low || value > high) {
            throw refused(section, key, high == Integer.MAX_VALUE ? low + " or more" : low + " to " + high);
        }
        return value;
    }

    private int oneOf(String section, String key, int absent, String allowed, int... values) throws DrumlinException {
        int value = lenient(section, key, absent);
        for (int candidate : values) {
            if (candidate == value && isInteger(section, key)) {
                return value;
            }
        }
        throw refused(section, key, allowed);
    }

    private DrumlinException refused(String section, String key, String allowed) {
        String value = ini.get(section, key).map(v -> "is \"" + v + "\"").orElse("is missing");
        return DrumlinException.during("reading " + name)
                .problem("[" + section + "] " + key + " " + value)
                .advice("allowed: " + allowed)
                .exception();
    }

    /** The file this was read from. */
    IniFile ini() {
        return ini;
    }

    /** Ranks per node that take no part in the application, 0 or 1. */
    int heads() {
        return heads;
    }

    /** Ranks per node, heads included. */
    int nodeSize() {
        return nodeSize;
    }

    /** Whether the application itself does all the work of a checkpoint of a level, and not its heads. */
    boolean isInline(Level level) {
        return level == Level.L4_DCP || inline.contains(level);
    }

    /** Whether heads go on with the program when the run is over. */
    boolean keepHeadsAlive() {
        return keepHeadsAlive;
    }

    int groupSize() {
        return groupSize;
    }

    Path ckptDir() {
        return ckptDir;
    }

    Path glblDir() {
        return glblDir;
    }

    Path metaDir() {
        return metaDir;
    }

    /** Where the directory of stashes of all runs is. */
    Path glblStashDir() {
        return glblStashDir;
    }

    /** Minutes between two snapshots of a level, or -1. */
    int interval(Level level) {
        return intervals.getOrDefault(level, UNSET);
    }

    /** For each level that is taken as often as it is worth it, mean seconds between failures that need it. */
    Map<Level, Double> meanSecondsBetweenFailures() {
        return meanSecondsBetweenFailures;
    }

    boolean keepLastCkpt() {
        return keepLastCkpt;
    }

    boolean keepL4Ckpt() {
        return keepL4Ckpt;
    }

    /** A mode in words. */
    static String nameOfMode(int ioMode) {
        return wordOfMode(ioMode) + " (ckpt_io = " + ioMode + ")";
    }

    private static String wordOfMode(int ioMode) {
        return switch (ioMode) {
            case IO_POSIX -> "POSIX";
            case IO_MPI -> "MPI-IO";
            case IO_FTIFF -> "FTI-FF";
            case IO_SIONLIB -> "SIONlib";
            case IO_HDF5 -> "HDF5";
            default -> "unknown";
        };
    }

    /** {@link #IO_POSIX} to {@link #IO_HDF5}. */
    int ioMode() {
        return ioMode;
    }

    /** How the names of the files of ranks end. */
    String suffix() {
        return ioMode == IO_HDF5 ? FileNames.HDF5 : FileNames.FTI;
    }

    /** Iterations, a power of two. */
    int maxSyncIntv() {
        return maxSyncInterval;
    }

    /**
     * What C FTI prints.
     *
     * @return 1 debug, 2 information, 3 warnings
     */
    int verbosity() {
        return verbosity;
    }

    int maxVarId() {
        return maxVarId;
    }

    /** How differential checkpoints are taken; empty where they are not. */
    Optional<DifferentialConfig> differential() {
        return differential;
    }

    /** 0, 1 or 2: whether the run of {@link #execId} is restarted. */
    int failure() {
        return isFromSingleFile() ? 0 : failure;
    }

    /** Whether a new run is to begin with the data of a shared HDF5 file. */
    boolean isFromSingleFile() {
        return failure == FROM_SINGLE_FILE;
    }

    /** The shared HDF5 file. */
    SingleFileConfig singleFile() {
        return singleFile;
    }

    /** The run's id as the file gives it; empty before the first start. */
    String execId() {
        return execId;
    }

    /** Whether files can be sent to the parallel file system. */
    boolean staging() {
        return staging;
    }

    boolean localTest() {
        return localTest;
    }

    int fastForward() {
        return fastForward;
    }

    /** Layout of new FTI-FF files. */
    Layout layout() {
        return layout;
    }

    Packing packing() {
        return packing;
    }

    /** Whether a restart takes what it cannot read for lost, and may go on from an older checkpoint. */
    boolean goesOnFromOlder() {
        return goesOnFromOlder;
    }

    /** Prefix directory of SCR in whose index checkpoints of level 4 are listed. */
    Optional<Path> scrIndex() {
        return scrIndex;
    }

    Injection injection() {
        return injection;
    }

    /** Whether a thread of each rank takes checkpoints while the rank computes. */
    boolean isAsynchronous() {
        return asynchronous;
    }

    /** Bytes of each of the {@link SlabPool#SLABS} slabs of a rank: a power of two. */
    int slabBytes() {
        return Integer.highestOneBit((slabMebibytes << 20) / SlabPool.SLABS);
    }

    /** How long the lease of another job is watched; zero: there is none. */
    Duration lease() {
        return Duration.ofMinutes(leaseMinutes);
    }

    Optional<String> storage() {
        return storage;
    }
}
