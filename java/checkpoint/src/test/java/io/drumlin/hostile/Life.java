package io.drumlin.hostile;

import io.drumlin.hostile.Jobs.Start;
import io.drumlin.hostile.Telling.Begun;
import io.drumlin.hostile.Telling.Outcome;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** A run from its first start to its last, and all that happens to it meanwhile. The same seed gives the same life, but for the threads. */
final class Life {

    /** Whether what a start took for damaged must be there at the next one, if no checkpoint was taken between. */
    private static final boolean STRICT = Boolean.getBoolean("drumlin.hostile.strict");

    private final Jobs jobs;
    private final Random random;
    private final EnumSet<Trouble> allowed;
    private final EnumSet<Trouble> met = EnumSet.noneOf(Trouble.class);
    private final Setting setting;
    private final World world;
    private final Model model;
    private final List<String> hosts = new ArrayList<>();
    private final Harm harm;
    private final List<String> script = new ArrayList<>();
    private int[] sizes;
    private boolean inTurn;
    private String refusal = "";

    /** What is not as it was for one start only. */
    private Optional<Disguise> disguise = Optional.empty();

    /** @param undo puts everything back */
    private record Disguise(Trouble trouble, Undo undo) {}

    @FunctionalInterface
    private interface Undo {
        void run() throws IOException;
    }

    /** A run did what it must not do. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message);
        }
    }

    Life(long seed, Set<Trouble> allowed, Path directory, Jobs jobs) throws IOException {
        this.jobs = jobs;
        this.allowed = EnumSet.noneOf(Trouble.class);
        this.allowed.addAll(allowed);
        random = new Random(seed);
        boolean archives = allowed.contains(Trouble.ARCHIVE_ONLY) && random.nextInt(3) == 0;
        setting = Setting.random(random, archives, jobs.mostRanksOfNode());
        world = new World(directory, setting);
        for (int node = 0; node < Setting.NODES; node++) {
            hosts.add("n" + node);
        }
        model = new Model(setting, List.copyOf(hosts));
        harm = new Harm(world, model, random, hosts);
        sizes = new int[1 + random.nextInt(3)];
        for (int i = 0; i < 4; i++) {
            sizes = Plan.resized(sizes, random);
        }
        script.add(setting.changes().toString());
    }

    /** Which troubles there were. */
    Set<Trouble> met() {
        return met;
    }

    /** What happened, a line for each. */
    String story() {
        return String.join("\n  ", script);
    }

    void live() throws IOException, Failure {
        if (allowed.contains(Trouble.SHARED_DISK) && random.nextInt(20) == 0) {
            shareDisk();
        }
        for (int starts = 2 + random.nextInt(4); starts > 0; starts--) {
            start(plan());
            if (starts > 1) {
                between();
            }
        }
        // Nothing goes wrong any more.
        start(Plan.look(false, Optional.empty()));
        if (setting.kept() > 1) {
            new Archive(world, model, setting, jobs).judge(List.copyOf(hosts), sizes);
        }
    }

    private void shareDisk() throws IOException {
        met.add(Trouble.SHARED_DISK);
        // What happens to one of these nodes happens to the other.
        allowed.retainAll(Set.of(Trouble.KILL, Trouble.RESTART_ERROR));
        Files.createDirectories(world.disk("n0"));
        Files.createDirectories(world.disk("n1").getParent());
        Files.createSymbolicLink(world.disk("n1"), world.disk("n0"));
        script.add("nodes n0 and n1 have one disk");
    }

    private boolean may(Trouble trouble, int oneOf) {
        return allowed.contains(trouble) && random.nextInt(oneOf) == 0;
    }

    private Plan plan() {
        Plan plan = disguise.isPresent()
                ? Plan.look(random.nextInt(3) == 0, Optional.empty())
                : Plan.random(setting, sizes, random);
        if (may(Trouble.SECOND_JOB, 5) && !plan.steps().isEmpty()) {
            return plan.withSecondJob();
        }
        Optional<Strike> strike = strike(plan);
        return strike.isPresent() ? plan.with(strike.get()) : plan;
    }

