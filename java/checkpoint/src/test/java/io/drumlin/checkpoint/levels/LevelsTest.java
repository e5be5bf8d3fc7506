package io.drumlin.checkpoint.levels;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The levels in the mode FTI-FF, with data that are packed. */
class LevelsTest extends LevelsContract {

    @Override
    protected Map<String, String> mode() {
        return Map.of("drumlin.packing", "compact");
    }

    @Test
    void aLevelThatNeedsAGroupIsRefusedWithoutOne() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        run.run(2, (checkpoints, comm) -> {
            checkpoints.protect(0, new byte[5000]);
            assertThatThrownBy(() -> checkpoints.checkpoint(1, Level.L2)).hasMessageContaining("group_size");
            assertThatThrownBy(() -> checkpoints.checkpoint(1, Level.L3)).hasMessageContaining("group_size");
            checkpoints.checkpoint(1, Level.L1);
        });
    }
}
