package io.drumlin.checkpoint.internal.restart;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Checkpoints of a run that a restart from the levels does not use: those in the archive of level 4, those that
 * nodes have kept, and stashes. */
public final class ArchivedCheckpoints {

    private final Communicator app;
    private final RunDirectory directories;
    private final StorageEngine storage;

    public ArchivedCheckpoints(Communicator app, RunDirectory directories, StorageEngine storage) {
        this.storage = storage;
        this.app = app;
        this.directories = directories;
    }

    /**
     * Refuses a fresh start if the archive has a checkpoint: the new run's checkpoints could take its place, and the
     * end of the run would delete it. Collective.
     *
     * @param searched whether the restart has looked for a whole checkpoint in the archive
     */
    public void requireNoneInArchive(String execId, boolean searched) throws IOException {
        String found = Agreement.call(app, "looking into " + directories.archive(), () -> {
            List<CheckpointEntry> archived =
                    app.rank() == 0 ? RunInventory.of(directories, storage).archived() : List.of();
            // Metadata alone are no checkpoint.
            List<CheckpointEntry> here =
                    archived.stream().filter(each -> !each.files().isEmpty()).toList();
            if (here.isEmpty()) {
                return "";
            }
            int first = here.get(0).ckptId();
            boolean known = CheckpointEntry.unknown(here).isEmpty();
            String one = (known ? "the newest, " : "one of them, such as ") + first;
            return here.stream().map(CheckpointEntry::ckptId).sorted().toList() + "\n" + one + "\n"
                    + String.join(" && ", moves(first));
        });
        List<String> said = Agreement.bcast(app, found, 0).lines().toList();
        if (!said.isEmpty()) {
            throw refused(execId, said, searched);
        }
    }

    /**
     * Refuses a fresh start if nodes have kept checkpoints of levels 1 to 3: new ones could take their place, and the end
     * of the run would delete them. Collective.
     */
    public void requireNoneKept(String execId) throws IOException {
        String here = Agreement.call(app, "looking into " + directories.local(), this::keptHere);
        long[] first = {here.isEmpty() ? app.size() : app.rank()};
        app.allreduce(first, Op.MIN);
        if (first[0] == app.size()) {
            return;
        }
        String kept = Agreement.bcast(app, here, (int) first[0]);
        throw DrumlinException.during("restart of run " + execId)
                .problem(
                        "at no level the files that are left give one whole checkpoint on all ranks, but nodes have kept"
                                + " checkpoints: " + kept + "; they stay as they are")
                .advice("see the warnings above; to begin a branch with one of them, set [drumlin] from to its id")
                .exception();
    }

    private String keptHere() throws IOException {
        return RunInventory.keptIn(directories.local()).stream()
                .map(each -> each.ckptId() + " of level " + each.level().number())
                .collect(Collectors.joining(", "));
    }

    private DrumlinException refused(String execId, List<String> said, boolean searched) {
        String problem =
                "at no level the files that are left give one whole checkpoint on all ranks, but the archive of"
                        + " level 4, " + directories.archive() + ", has checkpoints " + said.get(0);
        DrumlinException.Context context = DrumlinException.during("restart of run " + execId);
        if (searched) {
            return context.problem(problem + ", of which none is whole for these " + app.size()
                            + " ranks in this mode; it stays as it is")
                    .advice(
                            "see the warnings above, and restart with the ckpt_io and the number of ranks of the run that"
                                    + " wrote them, dealt out to the nodes in the same way")
                    .exception();
        }
        return context.problem(
                        problem + ", at which a restart on another number of nodes does not look; it stays as it is")
                .advice("restart on as many nodes as the run before; or move " + said.get(1)
                        + ", back to level 4 and start again: " + said.get(2))
                .exception();
    }

    /**
     * Returns shell commands that bring back an archived checkpoint. The unusable files at level 4 are kept under
     * another name.
     */
    private List<String> moves(int ckptId) throws IOException {
        List<String> moves = new ArrayList<>();
        Path level = directories.committed(Level.L4);
        Path metadata = RunDirectory.committed(directories.meta(), Level.L4);
        for (Path directory : List.of(level, metadata).stream().distinct().toList()) {
            if (PathStatus.exists(directory)) {
                moves.add("mv " + directory + " " + unused(directory));
            }
        }
        moves.add("mkdir " + level);
        moves.add("mv " + directories.archive().resolve("Ckpt" + ckptId + "-*") + " " + level);
        Path archivedMetadata = directories.metaArchive().resolve(FileNames.archived(ckptId));
        if (PathStatus.isDirectory(archivedMetadata)) {
            moves.add(
                    level.equals(metadata)
                            ? "mv " + archivedMetadata.resolve("*") + " " + metadata
                            : "mv " + archivedMetadata + " " + metadata);
        }
        return moves;
    }

    private static Path unused(Path directory) throws IOException {
        Path other = directory.resolveSibling(directory.getFileName() + ".unusable");
        for (int n = 2; PathStatus.exists(other); n++) {
            other = directory.resolveSibling(directory.getFileName() + ".unusable" + n);
        }
        return other;
    }

    /** Returns a description of the stashes that a program could load; empty if there are none. Collective. */
    public String stashes() throws IOException {
        String found = Agreement.call(app, "looking for stashes", () -> app.rank() == 0 ? stashesHere() : "");
        return Agreement.bcast(app, found, 0);
    }

    private String stashesHere() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path one : List.of(directories.localStash(0), directories.globalStash(0))) {
            Path all = one.resolveSibling("");
            List<Long> ids = PathStatus.entries(all).stream()
                    .map(stash -> stash.getFileName().toString())
                    .filter(name -> name.matches("\\d{1,18}"))
                    .map(Long::valueOf)
                    .sorted(Comparator.naturalOrder())
                    .toList();
            if (!ids.isEmpty()) {
                found.add(ids + " in " + all);
            }
        }
        return String.join(", ", found);
    }
}
