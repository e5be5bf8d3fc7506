package io.drumlin.checkpoint.internal.group;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.internal.branch.BranchRecord;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.engine.PendingCheckpoint;
import io.drumlin.checkpoint.internal.engine.Run;
import io.drumlin.checkpoint.internal.io.Closeables;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.internal.PathStatus;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The groups of a run that are open, and what a group owes to its run. Used by one thread of the program. */
public final class Groups {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Engine engine;
    private final Run run;
    private final PendingCheckpoint underway;
    private final Opening opening;
    private final Optional<Member> member;
    private final Map<String, Checkpoints> open = new LinkedHashMap<>();

    /** Whether the run's configuration file is known to say that the next start is a restart. */
    private boolean announced;

    /** Opens a group as a run. */
    @FunctionalInterface
    public interface Opening {
        /** Opens it. Collective. */
        Checkpoints open(Member group) throws IOException;
    }

    /**
     * A group of a run.
     *
     * @param file its configuration file
     * @param freshId its id, if it begins afresh
     */
    public record Member(Groups ofRun, String name, Path file, String freshId) {}

    /**
     * @param underway the checkpoint of the run that is under way
     * @param opening opens the groups of the run
     * @param member what the run is of another run
     */
    public Groups(Engine engine, PendingCheckpoint underway, Opening opening, Optional<Member> member) {
        this.engine = engine;
        this.underway = underway;
        this.opening = opening;
        this.member = member;
        run = engine.run();
    }

    /**
     * Opens a group. Collective.
     *
     * @param begunAnew why a restart of the run became a fresh start
     */
    public Checkpoints open(String name, Optional<DrumlinException> begunAnew) throws IOException {
        Communicator ranks = run.app();
        String first = Agreement.bcast(ranks, name, 0);
        String prepared = Agreement.call(ranks, "opening group " + name, () -> {
            requirePossible(name, first);
            return ranks.rank() == 0 ? prepare(name, begunAnew.isPresent()) : "";
        });
        String[] words = Agreement.bcast(ranks, prepared, 0).split(" ", -1);
        Path file = GroupFile.path(run.directories().meta(), name);
        if (words[0].equals("0")) {
            Agreement.run(ranks, "opening group " + name, () -> requireNoneHere(file, words[1]));
        }
        Checkpoints group = opening.open(new Member(this, name, file, words[1]));
        open.put(name, group);
        return group;
    }

    private void requirePossible(String name, String first) throws DrumlinException {
        DrumlinException.Context context = DrumlinException.during("opening group " + name);
        if (!name.equals(first)) {
            throw context.rank(run.app().rank())
                    .problem("the first rank opens group " + first)
                    .advice("all ranks must open the same groups in the same order")
                    .exception();
        }
        if (!GroupFile.NAME.matcher(name).matches()) {
            throw context.problem("this is no name of a group")
                    .advice("take 1 to 32 letters, digits, hyphens and underscores")
                    .exception();
        }
        if (open.containsKey(name)) {
            throw context.problem("the group is open")
                    .advice("give each library a group of another name, or close the group first")
                    .exception();
        }
        requireRunWithGroups(context);
    }

    private void requireRunWithGroups(DrumlinException.Context context) throws DrumlinException {
        FtiConfig config = engine.config();
        if (member.isPresent()) {
            throw context.problem("run " + run.execId() + " is a group itself")
                    .advice("open all groups with the run of the program")
                    .exception();
        }
        if (config.heads() > 0) {
            throw context.problem("heads serve one run only, and this run has some, head = 1")
                    .advice("set head = 0; async = 1 takes checkpoints while the program computes")
                    .exception();
        }
        if (config.isFromSingleFile()) {
            throw context.problem(
                            "the run begins with the data of a shared HDF5 file, failure = 3, which has no groups")
                    .advice("give the library a run of its own, with a configuration file of its own")
                    .exception();
        }
    }

    /** Returns how the group starts, and its id. */
    private String prepare(String name, boolean begunAnew) throws IOException {
        Optional<BranchRecord> branch = BranchRecord.read(run.directories().meta());
        if (branch.isPresent()) {
            throw DrumlinException.during("opening group " + name)
                    .path(run.directories().meta())
                    .problem("run " + run.execId() + " is a branch of run "
                            + branch.get().parent() + ", and the groups of that run are at other times")
                    .advice("go on with run " + branch.get().parent()
                            + ", or give the library a run of its own, with a configuration file of its own")
                    .exception();
        }
        run.requireLease();
        FtiConfig config = engine.config();
        GroupFile group =
                GroupFile.prepare(config, run.configFile(), run.directories(), run.execId(), name, run.storage());
        if (config.failure() != 0 && group.failure() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "run {0} is restarted and its group {1} begins afresh: it is new, has taken no checkpoint, or was"
                            + " completed",
                    run.execId(),
                    name);
        } else if (begunAnew) {
            LOG.log(
                    Logger.Level.WARNING,
                    "run {0} begins afresh because it found no checkpoint, and its group {1} goes on from its own",
                    run.execId(),
                    name);
        }
        return group.failure() + " " + group.execId();
    }

    private void requireNoneHere(Path file, String execId) throws IOException {
        Path local = run.directories().local().resolveSibling(execId);
        if (PathStatus.exists(local)) {
            throw GroupFile.taken(file, local);
        }
    }

    /**
     * Records, before the first checkpoint of a group, that its run is restarted and may have none itself. Collective on
     * the run, whose checkpoint under way is waited for then.
     */
    public void beforeCheckpoint() throws IOException {
        if (member.isPresent()) {
            member.get().ofRun.announce();
        }
    }

    private void announce() throws IOException {
        if (!announced) {
            // Its thread uses the communicator and the file.
            underway.awaitHere();
            engine.levels().requireKnown();
            engine.restartSection().announceGroup();
            announced = true;
        }
    }

    /** Waits for the checkpoints of the open groups. Collective. */
    public void await() throws IOException {
        for (Checkpoints group : List.copyOf(open.values())) {
            group.await();
        }
    }

    /** Completes and closes the open groups. Collective. */
    public void complete() throws IOException {
        for (Checkpoints group : List.copyOf(open.values())) {
            group.complete();
            group.close();
        }
    }

    /** Tells of the groups of a run that is complete which have checkpoints. */
    public void warnOfLeft() {
        GroupFile.warnOfLeft(run.directories().meta(), "is complete");
    }

    /** Closes the open groups; if this is one, its run has one less. Collective. */
    public void close() throws IOException {
        leave();
        Closeables.close(
                open.values().stream().map(group -> (Closeable) group::close).toList());
    }

    /** Abandons the open groups. */
    public void abandon() {
        leave();
        List.copyOf(open.values()).forEach(Checkpoints::abandon);
    }

    private void leave() {
        member.ifPresent(own -> own.ofRun.open.remove(own.name));
    }
}
