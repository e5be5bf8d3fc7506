package io.drumlin.checkpoint.internal.directory;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.ConfigValues;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code Checkpoint.fti}, the list of a run's checkpoints (docs/formats/fti-run-directory.md, section 1). */
public final class CheckpointListFile {

    /** What C's {@code strftime} gives for {@code "%A %x - %H:%M:%S"} in the C locale. */
    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("EEEE MM/dd/yy - HH:mm:ss", Locale.ROOT);

    private static final int IO_MODE_OFFSET = 1000;

    private static final String DIFFERENTIAL = "is_dcp";

    private static final String RANKS = "nb_procs";

    private static final String SECTION = "checkpoint_id.";

    private static final Pattern NAME = Pattern.compile("checkpoint_id\\.(\\d{1,10})(?:\\..*)?");

    /**
     * Part of the section name of a checkpoint that is going to be replaced by one with the same id and level and
     * another number of ranks.
     */
    private static final String OF = ".of";

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator comm;
    private final FtiConfig config;
    private final Topology topology;
    private final RunDirectory directories;
    private final Path file;
    private final StorageEngine storage;

    /**
     * Whether there are differential checkpoints, whose place does not say how old they are; {@code null} if not known
     * yet.
     */
    private @Nullable Boolean differential;

    /** Whether there is a list; known together with {@link #differential}. */
    private boolean exists;

    /**
     * Content of the file before the addition that is not {@linkplain #confirmAddition confirmed}; empty if there was
     * no file; {@code null} if nothing was added, and always on all ranks but the first.
     */
    private @Nullable String before;

    /**
     * Creates the list of a run; reads nothing yet.
     *
     * @param comm the application ranks or the heads; the first rank writes
     */
    public CheckpointListFile(
            Communicator comm, FtiConfig config, Topology topology, RunDirectory directories, StorageEngine storage) {
        this.comm = comm;
        this.config = config;
        this.topology = topology;
        this.directories = directories;
        this.storage = storage;
        file = directories.checkpointList();
    }

    /**
     * Adds a checkpoint that is going to be committed. If level 4 has an archive or there are differential checkpoints,
     * all checkpoints are added, as in C FTI. Otherwise only checkpoints of level 4 are added, and only if there is a
     * list. Collective.
     */
    public void add(int ckptId, Level level) throws IOException {
        add(ckptId, level, false);
    }

    /**
     * Adds the last checkpoint of a completed run, which is going to be committed at level 4. If it is listed, it stays
     * listed with the level at which it was taken, as in C FTI. Collective.
     */
    public void addKept(int ckptId) throws IOException {
        add(ckptId, Level.L4, true);
    }

    private void add(int ckptId, Level level, boolean kept) throws IOException {
        boolean ordered = hasDifferential();
        if (!ordered && !config.kept().archives() && !(exists && level == Level.L4)) {
            return;
        }
        Agreement.run(comm, "listing checkpoint " + ckptId, () -> {
            if (comm.rank() == 0 && !(kept && isListedAsTaken(ckptId, ordered))) {
                write(ckptId, level, topology.ranksOfApplication(), ordered);
            }
        });
    }

    /** An earlier checkpoint with this id at level 4 would make its place in the list doubtful. */
    private boolean isListedAsTaken(int ckptId, boolean ordered) throws IOException {
        List<Entry> entries;
        try {
            entries = entries(file);
        } catch (DrumlinException damaged) {
            // The addition puts the damaged list aside.
            return false;
        }
        List<Entry> same =
                entries.stream().filter(entry -> entry.ckptId() == ckptId).toList();
        return same.size() == 1
                && !same.get(0).level().isGlobal()
                && (!ordered || entries.get(entries.size() - 1).equals(same.get(0)));
    }

