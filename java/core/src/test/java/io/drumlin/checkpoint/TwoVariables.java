package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.IntBuffer;
import java.util.Arrays;

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
}