    private Optional<Strike> strike(Plan plan) {
        if (disguise.isPresent()) {
            return Optional.empty();
        }
        if (may(Trouble.KILL, 3)) {
            return Optional.of(Strike.kill(Trouble.KILL, plan.windows(), random));
        }
        if (may(Trouble.POWER_LOSS, 4)) {
            return Optional.of(Strike.kill(Trouble.POWER_LOSS, plan.windows(), random));
        }
        if (may(Trouble.RESTART_ERROR, 4)) {
            return Optional.of(Strike.error(Trouble.RESTART_ERROR, 0, setting.ranks(), random));
        }
        if (may(Trouble.CHECKPOINT_ERROR, 3)) {
            int window = 1 + random.nextInt(plan.windows() - 1);
            return Optional.of(Strike.error(Trouble.CHECKPOINT_ERROR, window, setting.ranks(), random));
        }
        if (may(Trouble.FLIPPED_READ, 4)) {
            return Optional.of(Strike.flip(setting.ranks(), random));
        }
        if (may(Trouble.FULL_NODES, 5)) {
            return Optional.of(Strike.full());
        }
        return Optional.empty();
    }

    /** Between two starts. */
    private void between() throws IOException {
        if (random.nextInt(2) == 0) {
            world.remember();
        }
        List<Trouble> harms = allowed.stream()
                .filter(each -> each.compareTo(Trouble.NODE_LOST) >= 0 && each.compareTo(Trouble.TRUNCATED) <= 0)
                .toList();
        List<Trouble> disguises = new ArrayList<>();
        List<String> before = List.copyOf(hosts);
        for (int count = harms.isEmpty() ? 0 : random.nextInt(3); count > 0; count--) {
            Trouble trouble = harms.get(random.nextInt(harms.size()));
            if (trouble == Trouble.FLIPPED_TOPOLOGY || trouble == Trouble.FLIPPED_CONFIG) {
                disguises.add(trouble);
            } else {
                note(trouble, harm.happen(trouble));
            }
        }
        // Heads and differential checkpoints need the ranks where they were, and so do those that are restored.
        boolean wasInTurn = inTurn;
        boolean isFree = !setting.heads() && !setting.is("basic.enable_dcp") && setting.kept() == 1;
        if (isFree && setting.nodeSize() > 1 && may(Trouble.OTHER_PLACEMENT, 4)) {
            inTurn = !inTurn;
            note(Trouble.OTHER_PLACEMENT, inTurn ? "ranks are dealt out in turn" : "ranks of a node follow each other");
        }
        model.on(List.copyOf(hosts), inTurn);
        for (Trouble trouble : List.of(Trouble.OTHER_MODE, Trouble.ARCHIVE_ONLY)) {
            if (may(trouble, 4)) {
                disguises.add(trouble);
            }
        }
        for (Trouble trouble : disguises) {
            // A start with other nodes writes the file anew.
            if (trouble != Trouble.FLIPPED_TOPOLOGY || (hosts.equals(before) && inTurn == wasInTurn)) {
                disguise(trouble);
            }
        }
    }

    private void note(Trouble trouble, String what) {
        if (!what.isEmpty()) {
            met.add(trouble);
            script.add(what);
        }
    }

    private void disguise(Trouble trouble) throws IOException {
        if (disguise.isPresent() || model.mustBeFresh()) {
            return;
        }
        Optional<Undo> undo =
                switch (trouble) {
                    case FLIPPED_TOPOLOGY -> flipText(world.metadata("Topology.fti"));
                    case FLIPPED_CONFIG -> flipText(world.config());
                    case OTHER_MODE -> otherMode();
                    case ARCHIVE_ONLY -> archiveOnly();
                    default -> throw new IllegalArgumentException(trouble.toString());
                };
        if (undo.isPresent()) {
            disguise = Optional.of(new Disguise(trouble, undo.get()));
            met.add(trouble);
        }
    }

