package io.drumlin.hostile;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunCatalogue.Checkpoint;
import io.drumlin.checkpoint.RunCatalogue.Run;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.hostile.Jobs.Start;
import io.drumlin.hostile.Life.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** The checkpoints of level 4 that a life leaves: each that the catalogue calls whole restores to its own content, and none is lost. */
final class Archive {

    private final World world;
    private final Model model;
    private final Setting setting;
    private final Jobs jobs;

    Archive(World world, Model model, Setting setting, Jobs jobs) {
        this.world = world;
        this.model = model;
        this.setting = setting;
        this.jobs = jobs;
    }

    /** @param sizes of as many variables as the program has */
    void judge(List<String> hosts, int[] sizes) throws IOException, Failure {
        Set<Integer> whole = new TreeSet<>();
        List<Run> runs = RunCatalogue.open(world.config(), world.root()).runs(true);
        Set<Integer> untried = new TreeSet<>();
        for (Run run : runs) {
            for (Checkpoint each : run.checkpoints()) {
                if (each.level() != Level.L4 || !each.isRecoverable()) {
                    continue;
                }
                if (canBeChosen(run, each)) {
                    whole.add(restored(run, each, hosts, sizes));
                } else {
                    untried.add(each.ckptId());
                }
            }
        }
        List<Integer> wanted = model.archived().stream()
                .filter(epoch -> !untried.contains(model.checkpoint(epoch).ckptId()))
                .toList();
        // Where the catalogue says that it does not know more, a flipped bit is in what it needs.
        boolean isKnown = runs.stream().allMatch(run -> run.problem() == null);
        if (isKnown && !whole.containsAll(wanted)) {
            throw new Failure("the archive must have " + wanted + ", and whole are " + whole + " of " + runs);
        }
    }

    /**
     * Disks that were put back have files of one moment: neither the id nor the time chooses. Where nobody knows the time of one, that of
     * another is refused. One that was not yet in its place needs a restart of the run, and each the list of checkpoints.
     */
    private boolean canBeChosen(Run run, Checkpoint checkpoint) {
        boolean inPlace = checkpoint.isArchived() || checkpoint.folders().contains("l4");
        for (String root : List.of("Global", "Meta")) {
            inPlace &= !Files.exists(
                    world.root().resolve(root).resolve(run.execId()).resolve("drumlin-replaced-l4"));
        }
        boolean isAlone = namesakes(run, checkpoint).isEmpty();
        return inPlace
                && run.problem() == null
                && run.checkpoints().stream()
                        .noneMatch(each -> !isAlone
                                && (each.time() == null
                                        || (each != checkpoint && each.time().equals(checkpoint.time()))));
    }

    private static List<Checkpoint> namesakes(Run run, Checkpoint checkpoint) {
        return run.checkpoints().stream()
                .filter(each -> each != checkpoint && each.ckptId() == checkpoint.ckptId())
                .toList();
    }

    /** Chooses a checkpoint, by its time where another one has its id. @return the branch */
    private static String choose(RunCatalogue catalogue, Run run, Checkpoint checkpoint) throws IOException {
        String execId = run.execId();
        return namesakes(run, checkpoint).isEmpty()
                ? catalogue.restore(execId, checkpoint.ckptId(), null).branch()
                : catalogue
                        .restoreLatestBefore(execId, checkpoint.time().plusNanos(1), null)
                        .branch();
    }

    /** Begins a branch with a checkpoint. @return whose content it has */
    private int restored(Run run, Checkpoint checkpoint, List<String> hosts, int[] sizes) throws IOException, Failure {
        Path folder = Files.createDirectories(world.root().resolveSibling("branch"));
        RunFixture branch = RunFixture.at(folder);
        Files.copy(world.config(), branch.config());
        branch.setRestart("0", "none");
        int ckptId = checkpoint.ckptId();
        String name = choose(RunCatalogue.open(branch.config(), folder), run, checkpoint);
        Telling telling = new Telling();
        List<String> hostOfRank = IntStream.range(0, setting.ranks())
                .mapToObj(rank -> hosts.get(rank / setting.nodeSize()))
                .toList();
        Plan look = Plan.look(false, Optional.empty());
        Throwable failure = jobs.run(new Start(
                branch,
                look,
                new Faults(Optional.empty(), folder),
                telling,
                hostOfRank,
                1,
                setting.behind(),
                sizes,
                setting.engine()));
        String which = "checkpoint " + ckptId + " of " + run.execId();
        if (failure != null || !telling.wrong().isEmpty()) {
            throw new Failure(which + " is called whole and cannot be restored: " + failure + " " + telling.wrong());
        }
        Set<Integer> epochs = new TreeSet<>(telling.recovered().values());
        if (epochs.size() != 1
                || model.checkpoint(epochs.iterator().next()).ckptId() != ckptId
                || telling.lastIds().values().stream().anyMatch(id -> id != ckptId)) {
            throw new Failure(which + " is restored to " + telling.recovered() + ", ids " + telling.lastIds());
        }
        RunCatalogue.open(world.config(), world.root()).deleteRun(name, true, false);
        World.delete(folder);
        return epochs.iterator().next();
    }
}
