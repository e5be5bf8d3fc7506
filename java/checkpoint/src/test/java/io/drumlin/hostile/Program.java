package io.drumlin.hostile;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.hostile.Plan.End;
import io.drumlin.hostile.Plan.Step;
import io.drumlin.hostile.Telling.Begun;
import io.drumlin.hostile.Telling.Outcome;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/** What one rank does in one start. */
final class Program {

    /** The job was killed; nothing else is wrong. */
    static final class Killed extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** Starts another job with the same configuration and says what became of it. */
    @FunctionalInterface
    interface SecondJob {
        String run();
    }

    private final Plan plan;
    private final Faults faults;
    private final Telling telling;
    private final int rank;
    private final int firstEpoch;
    private final boolean behind;
    private final long[][] variables;
    private Communicator app;
    private int pending = -1;

    /**
     * @param rank in the communicator that the program was given
     * @param firstEpoch number of the first checkpoint that it takes
     * @param behind whether checkpoints may be finished while the program goes on
     * @param sizes of the variables before the first checkpoint
     */
    Program(Plan plan, Faults faults, Telling telling, int rank, int firstEpoch, boolean behind, int[] sizes) {
        this.plan = plan;
        this.faults = faults;
        this.telling = telling;
        this.rank = rank;
        this.firstEpoch = firstEpoch;
        this.behind = behind;
        variables = new long[sizes.length][];
        for (int id = 0; id < sizes.length; id++) {
            variables[id] = new long[Content.elements(sizes[id], rank)];
        }
    }

    void run(Checkpoints.Builder builder, SecondJob secondJob) throws IOException {
        if (plan.early()) {
            for (int id = 0; id < variables.length; id++) {
                builder.protect(id, variables[id]);
            }
        }
        if (plan.mayBeginAfresh()) {
            builder.freshStartIfUnrecoverable();
        }
        try (Checkpoints checkpoints = builder.open()) {
            if (!checkpoints.isHead()) {
                telling.opened(rank, checkpoints.isRestart());
                app = checkpoints.communicator();
                live(checkpoints, secondJob);
            }
        } catch (IOException | RuntimeException | Error e) {
            if (faults.killed()) {
                throw new Killed();
            }
            throw e;
        }
    }

    private void live(Checkpoints checkpoints, SecondJob secondJob) throws IOException {
        int ckptId = 1;
        if (checkpoints.isRestart()) {
            int last = checkpoints.lastCheckpoint().orElse(-1);
            Level level = checkpoints.lastLevel().orElseThrow();
            telling.recovered(rank, recover(checkpoints, plan.early()), last, level);
            telling.elements(
                    rank, Arrays.stream(variables).map(each -> each.length).toList());
            if (plan.recoversTwice()) {
                require(recover(checkpoints, false), telling.recovered().get(rank), "the second recovery");
            }
            ckptId = Math.max(1, plan.repeatsIds() ? last : last + 1);
        }
        for (int step = 0; step < plan.steps().size(); step++) {
            awaitPending(checkpoints);
            enter(step + 1);
            take(checkpoints, plan.steps().get(step), firstEpoch + step, ckptId);
            ckptId++;
            if (step == plan.secondJob()) {
                awaitPending(checkpoints);
                enter(step + 1);
                if (app.rank() == 0) {
                    telling.secondJob(secondJob.run());
                }
                app.barrier();
            }
        }
        end(checkpoints);
    }

    private void enter(int window) throws IOException {
        app.barrier();
        if (app.rank() == 0) {
            faults.enter(window);
        }
        app.barrier();
        if (faults.killed()) {
            throw new Killed();
        }
    }

    private void end(Checkpoints checkpoints) throws IOException {
        if (plan.end() == End.COMPLETE) {
            awaitPending(checkpoints);
        }
        enter(plan.windows() - 1);
        switch (plan.end()) {
            case COMPLETE -> {
                telling.completes();
                try {
                    checkpoints.complete();
                } catch (IOException e) {
                    requireKilledOr(plan.strike().isPresent(), e);
                    return;
                }
                telling.completed();
            }
            case CLOSE -> {}
            case KILL -> {
                faults.kill();
                throw new Killed();
            }
        }
    }

    private void requireKilledOr(boolean allowed, IOException failure) throws IOException {
        if (faults.killed()) {
            throw new Killed();
        }
        if (!allowed) {
            throw failure;
        }
    }