    private Optional<Undo> flipText(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        String before = harm.flipText(file);
        String after = Files.readString(file, StandardCharsets.ISO_8859_1);
        int at = 0;
        while (at < before.length() - 1 && before.charAt(at) == after.charAt(at)) {
            at++;
        }
        int line = before.lastIndexOf('\n', at) + 1;
        script.add(file.getFileName() + " has another bit at " + at + ": "
                + after.substring(line).lines().findFirst().orElse(""));
        return Optional.of(() -> {
            // A start with nodes of other names or in another order writes Topology.fti anew.
            boolean same = Files.readString(file, StandardCharsets.ISO_8859_1).equals(after);
            if (same || file.equals(world.config())) {
                Files.writeString(file, before, StandardCharsets.ISO_8859_1);
            }
        });
    }

    private Optional<Undo> otherMode() throws IOException {
        int mode = 1 + (setting.ioMode() + random.nextInt(4)) % 5;
        String before = Files.readString(world.config());
        String after = before.replaceAll("(?m)^ckpt_io( *)=.*$", "ckpt_io$1= " + mode);
        script.add("ckpt_io is " + mode);
        Files.writeString(world.config(), after);
        return Optional.of(() -> Files.writeString(world.config(), before));
    }

    private Optional<Undo> archiveOnly() throws IOException {
        String execId = world.run().restartValue("exec_id");
        Path global = world.root().resolve("Global").resolve(execId);
        Path archive = global.resolve("l4_archive");
        if (!Files.isDirectory(archive) || archive.toFile().list().length == 0) {
            return Optional.empty();
        }
        Path away = world.root().resolveSibling("away");
        World.copy(world.root(), away);
        World.delete(world.nodes());
        for (Path each : List.of(global, world.root().resolve("Meta").resolve(execId))) {
            for (String name : List.of("l1", "l2", "l3", "l4", "dCP", "tmp", "drumlin-replaced-l4")) {
                World.delete(each.resolve(name));
            }
        }
        script.add("only the archive of level 4 is left");
        return Optional.of(() -> {
            World.delete(world.root());
            World.copy(away, world.root());
            World.delete(away);
        });
    }

    private void start(Plan plan) throws IOException, Failure {
        plan.strike().ifPresent(strike -> met.add(strike.trouble()));
        script.add("start on " + hosts + ": " + describe(plan));
        Faults faults = new Faults(plan.strike(), world.nodes());
        Telling telling = new Telling();
        for (String host : hosts) {
            // A disk is there before the job is.
            Files.createDirectories(world.disk(host).getParent());
        }
        boolean losesPower = plan.strike().map(Strike::trouble).equals(Optional.of(Trouble.POWER_LOSS));
        FaultyEngine recorder = losesPower ? new FaultyEngine(setting.engine(), false) : null;
        CrashJournal journal = losesPower ? recorder.record(world.root()) : null;
        Throwable failure = run(plan, faults, telling, losesPower ? recorder : setting.engine());
        if (faults.happened()) {
            script.add("  there it happened: " + world.words(faults.where()));
        }
        if (losesPower && faults.killed()) {
            world.become(journal.crash(journal.size(), Crash.POWER_LOSS, random));
        }
        judge(plan, faults, telling, failure);
        if (disguise.isPresent()) {
            disguise.get().undo().run();
            disguise = Optional.empty();
            script.add("  that is undone");
        }
    }

    private static String describe(Plan plan) {
        return (plan.early() ? "early, " : "") + (plan.repeatsIds() ? "repeats ids, " : "")
                + (plan.mayBeginAfresh() ? "may begin afresh, " : "") + (plan.recoversTwice() ? "recovers twice, " : "")
                + plan.steps() + (plan.secondJob() >= 0 ? " and another job" : "") + ", " + plan.end()
                + plan.strike().map(strike -> ", " + strike).orElse("");
    }

    private Throwable run(Plan plan, Faults faults, Telling telling, StorageEngine storage)
            throws IOException, Failure {
        List<String> hostOfRank = IntStream.range(0, setting.ranks())
                .mapToObj(rank -> hosts.get(inTurn ? rank % Setting.NODES : rank / setting.nodeSize()))
                .toList();
        return jobs.run(new Start(
                world.run(), plan, faults, telling, hostOfRank, model.nextEpoch(), setting.behind(), sizes, storage));
    }

