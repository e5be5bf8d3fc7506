package io.drumlin.checkpoint.internal.group;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.CheckpointChoice;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The configuration file of a group, in the directory of metadata of its run (docs/formats/fti-run-directory.md, section
 * 18). It has the settings of the run, and a section {@code [restart]} of its own.
 *
 * @param path where it is
 * @param execId the run that the group is
 * @param failure how the group starts next: 0, 1 or 2
 */
public record GroupFile(Path path, String execId, int failure) {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** The names of groups. */
    static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,32}");

    private static final Pattern FILE = Pattern.compile("drumlin-group-(" + NAME + ")\\.fti");

    private static final String RESTART = "restart";

    private static final String OURS = "drumlin";

    /** Returns where a group has its file. */
    static Path path(Path metaOfRun, String name) {
        return metaOfRun.resolve("drumlin-group-" + name + ".fti");
    }

    /** Returns the groups that a run has ever had, also those that are completed. */
    public static List<GroupFile> of(Path metaOfRun) throws IOException {
        List<GroupFile> groups = new ArrayList<>();
        for (Path entry : PathStatus.entries(metaOfRun)) {
            Matcher name = FILE.matcher(entry.getFileName().toString());
            if (name.matches()) {
                groups.add(read(entry, metaOfRun.getFileName() + "." + name.group(1)));
            }
        }
        return groups;
    }

    /**
     * Reads the file of a group.
     *
     * @param base the id of the run that the group was first
     */
    private static GroupFile read(Path path, String base) throws IOException {
        FtiConfig config = FtiConfig.parse(TextFiles.read(path), path.toString());
        if (!config.execId().equals(base) && number(config.execId(), base) == 1) {
            throw DrumlinException.during("reading the file of a group")
                    .path(path)
                    .problem("it names run " + config.execId() + ", and the group is run " + base)
                    .advice(
                            "if the file was opened by itself, set exec_id to the run of the group that has the checkpoints"
                                    + " (see drumlin run list), and failure = 1")
                    .exception();
        }
        return new GroupFile(path, config.execId(), config.failure());
    }

    /** Returns how many times a group has begun afresh; 1 if the id is not one of a group that has begun again. */
    private static int number(String execId, String base) {
        Matcher number = Pattern.compile(Pattern.quote(base) + "\\.([2-9]|[1-9]\\d{1,8})")
                .matcher(execId);
        return number.matches() ? Integer.parseInt(number.group(1)) : 1;
    }

    /**
     * Writes the file with which a group is opened next: with the settings that the run has now. A fresh group gets an id
     * that none has had, because nodes may still have files of the one before.
     *
     * @param run the configuration of the run
     * @param runFile the file of that configuration
     */
    static GroupFile prepare(
            FtiConfig run, Path runFile, RunDirectory directories, String execId, String name, StorageEngine storage)
            throws IOException {
        Path path = path(directories.meta(), name);
        String base = execId + "." + name;
        GroupFile next;
        if (PathStatus.exists(path)) {
            GroupFile before = read(path, base);
            next = before.failure == 0
                    ? new GroupFile(path, base + "." + (number(before.execId, base) + 1), 0)
                    : before.requireRun(run);
        } else {
            next = new GroupFile(path, base, 0);
            next.requireNone(run, base + ".");
        }
        if (next.failure == 0) {
            next.requireNone(run, next.execId + ".drumlin-");
        }
        TextFiles.replace(path, next.text(run, runFile), storage);
        return next;
    }

    private GroupFile requireRun(FtiConfig run) throws IOException {
        Path topology = new RunDirectory(run, execId, 0).topologyFile();
        if (!PathStatus.exists(topology)) {
            throw DrumlinException.during("opening a group")
                    .path(topology)
                    .problem("the group has checkpoints, by " + path + ", and its directory is gone")
                    .advice("bring the directory back; or, if they were deleted on purpose, set failure = 0 in " + path
                            + ", and the group has none")
                    .exception();
        }
        return this;
    }

    /** The file may be lost or an old one: a fresh start must not take the place of a group that has checkpoints. */
    private void requireNone(FtiConfig run, String prefix) throws IOException {
        for (Path root : List.of(run.metaDir(), run.glblDir())) {
            for (Path entry : PathStatus.entries(root)) {
                String found = entry.getFileName().toString();
                if (found.equals(execId) || found.startsWith(prefix)) {
                    throw taken(path, entry);
                }
            }
        }
    }

    /** Returns the exception for a directory that has the name of a new group. */
    static DrumlinException taken(Path path, Path entry) {
        return DrumlinException.during("opening a group")
                .path(path)
                .problem(entry + " is there, and this file does not name it: the group may have checkpoints")
                .advice(
                        "bring back the file that names it; or, if it is lost, make a copy of the configuration file with"
                                + " exec_id = " + entry.getFileName()
                                + " and failure = 1; or move the directories of this name"
                                + " away, in meta_dir, glbl_dir and ckpt_dir, and the group has none")
                .exception();
    }

    private String text(FtiConfig run, Path runFile) throws DrumlinException {
        IniFile ini =
                run.ini().with(RESTART, "failure", Integer.toString(failure)).with(RESTART, "exec_id", execId);
        // The names of shared files do not say whose they are.
        if (run.singleFile().enable()) {
            ini = ini.with("basic", "h5_single_file_enable", "0");
        }
        // The run ends the process, and queues the job again.
        if (ini.get(OURS, "stop").orElse("").equalsIgnoreCase("exit")) {
            ini = ini.with(OURS, "stop", "asked");
        }
        if (run.stop().requeue()) {
            ini = ini.with(OURS, "requeue", "0");
        }
        if (run.stop().haltFile().isEmpty()) {
            String halt = runFile.toAbsolutePath() + ".halt";
            ini = ini.without(OURS, "halt_file")
                    .with(
                            OURS,
                            "halt_file",
                            new String(halt.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
        }
        return ini.text();
    }

    /** Tells of groups that have checkpoints and are not continued by the run that the configuration file had named. */
    public static void warnOfLeft(FtiConfig config, String what) {
        String execId = config.execId();
        if (CheckpointChoice.isName(execId)) {
            warnOfLeft(new RunDirectory(config, execId, 0).meta(), what);
        }
    }

    /** Tells of groups of a run that have checkpoints. They stay, so what cannot be read is no failure. */
    static void warnOfLeft(Path metaOfRun, String what) {
        Path run = Objects.requireNonNull(metaOfRun.getFileName());
        try {
            String left = of(metaOfRun).stream()
                    .filter(group -> group.failure != 0)
                    .map(GroupFile::execId)
                    .collect(Collectors.joining(", "));
            if (!left.isEmpty()) {
                LOG.log(
                        Logger.Level.WARNING,
                        "run {0} {1}, and does not go on with groups that have checkpoints: {2}. These stay as they are. To"
                                + " go on with one, open it as a run: a copy of the configuration file with exec_id = its"
                                + " name and failure = 1. drumlin run delete deletes it",
                        run,
                        what,
                        left);
            }
        } catch (IOException e) {
            LOG.log(
                    Logger.Level.WARNING,
                    "run {0} {1}, and which of its groups have checkpoints is not known: {2}. These stay as they are; see"
                            + " drumlin run list",
                    run,
                    what,
                    e.getMessage());
        }
    }
}