    /**
     * Adds the checkpoint of a run of another number of ranks, if it is not in the list. That run's topology, which
     * records the number, is going to be replaced. Collective.
     */
    public void addOfPreviousRun(int ckptId, Level level, int ranks) throws IOException {
        boolean ordered = hasDifferential();
        Agreement.run(comm, "listing checkpoint " + ckptId + " of " + ranks + " ranks", () -> {
            if (comm.rank() == 0 && !has(ckptId, level)) {
                write(ckptId, level, ranks, ordered);
                confirmAddition();
            }
        });
        exists = true;
    }

    private boolean has(int ckptId, Level level) throws IOException {
        try {
            return entries(file).stream().anyMatch(entry -> entry.level() == level && entry.ckptId() == ckptId);
        } catch (DrumlinException damaged) {
            // The addition puts the damaged list aside.
            return false;
        }
    }

    /** Confirms that the checkpoint that was added last is in its place. */
    public void confirmAddition() {
        before = null;
    }

    /** Undoes the last addition, unless it was confirmed. Collective. */
    public void undoAddition() throws IOException {
        Agreement.run(comm, "taking a checkpoint from the list", () -> {
            String text = before;
            if (text == null) {
                return;
            }
            if (text.isEmpty()) {
                storage.delete(file);
            } else {
                TextFiles.replace(file, text, storage);
            }
            before = null;
        });
    }

    /**
     * Returns whether there are differential checkpoints, including those of a run before a restart that disabled them.
     * Collective at the first call.
     */
    boolean hasDifferential() throws IOException {
        if (differential == null) {
            long[] found = {0, 0};
            if (comm.rank() == 0) {
                // Files.exists is not used, because it returns false also on errors.
                boolean left = PathStatus.exists(directories.committed(Level.L4_DCP));
                boolean possible = !config.mode().metadataApart();
                found[0] = possible && (left || config.differential().isPresent()) ? 1 : 0;
                found[1] = PathStatus.exists(file) ? 1 : 0;
            }
            comm.allreduce(found, Op.MAX);
            differential = found[0] == 1;
            exists = found[1] == 1;
        }
        return differential;
    }

    /**
     * @param ordered whether the newest checkpoint is always the last; otherwise a checkpoint with a repeated id stays
     *     in its place, as in C FTI
     */
    private void write(int ckptId, Level level, int ranks, boolean ordered) throws IOException {
        before = null;
        String text = PathStatus.exists(file) ? TextFiles.read(file) : "";
        Map<String, Map<String, String>> sections;
        try {
            sections = sections(parse(text, file));
        } catch (DrumlinException damaged) {
            putAside(damaged);
            text = "";
            sections = new LinkedHashMap<>();
        }
        Map<String, String> values = new LinkedHashMap<>();
        values.put("timestamp", ZonedDateTime.now(ZoneId.systemDefault()).format(TIMESTAMP));
        values.put("level", Integer.toString(level.number()));
        values.put(RANKS, Integer.toString(ranks));
        values.put("io_mode", Integer.toString(IO_MODE_OFFSET + config.mode().number()));
        values.put(DIFFERENTIAL, Boolean.toString(level == Level.L4_DCP));
        String section = SECTION + ckptId;
        sections.keySet().removeIf(name -> name.contains(OF));
        if (!ordered && !config.kept().archives() && !PathStatus.exists(directories.archive())) {
            keepLast(sections);
        } else if (!ordered
                && level == Level.L4
                && config.kept().archives()
                && !config.kept().all()) {
            keepExisting(sections);
        }
        keepOfOtherRanks(sections, section, values);
        if (ordered) {
            sections = withoutId(sections, section, values);
        }
        sections.put(section, values);
        before = text;
        TextFiles.replace(file, IniFile.dump(sections), storage);
    }

    /** The files of the checkpoints before the last one are gone. */
    private static void keepLast(Map<String, Map<String, String>> sections) {
        while (sections.size() > 1) {
            sections.remove(sections.keySet().iterator().next());
        }
    }