    /** Compares what the ranks tell with what the model allows, and lets the model know. */
    private void judge(Plan plan, Faults faults, Telling telling, Throwable failure) throws IOException, Failure {
        require(telling.wrong().isEmpty(), () -> String.join("; ", telling.wrong()));
        if (failure != null) {
            Optional<String> wordless = faults.killed() ? Optional.empty() : Causes.requireWords(failure);
            require(wordless.isEmpty(), wordless::get);
            script.add(faults.killed() ? "  killed" : "  ended: " + world.words(String.valueOf(failure.getMessage())));
        }
        int applications = setting.heads() ? Setting.NODES : setting.ranks();
        if (telling.opened().size() < applications) {
            require(
                    faults.killed()
                            || telling.opened().isEmpty()
                            || strikesWhileOpening(plan, faults)
                            // A flipped bit has made heads of the others.
                            || mayHide(Trouble.FLIPPED_CONFIG),
                    () -> "only some ranks opened the run: " + telling.opened());
            judgeRefusal(plan, faults, failure);
            model.failedToStart();
            return;
        }
        Set<Boolean> restarts = new TreeSet<>(telling.opened().values());
        require(restarts.size() == 1, () -> "some ranks restart and some do not: " + telling.opened());
        boolean settled = true;
        if (restarts.contains(true)) {
            settled = judgeRecovery(plan, faults, telling, failure, applications);
        } else {
            require(
                    model.mayBeFresh() || isDisguised(),
                    () -> "began afresh, and checkpoint " + model.least() + " is there");
            script.add("  began afresh");
            if (!isDisguised()) {
                model.beganAfresh();
            }
        }
        if (settled) {
            judgeCheckpoints(plan, faults, telling, applications);
            judgeEnd(plan, faults, telling, failure);
        }
    }

    private boolean mayHide(Trouble trouble) {
        return disguise.map(Disguise::trouble).equals(Optional.of(trouble));
    }

    private boolean isDisguised() {
        return disguise.isPresent();
    }

    private boolean strikesWhileOpening(Plan plan, Faults faults) {
        return faults.happened()
                && plan.strike().isPresent()
                && (plan.strike().get().window() <= 0 || plan.strike().get().isKill());
    }

    private void judgeRefusal(Plan plan, Faults faults, Throwable failure) throws Failure {
        if (faults.killed()) {
            return;
        }
        boolean allowedNow = model.mayBeFresh() || isDisguised() || met.contains(Trouble.SHARED_DISK);
        if (plan.strike().isPresent() && strikesWhileOpening(plan, faults)) {
            // What is whole on the nodes can be had without writing to them.
            allowedNow |= plan.strike().get().trouble() != Trouble.FULL_NODES || !model.isWhole();
        }
        boolean permitted = allowedNow;
        require(permitted, () -> "refused, and checkpoint " + model.least() + " must be recoverable: " + failure);
        refusal = String.valueOf(failure);
        boolean hidden = disguise.map(Disguise::trouble)
                .filter(trouble -> trouble == Trouble.ARCHIVE_ONLY || trouble == Trouble.OTHER_MODE)
                .isPresent();
        require(
                !(hidden && model.isWhole() && refusal.contains("start afresh")),
                () -> "advice that costs data: " + refusal);
    }