    private void take(Checkpoints checkpoints, Step step, int epoch, int ckptId) throws IOException {
        for (int id = 0; id < variables.length; id++) {
            int elements = Content.elements(step.sizes()[id], rank);
            variables[id] = variables[id].length == elements ? variables[id] : new long[elements];
            Content.fill(variables[id], epoch, rank, id);
            checkpoints.protect(id, variables[id]);
        }
        telling.begun(new Begun(epoch, ckptId, step.level(), step.sizes()));
        telling.outcome(epoch, rank, Outcome.BEGUN);
        try {
            if (step.incremental()) {
                takeOneByOne(checkpoints, step, ckptId);
            } else {
                checkpoints.checkpoint(ckptId, step.level());
            }
        } catch (IOException e) {
            failed(epoch, e);
            return;
        }
        if (behind) {
            pending = epoch;
            // The program goes on to compute.
            scribble();
            if (step.waits() || step.recovers()) {
                awaitPending(checkpoints);
            }
        } else {
            telling.outcome(epoch, rank, Outcome.DONE);
        }
        if (step.recovers() && telling.outcomes(epoch).get(rank) == Outcome.DONE) {
            recoverTaken(checkpoints, epoch);
        }
    }

    private void recoverTaken(Checkpoints checkpoints, int epoch) throws IOException {
        scribble();
        try {
            checkpoints.recover();
        } catch (IOException e) {
            requireKilledOr(plan.strike().isPresent(), e);
            return;
        }
        require(verify(), epoch, "the recovery of checkpoint " + epoch);
    }

    private void takeOneByOne(Checkpoints checkpoints, Step step, int ckptId) throws IOException {
        try (IncrementalCheckpoint checkpoint = checkpoints.incremental(ckptId, step.level())) {
            for (int i = 0; i < variables.length; i++) {
                int id = (i + rank) % variables.length;
                checkpoint.add(id);
                Arrays.fill(variables[id], -1);
            }
            checkpoint.commit();
        }
    }

    private void awaitPending(Checkpoints checkpoints) throws IOException {
        int epoch = pending;
        if (epoch < 0) {
            return;
        }
        pending = -1;
        try {
            checkpoints.await();
            telling.outcome(epoch, rank, Outcome.DONE);
        } catch (IOException e) {
            failed(epoch, e);
        }
    }

    private void failed(int epoch, IOException e) throws IOException {
        telling.outcome(epoch, rank, Outcome.FAILED);
        telling.failed(epoch, String.valueOf(e.getMessage()));
        Causes.requireWords(e).ifPresent(telling::wrong);
        if (faults.killed()) {
            throw new Killed();
        }
    }

    private void scribble() {
        for (long[] variable : variables) {
            Arrays.fill(variable, -2);
        }
    }

    /** Recovers everything. @return of which checkpoint it is */
    private int recover(Checkpoints checkpoints, boolean isProtected) throws IOException {
        boolean fits = isProtected;
        for (int id = 0; id < variables.length; id++) {
            long bytes = checkpoints.storedSize(id);
            if (bytes % Long.BYTES != 0) {
                telling.wrong("variable " + id + " of rank " + rank + " has " + bytes + " bytes");
            }
            fits = fits && variables[id].length == bytes / Long.BYTES;
        }
        for (int id = 0; !fits && id < variables.length; id++) {
            variables[id] = new long[(int) (checkpoints.storedSize(id) / Long.BYTES)];
            checkpoints.protect(id, variables[id]);
        }
        checkpoints.recover();
        return verify();
    }

    /** @return the checkpoint that all values are of */
    private int verify() {
        int epoch = variables[0].length == 0 ? -1 : Content.epoch(variables[0][0]);
        for (int id = 0; id < variables.length; id++) {
            for (int i = 0; i < variables[id].length; i++) {
                long expected = Content.value(epoch, rank, id, i);
                if (variables[id][i] != expected) {
                    telling.wrong("rank " + rank + " got " + Content.words(variables[id][i]) + " and not "
                            + Content.words(expected));
                    return epoch;
                }
            }
        }
        return epoch;
    }

    private void require(int found, Integer expected, String of) {
        if (!Optional.of(found).equals(Optional.ofNullable(expected))) {
            telling.wrong(of + " gave checkpoint " + found + " and not " + expected + " on rank " + rank);
        }
    }
}