    /** Removes the sections of archived checkpoints that were deleted, but not the last one. */
    private void keepExisting(Map<String, Map<String, String>> sections) throws IOException {
        Set<String> existing = new HashSet<>();
        for (int id : RunInventory.ids(directories)) {
            existing.add(SECTION + id);
        }
        List<String> names = List.copyOf(sections.keySet());
        existing.addAll(names.subList(Math.max(0, names.size() - 1), names.size()));
        sections.keySet().retainAll(existing);
    }

    /**
     * Keeps the number of ranks of the checkpoint to be replaced, because a kill before the commit leaves that
     * checkpoint.
     */
    private static void keepOfOtherRanks(
            Map<String, Map<String, String>> sections, String section, Map<String, String> values) {
        String kind = kind(values);
        Map<String, String> same = sections.getOrDefault(section, Map.of());
        Map<String, String> apart = sections.remove(section + kind);
        Map<String, String> old = kind(same).equals(kind) || apart == null ? same : apart;
        String ranks = old.getOrDefault(RANKS, "");
        if (kind(old).equals(kind) && !ranks.isEmpty() && !ranks.equals(values.get(RANKS))) {
            sections.put(section + OF + ranks, old);
        }
    }

    /**
     * Removes the section of a checkpoint with a repeated id. A checkpoint of another level with this id may still
     * exist and keeps its place in the list, because only the list says which checkpoints are newer and which are older
     * than a differential one.
     */
    private static Map<String, Map<String, String>> withoutId(
            Map<String, Map<String, String>> sections, String section, Map<String, String> values) {
        Map<String, Map<String, String>> others = new LinkedHashMap<>();
        sections.forEach((name, old) -> {
            if (!name.equals(section)) {
                others.put(name, old);
            } else if (!kind(old).equals(kind(values))) {
                others.remove(section + kind(old));
                others.put(section + kind(old), old);
            }
        });
        return others;
    }

    /** Returns the name of the level for the name of a section that is not the last of its id. */
    private static String kind(Map<String, String> values) {
        return isDifferential(values.getOrDefault(DIFFERENTIAL, "")) ? ".dcp" : ".l" + values.get("level");
    }

    private static boolean isDifferential(String value) {
        return value.startsWith("t");
    }

    /**
     * Reads a list.
     *
     * @throws DrumlinException the list is damaged: it cannot be parsed, or not be written again
     */
    public static IniFile read(Path file) throws IOException {
        return parse(TextFiles.read(file), file);
    }

    private static IniFile parse(String text, Path file) throws DrumlinException {
        IniFile list = IniFile.parse(text, file.toString());
        try {
            IniFile.dump(sections(list));
        } catch (IllegalArgumentException e) {
            throw DrumlinException.during("reading " + file)
                    .problem("it is damaged: " + e.getMessage())
                    .exception();
        }
        return list;
    }

    private static Map<String, Map<String, String>> sections(IniFile list) {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        list.sections().forEach(section -> sections.put(section, list.section(section)));
        return sections;
    }