    /** @return whether all ranks have recovered */
    private boolean judgeRecovery(Plan plan, Faults faults, Telling telling, Throwable failure, int applications)
            throws Failure {
        Map<Integer, Integer> recovered = telling.recovered();
        Set<Integer> epochs = new TreeSet<>(recovered.values());
        require(epochs.size() <= 1, () -> "checkpoints of different times: " + recovered);
        require(!model.mustBeFresh() || isDisguised(), () -> "restarts a run that was completed");
        boolean struck = strikesWhileOpening(plan, faults);
        if (recovered.size() < applications) {
            require(struck || faults.killed(), () -> "could not recover what was found: " + failure);
            if (epochs.isEmpty()) {
                return false;
            }
        }
        int epoch = epochs.iterator().next();
        boolean lenient = struck && plan.strike().get().trouble() == Trouble.FLIPPED_READ;
        lenient |=
                disguise.map(Disguise::trouble).filter(this::mayHideCheckpoints).isPresent();
        int least = lenient ? 0 : model.least();
        script.add("  recovered checkpoint " + epoch);
        require(
                model.knows(epoch, least),
                () -> "recovered checkpoint " + epoch + ", and not " + model.least() + " or a newer one");
        for (Map.Entry<Integer, List<Integer>> each : telling.elements().entrySet()) {
            List<Integer> expected = Arrays.stream(model.sizes(epoch))
                    .mapToObj(size -> Content.elements(size, each.getKey()))
                    .toList();
            require(
                    each.getValue().equals(expected),
                    () -> "rank " + each.getKey() + " got " + each.getValue() + " elements and not " + expected);
        }
        int ckptId = model.checkpoint(epoch).ckptId();
        Collection<Integer> lastIds = telling.lastIds().values();
        require(
                lastIds.stream().allMatch(id -> id == ckptId),
                () -> "lastCheckpoint() is " + lastIds + ", and the data are of checkpoint " + ckptId);
        if (recovered.size() < applications) {
            return false;
        }
        sizes = model.sizes(epoch);
        boolean strict = STRICT && epoch < model.least() && telling.begun().isEmpty() && !telling.ending();
        if (!strict) {
            model.recovered(epoch, telling.lastLevel());
        }
        return true;
    }

    /** Whether what is asked for is another run, or another place. */
    private boolean mayHideCheckpoints(Trouble trouble) {
        return trouble == Trouble.FLIPPED_CONFIG || trouble == Trouble.ARCHIVE_ONLY;
    }

    private void judgeCheckpoints(Plan plan, Faults faults, Telling telling, int applications) throws Failure {
        for (Begun each : telling.begun()) {
            Map<Integer, Outcome> outcomes = telling.outcomes(each.epoch());
            Set<Outcome> kinds = EnumSet.copyOf(outcomes.values());
            script.add("  checkpoint " + each.epoch() + " with id " + each.ckptId() + " " + kinds
                    + Optional.ofNullable(telling.failures().get(each.epoch()))
                            .map(why -> " " + world.words(why))
                            .orElse(""));
            require(
                    faults.killed() || (kinds.size() == 1 && outcomes.size() == applications),
                    () -> "checkpoint " + each.epoch() + " ended in different ways: " + outcomes);
            require(
                    faults.killed()
                            || faults.happened()
                            || met.contains(Trouble.SHARED_DISK)
                            || !kinds.contains(Outcome.FAILED),
                    () -> "checkpoint " + each.epoch() + " failed: "
                            + telling.failures().get(each.epoch()));
            model.begun(each);
            boolean ended = kinds.contains(Outcome.DONE)
                    || (kinds.contains(Outcome.BEGUN)
                            && !faults.killed()
                            && !faults.happened()
                            && !met.contains(Trouble.SHARED_DISK));
            if (ended) {
                model.committed(each.epoch());
            }
            sizes = each.sizes();
        }
    }

    private void judgeEnd(Plan plan, Faults faults, Telling telling, Throwable failure) throws Failure {
        boolean keepsLast = setting.is("basic.keep_last_ckpt");
        if (telling.isCompleted()) {
            script.add("  completed");
            model.completed(keepsLast);
        } else if (telling.ending()) {
            model.mayBeCompleted(keepsLast);
        }
        require(
                failure == null || faults.killed() || faults.happened() || met.contains(Trouble.SHARED_DISK),
                () -> "ended by " + failure);
        require(!telling.secondJob().contains("let in"), () -> "a second job with the same configuration was let in");
        if (!telling.secondJob().isEmpty()) {
            met.add(Trouble.SECOND_JOB);
        }
        script.add("  " + model);
    }

    @FunctionalInterface
    private interface Words {
        String get();
    }

    private void require(boolean condition, Words otherwise) throws Failure {
        if (!condition) {
            throw new Failure(world.words(otherwise.get()));
        }
    }

    @Override
    public String toString() {
        return Arrays.toString(sizes) + " " + model;
    }
}
