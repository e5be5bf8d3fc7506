package io.drumlin.cli.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.DataSource;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunReport.Checkpoint;
import io.drumlin.checkpoint.RunReport.Problem;
import io.drumlin.checkpoint.RunReport.State;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.RunSurvey.RankFile;
import io.drumlin.checkpoint.internal.config.Mode;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Progress;
import io.drumlin.cli.base.Table;
import io.drumlin.cli.file.DataFile;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.Selection;
import io.drumlin.format.fti.IniFile;
import io.drumlin.internal.Printable;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** The checkpoint directories of an FTI run, with its configuration file; docs/formats/fti-run-directory.md. */
public final class CheckpointDirectory {

    /** Larger by far than any configuration file. */
    private static final long MOST_BYTES = 1 << 20;

    /** Largest number of lines about single files; a lost node can have thousands. */
    private static final int MOST_LINES = 100;

    private final Path path;
    private final Path config;
    private final RunSurvey run;

    /** The checkpoint that is opened; empty for the one that a restart finds. */
    private final OptionalInt chosen;

    private CheckpointDirectory(Path path, Path config, RunSurvey run, OptionalInt chosen) {
        this.path = path;
        this.config = config;
        this.run = run;
        this.chosen = chosen;
    }

    /** Returns the same run, of which a certain checkpoint is opened. */
    CheckpointDirectory choosing(int ckptId) {
        return new CheckpointDirectory(path, config, run.choosing(ckptId), OptionalInt.of(ckptId));
    }

    /**
     * Finds the run of a path, which is either a configuration file or the working directory of a run.
     *
     * @return empty if it is neither
     */
    public static Optional<CheckpointDirectory> of(Path path, RunOption option) throws IOException {
        return of(path, option.config(), option.execId());
    }

