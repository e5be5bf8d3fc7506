package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.branch.Branch;
import io.drumlin.checkpoint.internal.branch.BranchRecord;
import io.drumlin.checkpoint.internal.branch.NodeBranches;
import io.drumlin.checkpoint.internal.config.CheckpointChoice;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.topology.Host;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.hdf5.Hdf5Reader;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The configuration with which a run starts. If a checkpoint was chosen, the branch is begun, and the configuration is
 * that of the branch.
 */
final class RunStart {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** Most runs that a message names. */
    private static final int MOST_NAMED = 5;

    private final Path file;
    private final Communicator ranks;
    private final Optional<StorageEngine> given;
    private final Optional<CheckpointChoice> choice;
    private final Optional<Host> host;

    RunStart(
            Path file,
            Communicator ranks,
            Optional<StorageEngine> given,
            Optional<CheckpointChoice> choice,
            Optional<Host> host) {
        this.file = file;
        this.ranks = ranks;
        this.given = given;
        this.choice = choice;
        this.host = host;
    }

    /**
     * What all ranks know of a start.
     *
     * @param config the configuration
     * @param isBranch whether the run is a branch on real nodes
     * @param parts the number of the parts of a branch that nodes have
     */
    record Begun(FtiConfig config, boolean isBranch, String parts) {}

    private static final String FROM = "from ";

    private static final String BRANCH = "branch ";

    /** Reads the configuration, and begins a branch if a checkpoint was chosen. Collective. */
    Begun read() throws IOException {
        String words = Agreement.ofFirst(ranks, "reading " + file, this::words);
        Begun read = parse(words);
        return words.startsWith(FROM) ? begin(read.config, CheckpointChoice.parse(state(words, FROM))) : read;
    }

    /** Returns the rest of the first line, which comes before the text of the configuration. */
    private static String state(String words, String prefix) {
        return words.substring(prefix.length(), words.indexOf('\n'));
    }

    private Begun parse(String words) throws IOException {
        String text = words.substring(words.indexOf('\n') + 1);
        FtiConfig config = Agreement.call(ranks, "reading " + file, () -> usable(text));
        boolean isBranch = words.startsWith(BRANCH);
        return new Begun(config, isBranch, isBranch ? state(words, BRANCH) : "");
    }

    /** Begins a branch on real nodes. Collective. */
    private Begun begin(FtiConfig parent, CheckpointChoice chosen) throws IOException {
        NodeBranches branches = new NodeBranches(parent, ranks, host, given.orElseGet(NioEngine::new));
        String branch = branches.begin(chosen);
        return parse(Agreement.ofFirst(ranks, "beginning branch " + branch, () -> {
            log(parent, branch, chosen);
            return started(parent, Branch.config(parent.ini(), branch));
        }));
    }

    /** Returns the configuration, if this process has what it asks for. */
    private FtiConfig usable(String text) throws IOException {
        FtiConfig config = FtiConfig.parse(text, file.toString());
        if (config.h5Compression() > 0) {
            Hdf5Reader.requireLibrary();
        }
        return config;
    }

    /** Returns what the first rank tells the others: a line with what there is to do, and the configuration. */
    private String words() throws IOException {
        String text = TextFiles.read(file);
        FtiConfig config = FtiConfig.parse(text, file.toString());
        if (config.failure() != 0) {
            requireRun(config);
        }
        Optional<CheckpointChoice> chosen = choice.or(config::choice);
        if (chosen.isEmpty()) {
            return started(config, text);
        }
        requireRestart(config, chosen.get());
        Branch branches = new Branch(config, given.orElseGet(NioEngine::new));
        if (branches.hasBegunWith(chosen.get(), config.execId())) {
            return started(config, text);
        }
        if (!config.localTest()) {
            return FROM + chosen.get().words() + "\n" + text;
        }
        String branch = branches.begin(config.execId(), chosen.get());
        log(config, branch, chosen.get());
        return started(config, Branch.config(config.ini(), branch));
    }

    private void requireRestart(FtiConfig config, CheckpointChoice chosen) throws DrumlinException {
        if (config.failure() == 0) {
            throw DrumlinException.during("beginning a branch with checkpoint " + chosen.asked())
                    .path(file)
                    .problem("failure = 0 means a fresh start, which begins with no checkpoint")
                    .advice("set failure = 1 and exec_id to the run that has the checkpoint, or choose none")
                    .exception();
        }
    }

    private static void log(FtiConfig parent, String branch, CheckpointChoice chosen) {
        LOG.log(
                Logger.Level.INFO,
                "run {0} begins with checkpoint {1} of run {2}, which stays as it is",
                branch,
                chosen.asked(),
                parent.execId());
    }

    private String started(FtiConfig parent, String text) throws IOException {
        if (parent.localTest() || parent.failure() == 0) {
            return "\n" + text;
        }
        FtiConfig config = FtiConfig.parse(text, file.toString());
        Optional<BranchRecord> branch = BranchRecord.read(new RunDirectory(config, config.execId(), 0).meta());
        return branch.map(BranchRecord::parts).map(BRANCH::concat).orElse("") + "\n" + text;
    }

    /** Completes a branch that begins with files on the nodes. Collective. */
    void complete(Begun begun, RunDirectory directories, StorageEngine storage) throws IOException {
        if (begun.isBranch) {
            NodeBranches.complete(begun.config, ranks, host, storage, directories, begun.parts);
        }
    }

    /** Checks that the run exists, before directories are created for a nonexistent run. */
    private static void requireRun(FtiConfig config) throws IOException {
        RunDirectory directories = new RunDirectory(config, config.ckptDir(), config.execId(), 0);
        if (!Files.notExists(directories.topologyFile())) {
            return;
        }
        List<String> others = new ArrayList<>();
        for (Path entry : PathStatus.entries(config.metaDir())) {
            if (PathStatus.exists(entry.resolve(directories.topologyFile().getFileName()))) {
                others.add(entry.getFileName().toString());
            }
        }
        String there = others.isEmpty()
                ? "no run is there: is meta_dir the directory of the run before? to start afresh set failure = 0"
                : "set exec_id to the run to restart; runs there: "
                        + String.join(", ", others.subList(0, Math.min(others.size(), MOST_NAMED)))
                        + (others.size() > MOST_NAMED ? " and more" : "");
        throw DrumlinException.during("restart")
                .path(config.metaDir())
                .problem("there is no run " + config.execId() + ", which exec_id of the configuration names")
                .advice(there)
                .exception();
    }
}
