package io.drumlin.checkpoint.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpointed;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fields that are marked with {@link Checkpointed} are variables. */
class MarkedFieldsTest {

    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    @TempDir
    Path directory;

    private static class Parent {
        @Checkpointed
        private double time;
    }

    private static final class Solver extends Parent {
        @Checkpointed
        private final double[][] grid = new double[2][3];

        @Checkpointed
        private int step;

        @Checkpointed
        private final int[] counts = new int[1];

        private int left;
    }

    /** A later form of the program: fields in another order, one more, one less. */
    private static final class LaterSolver extends Parent {
        @Checkpointed
        private int rejected = 7;

        @Checkpointed
        private int step;

        @Checkpointed
        private final double[][] grid = new double[2][3];
    }

    private static final class Unmarked {}

    private static final class Replaceable {
        @Checkpointed
        private int[] values = {1};
    }

    private static final class Constant {
        @Checkpointed
        private final int step = Integer.parseInt("1");
    }

    private static final class Shared {
        @Checkpointed
        private static int step;
    }

    private static final class Missing {
        @Checkpointed
        private final int[] values = null;
    }

    private static final class Wrong {
        @Checkpointed
        private final String text = "text";
    }

    private static final class Hiding extends Parent {
        @Checkpointed
        private double time;
    }

    private Checkpoints open(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", ioMode));
        return Checkpoints.open(run.config(), new SingleCommunicator());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3", "5"})
    void theyComeBackByName(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", ioMode));
        Map<String, Integer> ids;
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            Solver solver = new Solver();
            ids = checkpoints.protectFields("solver", LOOKUP, solver);
            assertThat(ids.keySet()).containsExactly("counts", "grid", "step", "time");
            // As after a change that concerns another part of the program.
            assertThat(checkpoints.protectFields("solver", LOOKUP, solver)).isEqualTo(ids);
            solver.step = 3;
            solver.grid[1][2] = 4;
            ((Parent) solver).time = 0.5;
            solver.counts[0] = 6;
            solver.left = 9;
            checkpoints.checkpoint(1, Level.L1);
        }
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            Solver solver = new Solver();
            checkpoints.protectFields("solver", LOOKUP, solver);
            checkpoints.recover();
            assertThat(List.of(solver.step, solver.grid[1][2], ((Parent) solver).time, solver.counts[0], solver.left))
                    .containsExactly(3, 4.0, 0.5, 6, 0);
        }
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            LaterSolver solver = new LaterSolver();
            Map<String, Integer> later = checkpoints.protectFields("solver", LOOKUP, solver);
            assertThat(later).containsEntry("step", ids.get("step")).containsEntry("grid", ids.get("grid"));
            assertThat(checkpoints.storedSize(ids.get("counts"))).isEqualTo(4);
            for (String field : List.of("step", "grid", "time")) {
                checkpoints.recover(later.get(field));
            }
            assertThat(List.of(solver.step, solver.grid[1][2], ((Parent) solver).time, solver.rejected))
                    .containsExactly(3, 4.0, 0.5, 7);
        }
    }

    @Test
    void eachObjectHasItsName() throws IOException {
        try (Checkpoints checkpoints = open("3")) {
            checkpoints.protectFields("left", LOOKUP, new Solver());
            Map<String, Integer> right = checkpoints.protectFields("right", LOOKUP, new Solver());
            assertThatThrownBy(() -> checkpoints.protectFields("left", LOOKUP, new Solver()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(
                            "is that of the field left.counts of another object; give the object another");
            right.values().forEach(checkpoints::unprotect);
            checkpoints.protectFields("right", LOOKUP, new Solver());
        }
    }

    @Test
    void anIdThatTheProgramUsesIsNotTaken() throws IOException {
        try (Checkpoints checkpoints = open("3")) {
            Map<String, Integer> ids = checkpoints.protectFields("solver", LOOKUP, new Solver());
            ids.values().forEach(checkpoints::unprotect);
            checkpoints.protect(ids.get("time"), new int[1]);
            assertThatThrownBy(() -> checkpoints.protectFields("solver", LOOKUP, new Solver()))
                    .hasMessage("cannot protect the field solver.time: its id " + ids.get("time")
                            + " is that of another variable; give the object another name");
            assertThat(((FtiCheckpoints) checkpoints).protectedBytes())
                    .as("none is protected")
                    .isEqualTo(4);
        }
    }

    @Test
    void aFieldThatCannotBeProtectedIsNamed() throws IOException {
        try (Checkpoints checkpoints = open("3")) {
            Map<Object, String> reasons = Map.of(
                    new Unmarked(), "Unmarked: none is marked with @Checkpointed",
                    new Replaceable(), "the field values of " + Replaceable.class.getName() + ": it is not final",
                    new Constant(), "it is final, and a recovery must set it",
                    new Shared(), "it is static",
                    new Missing(), "it is null",
                    new Wrong(), "the field text of " + Wrong.class.getName() + ": ",
                    new Hiding(), "a subclass has a marked field of that name");
            reasons.forEach(
                    (owner, reason) -> assertThatThrownBy(() -> checkpoints.protectFields("object", LOOKUP, owner))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining(reason));
            assertThatThrownBy(() -> checkpoints.protectFields("object", MethodHandles.publicLookup(), new Solver()))
                    .hasMessageContaining("has no access to it; call MethodHandles.lookup()");
            assertThatThrownBy(() -> checkpoints.protectFields("", LOOKUP, new Solver()))
                    .hasMessageContaining("the name of their object, which is empty");
        }
    }
}
