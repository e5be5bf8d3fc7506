package io.drumlin.checkpoint.internal.inspect;

import io.drumlin.checkpoint.DataSource;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunReport.Checkpoint;
import io.drumlin.checkpoint.RunReport.Problem;
import io.drumlin.checkpoint.RunReport.State;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.recovery.Candidate;
import io.drumlin.checkpoint.internal.recovery.RankFindings;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Builds the report from the findings of the ranks. Several ranks may add their findings at the same time. */
final class RunReportBuilder {

    private static final Pattern CHECKPOINT_FILE =
            Pattern.compile("Ckpt(\\d{1,9})-(?:Rank(\\d{1,9})|Pcof\\d+|RSed\\d+|mpiio|sionlib)\\.(?:fti|h5)");

    private final List<Integer> ranks;
    private final boolean selfDescribing;
    private final List<Level> order;
    private final Set<Path> files = new TreeSet<>();
    private final Set<Problem> problems = new LinkedHashSet<>();
    private final List<List<RankFindings>> rows = new ArrayList<>();

    /**
     * @param ranks ranks that have data
     * @param selfDescribing whether a file contains its metadata
     * @param order order of the levels in a restart
     */
    RunReportBuilder(List<Integer> ranks, boolean selfDescribing, List<Level> order) {
        this.ranks = ranks;
        this.selfDescribing = selfDescribing;
        this.order = order;
    }

    /** Returns the checkpoint files of all ranks in a directory. */
    static List<Path> checkpointFiles(Path directory) throws IOException {
        return PathStatus.entries(directory).stream()
                .filter(file -> CHECKPOINT_FILE.matcher(name(file)).matches())
                .toList();
    }

    synchronized void refused(Collection<Problem> refused) {
        problems.addAll(refused);
    }

    synchronized void files(Collection<Path> found) {
        files.addAll(found);
    }

    /**
     * Adds the findings of all ranks about a checkpoint. Checkpoints are added in the order in which a restart tries
     * them.
     */
    void checkpoint(List<RankFindings> row) {
        rows.add(row);
    }

    RunReport build() {
        Set<Path> refused = new HashSet<>();
        problems.forEach(problem -> refused.add(problem.path()));
        List<Checkpoint> checkpoints = new ArrayList<>();
        IdentityHashMap<Checkpoint, Long> positions = new IdentityHashMap<>();
        Set<Path> claimed = new HashSet<>();
        for (List<RankFindings> row : distinct(claimed)) {
            Checkpoint checkpoint = checkpoint(row, refused);
            checkpoints.add(checkpoint);
            Candidate first = row.get(0).left().candidate();
            boolean inPlace = !checkpoint.isKept() && !checkpoint.archived();
            positions.put(checkpoint, inPlace ? first.position() : -1);
        }
        files.removeAll(claimed);
        files.removeAll(refused);
        checkpoints.addAll(strays());
        // The sort is stable, so checkpoints of a level stay in the order in which a restart tries them.
        checkpoints.sort(Comparator.comparing(Checkpoint::isKept)
                .thenComparing(Checkpoint::archived)
                .thenComparing(checkpoint -> order.indexOf(checkpoint.level())));
        return new RunReport(
                CommitOrder.newestFirst(checkpoints, checkpoint -> positions.getOrDefault(checkpoint, -1L)),
                problems.stream().sorted(Comparator.comparing(Problem::path)).toList());
    }

    /**
     * Lists each file only once. A restart may try a file several times, for several levels or for all checkpoints with
     * its id. The file is listed in the first checkpoint that can be recovered with it, otherwise in the checkpoint
     * with the most files.
     */
    private List<List<RankFindings>> distinct(Set<Path> claimed) {
        List<List<RankFindings>> distinct = new ArrayList<>();
        Stream<List<RankFindings>> lost = rows.stream()
                .filter(row -> !row.get(0).left().recoverable())
                .sorted(Comparator.comparing(
                        (List<RankFindings> row) -> -files(row).size()));
        Stream.concat(rows.stream().filter(row -> row.get(0).left().recoverable()), lost)
                .forEach(row -> {
                    if (claimed.addAll(files(row))) {
                        distinct.add(row);
                    }
                });
        distinct.sort(Comparator.comparing(rows::indexOf));
        return distinct;
    }

