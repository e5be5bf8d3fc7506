package io.drumlin.checkpoint.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fields of the program are variables. */
class FieldsTest {

    private static final List<String> NAMES =
            List.of("flag", "tiny", "small", "letter", "step", "count", "weight", "time", "total");

    @TempDir
    Path directory;

    /** Has one field of each primitive type, a static one and an inherited one. */
    private static final class State extends Parent {
        private static long total;
        private final int last = Integer.parseInt("9");
        private final double[] grid = {1};
        private boolean flag;
        private byte tiny;
        private short small;
        private char letter;
        private int step;
        private volatile long count;
        private float weight;

        void set() {
            flag = true;
            tiny = -1;
            small = -2;
            letter = '\u00e4';
            step = 1_000_000;
            count = 1L << 40;
            weight = 0.5f;
            time = 1e100;
            total = -3;
        }

        List<Object> values() {
            return List.of(flag, tiny, small, letter, step, count, weight, time, total, last, grid.length);
        }

        static Lookup lookup() {
            return MethodHandles.lookup();
        }
    }

    private static class Parent {
        double time;
    }

    private static void protect(Checkpoints checkpoints, State state) {
        for (int id = 0; id < NAMES.size(); id++) {
            checkpoints.protect(id, State.lookup(), state, NAMES.get(id));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void fieldsComeBack(String async) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "drumlin.async", async));
        State state = new State();
        State.total = 0;
        List<Object> zeros = state.values();
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            protect(checkpoints, state);
            state.set();
            checkpoints.checkpoint(1, Level.L1);
        }
        List<Object> values = state.values();
        State restarted = new State();
        State.total = 0;
        assertThat(restarted.values()).isEqualTo(zeros).isNotEqualTo(values);
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            protect(checkpoints, restarted);
            checkpoints.recover();
            assertThat(restarted.values()).isEqualTo(values);
        }
    }

    /** A field, a scalar and an array of one element have the same bytes. */
    @Test
    void aFieldIsAVariableOfC() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            checkpoints.protect(0, new Scalar.OfInt(7));
            checkpoints.checkpoint(1, Level.L1);
        }
        State state = new State();
        Checkpoints.Builder builder = Checkpoints.builder(run.config()).communicator(new SingleCommunicator());
        try (Checkpoints checkpoints =
                builder.protect(0, State.lookup(), state, "step").open()) {
            checkpoints.recover();
            assertThat(state.step).isEqualTo(7);
        }
    }

    @Test
    void otherFieldsAreRefused() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        State state = new State();
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            requireRefused(checkpoints, State.lookup(), state, "stp", "cannot protect a field stp: ");
            requireRefused(checkpoints, State.lookup(), state, "last", "it is final");
            requireRefused(checkpoints, State.lookup(), state, "grid", "it has no primitive type");
            requireRefused(checkpoints, State.lookup(), State.class, "step", "it is not static");
            requireRefused(checkpoints, MethodHandles.publicLookup(), state, "step", "has no access to it");
            checkpoints.protect(0, State.lookup(), State.class, "total");
        }
    }

    private static void requireRefused(
            Checkpoints checkpoints, Lookup lookup, Object owner, String field, String words) {
        assertThatThrownBy(() -> checkpoints.protect(0, lookup, owner, field))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
    }
}