    /**
     * Finds the run of a path.
     *
     * @param given the configuration file, if the path does not determine it
     * @param execId the run, if it is not the one of the configuration file
     */
    public static Optional<CheckpointDirectory> of(Path path, Optional<Path> given, Optional<String> execId)
            throws IOException {
        List<Path> configs = given.map(List::of).orElse(List.of());
        if (configs.isEmpty()) {
            configs = configurations(path);
        }
        if (configs.isEmpty()) {
            return Optional.empty();
        }
        if (configs.size() > 1) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED,
                    path + " has several configuration files; say --config, one of " + configs);
        }
        Path config = configs.get(0);
        Path folder =
                PathStatus.isDirectory(path) ? path : path.toAbsolutePath().getParent();
        try {
            Path start = folder == null ? path : folder;
            RunSurvey run =
                    execId.isPresent() ? RunSurvey.open(config, start, execId.get()) : RunSurvey.open(config, start);
            return Optional.of(new CheckpointDirectory(path, config, run, OptionalInt.empty()));
        } catch (DrumlinException e) {
            throw new CommandException(ExitCode.NOT_RECOGNISED, "no restart is possible: " + e.getMessage());
        }
    }

    /** Returns the configuration files that a folder has, or the file itself if it is one. */
    static List<Path> configurations(Path path) throws IOException {
        if (!PathStatus.isDirectory(path)) {
            return isConfiguration(path) ? List.of(path) : List.of();
        }
        List<Path> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(path)) {
            for (Path file : files.sorted().toList()) {
                if (isConfiguration(file)) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    private static boolean isConfiguration(Path file) throws IOException {
        if (!PathStatus.isRegularFile(file) || Files.size(file) > MOST_BYTES) {
            return false;
        }
        try {
            IniFile ini = IniFile.parse(PathStatus.readText(file), file.toString());
            return ini.get("basic", "ckpt_dir").isPresent();
        } catch (DrumlinException e) {
            return false;
        }
    }

    public int inspect(PrintWriter out, boolean asJson) throws IOException {
        RunReport report = run.report(false);
        if (asJson) {
            write(out, report);
            return exitCode(report);
        }
        out.println(path + ": run " + run.execId() + ", " + run.ranks() + " ranks on "
                + run.nodeNames().size() + " nodes in groups of " + run.groupSize() + ", " + mode());
        out.println("  " + restart(report));
        if (!report.checkpoints().isEmpty()) {
            out.println();
            new Table(
                            "level",
                            "checkpoint",
                            "<in",
                            "<state",
                            "missing",
                            "damaged",
                            "<own files",
                            "<partner copies",
                            "<Reed-Solomon",
                            "<lost")
                    .print(out, () -> report.checkpoints().stream().map(CheckpointDirectory::row));
        }
        print(out, report.problems().stream().map(Problem::reason).toList());
        return exitCode(report);
    }

    private static Object[] row(Checkpoint checkpoint) {
        return new Object[] {
            checkpoint.level().number(),
            checkpoint.ckptId(),
            String.join(", ", checkpoint.folders()),
            state(checkpoint),
            checkpoint.missing().size(),
            checkpoint.damaged().size(),
            ranks(checkpoint, DataSource.OWN_FILE),
            ranks(checkpoint, DataSource.PARTNER_COPY),
            ranks(checkpoint, DataSource.REED_SOLOMON),
            ranks(checkpoint, DataSource.NONE)
        };
    }

    private static String state(Checkpoint checkpoint) {
        return checkpoint.state().name().toLowerCase(Locale.ROOT);
    }

    private static String ranks(Checkpoint checkpoint, DataSource source) {
        return ranges(checkpoint.sources().entrySet().stream()
                .filter(entry -> entry.getValue() == source)
                .map(Map.Entry::getKey)
                .toList());
    }

    /** Formats ranges, for example {@code 0-3, 7}. */
    private static String ranges(List<Integer> ascending) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < ascending.size(); i++) {
            int first = ascending.get(i);
            while (i + 1 < ascending.size() && ascending.get(i + 1) == ascending.get(i) + 1) {
                i++;
            }
            int last = ascending.get(i);
            text.append(text.length() == 0 ? "" : ", ").append(first).append(last > first ? "-" + last : "");
        }
        return text.toString();
    }

    /** Reads the files. Reports for each damaged one what is wrong, and finally what a restart does. */
    public int verify(PrintWriter out) throws IOException {
        RunReport report;
        try (Progress progress = Progress.of(() -> bytes(run.report(false)), "verify")) {
            report = run.watchedBy(progress::advance).report(true);
        }
        List<String> lines = new ArrayList<>();
        report.problems().forEach(problem -> lines.add(problem.reason()));
        for (Checkpoint checkpoint : report.checkpoints()) {
            if (checkpoint.state() != State.UNFINISHED) {
                String of = " is missing, of checkpoint " + checkpoint.ckptId() + " of level "
                        + checkpoint.level().number();
                checkpoint.missing().forEach(file -> lines.add(file + of));
            }
            if (checkpoint.state() == State.LOST) {
                lines.add("level " + checkpoint.level().number() + ", checkpoint " + checkpoint.ckptId()
                        + ": lost are the data of ranks " + ranks(checkpoint, DataSource.NONE));
            }
        }
        print(out, lines);
        out.println(path + ": " + restart(report));
        return exitCode(report);
    }

    /** Returns the number of bytes of the files that are read to check data. */
    private static long bytes(RunReport report) {
        return report.checkpoints().stream()
                .filter(Checkpoint::isRecoverable)
                .mapToLong(Checkpoint::bytes)
                .sum();
    }

    private static void print(PrintWriter out, Collection<String> lines) {
        lines.stream().limit(MOST_LINES).forEach(out::println);
        if (lines.size() > MOST_LINES) {
            out.println("and " + (lines.size() - MOST_LINES) + " more; inspect --json has all");
        }
    }

    private String restart(RunReport report) {
        String found = found(report)
                .map(checkpoint -> "checkpoint " + checkpoint.ckptId() + " of level "
                        + checkpoint.level().number() + " (" + state(checkpoint) + ")")
                .orElse("no checkpoint that all ranks can recover from");
        String spread =
                run.isSpread() ? "; of levels 1 to 3 only what this machine has was looked at, local_test is 0" : "";
        return (run.failure() == 0 ? "failure = 0: the next start is fresh; a restart would find " : "a restart finds ")
                + found
                + spread
                + run.writtenByOthers().map(words -> "; " + words).orElse("");
    }

    /** Returns the checkpoint that a restart takes, also one on another number of ranks. */
    private Optional<Checkpoint> found(RunReport report) {
        if (run.writtenByOthers().isEmpty()) {
            return report.restart();
        }
        return report.checkpoints().stream()
                .filter(each ->
                        each.isRecoverable() && !each.archived() && each.level().number() == 4 && !isHdf5())
                .findFirst();
    }

    private int exitCode(RunReport report) {
        if (found(report).isEmpty()) {
            return ExitCode.NOT_RECOGNISED;
        }
        return report.isWhole() ? ExitCode.OK : ExitCode.DAMAGED;
    }

    /**
     * Opens the file with selected data, of the checkpoint that a restart finds or of the chosen one.
     *
     * @param action receives the file of the rank, which is verified as in a restart
     */
    public <T> T open(Selection asked, DataFile.Action<T> action) throws IOException {
        Selection selection = asked.splitRank();
        String key = isHdf5() ? "dataset" : "var";
        if (!selection.key().equals(key) || selection.rank().isEmpty()) {
            throw selection.wrong(
                    "of a run in the mode " + mode() + " select " + (isHdf5() ? "dataset=PATH@RANK" : "var=ID@RANK"));
        }
        int rank = selection.rank().getAsInt();
        if (rank >= run.ranks()) {
            throw selection.missing("the run has ranks 0 to " + (run.ranks() - 1));
        }
        return fetch(
                (survey, scratch) -> survey.fetch(rank, scratch).stream().toList(),
                files -> open(files.get(0), (file, itsRank) -> action.run(file, file.select(selection.withoutRank()))));
    }

    /** Returns the name of the mode in which the run writes its files. */
    public String mode() {
        return knownMode().word();
    }

    /** Opens a file that {@link #fetchAll} has found. */
    public <T> T open(RankFile file, DataFile.Work<T> action) throws IOException {
        try (FileSource source = FileSource.open(file.path())) {
            return action.on(RunRankFile.of(source, file, isHdf5()), OptionalInt.of(file.rank()));
        }
    }

    /** Finds files of ranks. */
    @FunctionalInterface
    private interface Fetching {
        List<RankFile> from(RunSurvey survey, Path scratch) throws IOException;
    }

    /** Work on the files of all ranks. */
    @FunctionalInterface
    public interface AllAction<T> {
        T run(List<RankFile> files) throws IOException;
    }

    /**
     * Finds or decodes the files of all ranks, of the checkpoint that a restart finds or of the chosen one, and verifies
     * them.
     *
     * @param action receives them; decoded ones are deleted afterwards
     */
    public <T> T fetchAll(AllAction<T> action) throws IOException {
        return fetch(RunSurvey::fetchAll, action);
    }

    private <T> T fetch(Fetching fetching, AllAction<T> action) throws IOException {
        Path decoded = Files.createTempDirectory("drumlin-decoded-");
        try {
            List<RankFile> files;
            try (Progress progress = Progress.of(this::bytes, "verify")) {
                files = fetching.from(run.watchedBy(progress::advance), decoded);
            } catch (DrumlinException e) {
                if (e.errno() != null || chosen.isEmpty()) {
                    throw e;
                }
                throw new CommandException(ExitCode.NOT_RECOGNISED, Printable.text(String.valueOf(e.getMessage())));
            }
            if (files.isEmpty()) {
                String which = chosen.isPresent() ? "no checkpoint " + chosen.getAsInt() : "no checkpoint";
                throw new CommandException(
                        ExitCode.NOT_RECOGNISED,
                        path + ": there is " + which + " that can be recovered; see drumlin "
                                + (chosen.isPresent() ? "run list" : "verify"));
            }
            requireNewest(files.get(0));
            return action.run(files);
        } finally {
            delete(decoded);
        }
    }

    /** Nobody is to take an older checkpoint for the newest. */
    private void requireNewest(RankFile file) {
        if (file.passedOver().isPresent()) {
            throw new CommandException(
                    ExitCode.DAMAGED,
                    path + ": " + file.passedOver().get()
                            + " is the newest, and files of it are missing or damaged: see"
                            + " drumlin verify; --checkpoint " + file.ckptId()
                            + " takes the one from which a restart goes on, of level "
                            + file.level().number());
        }
    }

    /** Returns the number of bytes of the files of the checkpoint that is opened. */
    private long bytes() throws IOException {
        RunReport report = run.report(false);
        return chosen.isEmpty()
                ? report.restart().map(Checkpoint::bytes).orElse(0L)
                : report.checkpoints().stream()
                        .filter(each -> each.isRecoverable() && each.ckptId() == chosen.getAsInt())
                        .mapToLong(Checkpoint::bytes)
                        .max()
                        .orElse(0);
    }

    private Mode knownMode() {
        return Mode.of(run.ioMode()).orElseThrow();
    }

    /** Only the program knows which variable belongs to a dataset. */
    private boolean isHdf5() {
        return knownMode() == Mode.HDF5;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private void write(PrintWriter out, RunReport report) throws IOException {
        JsonGenerator json = new JsonFactory()
                .createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter();
        json.writeStartObject();
        json.writeStringField("path", path.toString());
        json.writeStringField("config", config.toString());
        json.writeStringField("exec_id", run.execId());
        json.writeNumberField("failure", run.failure());
        json.writeStringField("mode", mode());
        json.writeNumberField("ranks", run.ranks());
        json.writeNumberField("group_size", run.groupSize());
        json.writeStringField("written_by_others", run.writtenByOthers().orElse(""));
        strings(json, "nodes", run.nodeNames());
        json.writeBooleanField("only_this_machine", run.isSpread());
        json.writeArrayFieldStart("checkpoints");
        for (Checkpoint checkpoint : report.checkpoints()) {
            write(json, checkpoint, found(report).filter(checkpoint::equals).isPresent());
        }
        json.writeEndArray();
        json.writeArrayFieldStart("problems");
        for (Problem problem : report.problems()) {
            json.writeStartObject();
            json.writeStringField("path", problem.path().toString());
            json.writeStringField("reason", problem.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
        json.close();
        out.println();
    }

    private static void write(JsonGenerator json, Checkpoint checkpoint, boolean restart) throws IOException {
        json.writeStartObject();
        json.writeNumberField("level", checkpoint.level().number());
        json.writeNumberField("ckpt_id", checkpoint.ckptId());
        json.writeBooleanField("archived", checkpoint.archived());
        strings(json, "folders", checkpoint.folders());
        json.writeStringField("state", state(checkpoint));
        json.writeBooleanField("restart", restart);
        json.writeObjectFieldStart("sources");
        for (Map.Entry<Integer, DataSource> source : checkpoint.sources().entrySet()) {
            json.writeStringField(
                    source.getKey().toString(), source.getValue().name().toLowerCase(Locale.ROOT));
        }
        json.writeEndObject();
        strings(json, "missing", checkpoint.missing());
        strings(json, "damaged", checkpoint.damaged());
        json.writeEndObject();
    }

    private static void strings(JsonGenerator json, String field, Collection<?> values) throws IOException {
        json.writeArrayFieldStart(field);
        for (Object value : values) {
            json.writeString(value.toString());
        }
        json.writeEndArray();
    }
}