    /** Renames a damaged list aside to make way for a new one, without which the run could not take checkpoints. */
    private void putAside(DrumlinException damaged) throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".damaged");
        LOG.log(
                Logger.Level.WARNING,
                "a new list of checkpoints is begun, and the damaged one kept as {0}: {1}",
                aside,
                damaged.getMessage());
        storage.rename(file, aside);
    }

    /**
     * Returns the levels in the order in which a restart tries them. Among ordinary levels the lowest is the newest,
     * because a checkpoint deletes those of lower levels. A differential checkpoint deletes none, so only the list says
     * which checkpoints are newer.
     *
     * @param directories the directories of the run that has the list
     */
    public static List<Level> restartOrder(RunDirectory directories) throws IOException {
        Set<Level> newer = EnumSet.noneOf(Level.class);
        boolean differential = false;
        Optional<Entry> last = Optional.empty();
        List<Entry> entries = entries(directories.checkpointList());
        for (Entry entry : entries) {
            last = Optional.of(entry);
            if (entry.level() == Level.L4_DCP) {
                differential = true;
                newer.clear();
            } else {
                newer.add(entry.level());
            }
        }
        if (!differential && last.isPresent()) {
            // In a list of C FTI, a checkpoint with a repeated id may have replaced the entry of the differential one.
            newer = EnumSet.range(Level.L1, last.get().level());
        }
        if (last.isPresent() && isKept(last.get(), entries, directories)) {
            newer.add(Level.L4);
        }
        Set<Level> order = new LinkedHashSet<>(newer);
        order.remove(Level.L4_DCP);
        if (differential || last.isPresent()) {
            order.add(Level.L4_DCP);
        }
        order.addAll(List.of(Level.values()));
        return List.copyOf(order);
    }

    /** Returns whether the last checkpoint was brought to level 4 when the run was completed. */
    private static boolean isKept(Entry last, List<Entry> entries, RunDirectory directories) throws IOException {
        return !last.level().isGlobal()
                && of(entries, Level.L4, last.ckptId()).contains(last)
                && PathStatus.exists(directories.committed(Level.L4_DCP))
                && RunInventory.idsIn(directories.committed(Level.L4)).contains(last.ckptId());
    }

    /**
     * Returns the entries of a checkpoint at a level. At level 4 this may be the last checkpoint of a completed run,
     * which is listed with the level at which it was taken.
     */
    public static List<Entry> of(List<Entry> entries, Level level, int ckptId) {
        List<Entry> same =
                entries.stream().filter(entry -> entry.ckptId() == ckptId).toList();
        List<Entry> found =
                same.stream().filter(entry -> entry.level() == level).toList();
        return found.isEmpty() && level == Level.L4
                ? same.stream().filter(entry -> !entry.level().isGlobal()).toList()
                : found;
    }

    /**
     * A checkpoint in the list.
     *
     * @param ckptId its id; -1 if it has none
     * @param ranks number of application ranks that stored it; 0 if not recorded
     * @param ofOtherRanks whether a checkpoint of another number of ranks was going to replace it
     */
    public record Entry(Level level, int ckptId, int ranks, boolean ofOtherRanks) {

        /** Returns the entry as a line of text, for {@link #of}. */
        public String toLine() {
            return level + " " + ckptId + " " + ranks + " " + ofOtherRanks;
        }

        public static Entry of(String line) {
            String[] words = line.split(" ", -1);
            return new Entry(
                    Level.valueOf(words[0]),
                    Integer.parseInt(words[1]),
                    Integer.parseInt(words[2]),
                    Boolean.parseBoolean(words[3]));
        }
    }

    /** Returns the entries of a list, in its order; none if the list does not exist. */
    public static List<Entry> entries(Path file) throws IOException {
        return PathStatus.exists(file) ? entries(read(file)) : List.of();
    }

    /** Returns the entries of a list that was read, in its order. */
    public static List<Entry> entries(IniFile list) {
        List<Entry> entries = new ArrayList<>();
        for (String section : list.sections()) {
            int number = ConfigValues.parseInteger(list.get(section, "level").orElse(""));
            boolean isDifferential =
                    isDifferential(list.get(section, DIFFERENTIAL).orElse(""));
            if (isDifferential || (number >= Level.L1.number() && number <= Level.L4.number())) {
                entries.add(new Entry(
                        isDifferential ? Level.L4_DCP : Level.of(number),
                        ckptId(section),
                        ConfigValues.parseInteger(list.get(section, RANKS).orElse("")),
                        section.contains(OF)));
            }
        }
        return entries;
    }

    private static int ckptId(String section) {
        Matcher name = NAME.matcher(section);
        long id = name.matches() ? Long.parseLong(name.group(1)) : -1;
        return id > Integer.MAX_VALUE ? -1 : (int) id;
    }
}
