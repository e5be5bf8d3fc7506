package io.drumlin.checkpoint;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** An array that is protected as two variables, and may be added to a checkpoint one half after the other. */
final class TwoVariables {

    private TwoVariables() {}

    static void protect(Checkpoints checkpoints, int[] values) {
        for (int id = 0; id < 2; id++) {
            checkpoints.protect(
                    id, IntBuffer.wrap(values, start(values, id), half(values)).slice());
        }
    }

    private static int half(int[] values) {
        return values.length / 2;
    }

    private static int start(int[] values, int id) {
        return id * half(values);
    }

    /** Each half is overwritten as soon as it is added; ranks have their own order. */
    static void checkpoint(Checkpoints checkpoints, int[] values, int ckptId, Level level) throws IOException {
        try (IncrementalCheckpoint checkpoint = checkpoints.incremental(ckptId, level)) {
            int first = checkpoints.communicator().rank() % 2;
            for (int id : new int[] {first, 1 - first}) {
                checkpoint.add(id);
                Arrays.fill(values, start(values, id), start(values, id) + half(values), -1);
            }
            checkpoint.commit();
        }
    }

    /** Values that tell their step and their place. */
    static void set(int[] values, int step) {
        Arrays.setAll(values, i -> step + i);
    }

    /** For each rank which step a restart brings back, or the failure. */
    static List<String> restart(RunFixture run, int count, List<? extends StorageEngine> engines) {
        List<String> outcomes = new ArrayList<>(Collections.nCopies(engines.size(), "?"));
        assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> ThreadCommunicator.run(engines.size(), comm -> {
                    String outcome;
                    try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                            .communicator(comm)
                            .storage(engines.get(comm.rank()))
                            .open()) {
                        int[] values = new int[count];
                        protect(checkpoints, values);
                        checkpoints.recover();
                        outcome = step(values);
                    } catch (IOException failed) {
                        outcome = failed.toString();
                    }
                    synchronized (outcomes) {
                        outcomes.set(comm.rank(), outcome);
                    }
                }));
        return outcomes;
    }

    static String step(int[] values) {
        Set<Integer> steps = new TreeSet<>();
        for (int i = 0; i < values.length; i++) {
            steps.add(values[i] - i);
        }
        return steps.size() == 1 ? steps.iterator().next().toString() : "mixed: " + steps;
    }
}
