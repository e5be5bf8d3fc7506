package io.drumlin.golden.fti;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.golden.base.Json;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallsTest {

    private static List<Checkpoint> checkpoints(String calls, boolean differential) throws IOException {
        Json json = Json.root(JSON.std.mapFrom("{\"calls\": [" + calls + "]}"));
        return Calls.checkpoints(json.get("calls"), differential);
    }

    @Test
    void aLevelIsTheOneAtWhichTheCheckpointIsTaken() throws IOException {
        String calls =
                """
                {"call": "FTI_Checkpoint", "id": 1, "level": 5}, {"call": "FTI_Checkpoint", "id": 2, "level": 8},
                {"call": "FTI_InitICP", "id": 3, "level": 7, "activate": true}, {"call": "FTI_FinalizeICP"}
                """;
        assertThat(checkpoints(calls, true)).extracting(Checkpoint::level).containsExactly(1, 8, 3);
        assertThat(checkpoints(calls, false)).extracting(Checkpoint::level).containsExactly(1, 4, 3);
    }

    @Test
    void anAttributeDimensionIsTheCountWhenItWasSet() throws IOException {
        String calls =
                """
                {"call": "FTI_Protect", "id": 0, "type": "FTI_DBLE", "count": 7, "count_extra_per_app_rank": 2},
                {"call": "FTI_SetAttribute", "id": 0, "name": "x", "ndims": 1, "dim0": "element count", "flags": "NAME|DIM"},
                {"call": "FTI_Protect", "id": 0, "type": "FTI_DBLE", "count": 9, "count_extra_per_app_rank": 0},
                {"call": "FTI_Checkpoint", "id": 1, "level": 1}
                """;
        Checkpoint.Variable variable = checkpoints(calls, false).get(0).variable(0);
        assertThat(variable.dimensionsOn(3)).containsExactly(13L);
        assertThat(variable.countOn(3)).isEqualTo(9);
    }
}