    private static Set<Path> files(List<RankFindings> row) {
        Set<Path> files = new TreeSet<>();
        row.forEach(seen -> files.addAll(seen.files()));
        return files;
    }

    private static Checkpoint checkpoint(List<RankFindings> row, Set<Path> refused) {
        SortedMap<Integer, DataSource> sources = new TreeMap<>();
        Set<Path> lacking = new TreeSet<>();
        Set<Path> damaged = new TreeSet<>();
        Set<Path> files = files(row);
        for (RankFindings seen : row) {
            sources.put(seen.rank(), seen.left().source());
            for (Path file : seen.expected()) {
                if (refused.contains(file)) {
                    damaged.add(file);
                } else if (!files.contains(file)) {
                    lacking.add(file);
                }
            }
        }
        RankFindings first = row.get(0);
        boolean recoverable = first.left().recoverable();
        Set<String> folders = folders(files);
        State state =
                recoverable ? lacking.isEmpty() && damaged.isEmpty() ? State.WHOLE : State.RECOVERABLE : lost(folders);
        return new Checkpoint(
                first.left().level(),
                first.left().stored().ckptId(),
                first.left().candidate().entry().isArchived(),
                folders,
                state,
                sources,
                lacking,
                damaged,
                bytes(files));
    }

    /** Returns the bytes of files. A file that is deleted meanwhile counts as empty. */
    private static long bytes(Collection<Path> files) {
        return files.stream().mapToLong(file -> file.toFile().length()).sum();
    }

    /** Returns the checkpoints of which too little is left for a restart to try them, by the names of their files. */
    private List<Checkpoint> strays() {
        Map<String, List<Path>> strays = new TreeMap<>();
        for (Path file : files) {
            Matcher name = CHECKPOINT_FILE.matcher(name(file));
            if (name.matches() && !isPassing(folder(file))) {
                strays.computeIfAbsent(folder(file) + "/" + name.group(1), key -> new ArrayList<>())
                        .add(file);
            }
        }
        return strays.values().stream().map(this::stray).toList();
    }

    private Checkpoint stray(List<Path> strays) {
        SortedMap<Integer, DataSource> sources = new TreeMap<>();
        ranks.forEach(rank -> sources.put(rank, DataSource.NONE));
        Matcher name = CHECKPOINT_FILE.matcher("");
        for (Path file : strays) {
            if (name.reset(name(file)).matches() && selfDescribing && name.group(2) != null) {
                sources.put(Integer.valueOf(name.group(2)), DataSource.OWN_FILE);
            }
        }
        String folder = folder(strays.get(0));
        return new Checkpoint(
                Level.of(folder.charAt(1) - '0'),
                Integer.parseInt(name.group(1)),
                !folder.matches("l\\d"),
                Set.of(folder),
                State.LOST,
                sources,
                Set.of(),
                Set.of(),
                bytes(strays));
    }

    private static State lost(Set<String> folders) {
        return folders.stream().allMatch(RunReportBuilder::isPassing) ? State.UNFINISHED : State.LOST;
    }

    private static Set<String> folders(Collection<Path> files) {
        Set<String> folders = new TreeSet<>();
        files.forEach(file -> folders.add(folder(file)));
        return folders;
    }

    static Problem problem(Path path, IOException reason) {
        boolean ofRemains = isPassing(name(path)) || isPassing(folder(path));
        return new Problem(path, String.valueOf(reason.getMessage()), ofRemains);
    }

    private static String name(Path path) {
        return String.valueOf(path.getFileName());
    }

    private static String folder(Path file) {
        Path parent = file.getParent();
        return parent == null ? "" : name(parent);
    }

    /** Returns whether a directory exists only while a commit is under way. */
    private static boolean isPassing(String folder) {
        return folder.equals("tmp") || folder.startsWith("drumlin-replaced-");
    }
}
