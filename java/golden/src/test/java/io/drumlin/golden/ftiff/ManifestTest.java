package io.drumlin.golden.ftiff;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.golden.base.Json;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManifestTest {

    /** {@code i32} in the record of layout E, so a manifest may show either; the file is read without a sign. */
    @ParameterizedTest
    @CsvSource({
        "E, -606025272, 3688942024",
        "E, 3688942024, 3688942024",
        "F, 2724413143, 2724413143",
        "D, 1795177543858541941, 1795177543858541941"
    })
    void theSignOfATimestampThatIsCutMeansNothing(String layout, long stated, long timestamp) throws IOException {
        String manifest =
                """
                {"case": "a", "layout": "%1$s", "writer": "w", "ranks": 1, "app_ranks": [0], "config": {}, "calls": [],
                 "checkpoints": {},
                 "snapshots": {"1": {"exec_id": "x", "restart_failure": 1, "files": [
                   {"path": "p", "size": 1, "sha256": "00", "kind": "rs_encoded", "rank": 0, "ckpt_id": 1, "layout": "%1$s",
                    "file_meta": {"checksum": "c", "myHash": "h", "ckptId": 1, "ckptSize": 1, "metaSize": 0, "dataSize": 0,
                                  "fs": 1, "maxFs": 1, "ptFs": -1, "timestamp": %2$d}}]}}}
                """
                        .formatted(layout, stated);
        Manifest read = Manifest.of(Json.root(JSON.std.mapFrom(manifest)));
        assertThat(read.snapshots()
                        .get("1")
                        .files()
                        .get(0)
                        .checkpoint()
                        .fileMeta()
                        .timestamp())
                .isEqualTo(timestamp);
    }

    @Test
    void differentialCheckpointsOfLevels1To3AreOrdinaryOnes() throws IOException {
        String calls =
                """
                {"calls": [["FTI_Checkpoint", {"id": 1, "level": 5}], ["FTI_Checkpoint", {"id": 2, "level": 7}],
                           ["FTI_Checkpoint", {"id": 3, "level": 8}], ["FTI_Checkpoint", {"id": 4, "level": 4}]]}
                """;
        assertThat(CallSequence.of(Json.root(JSON.std.mapFrom(calls)).get("calls")))
                .isEqualTo(new CallSequence(List.of(
                        new CallSequence.Checkpoint(1, 1),
                        new CallSequence.Checkpoint(2, 3),
                        new CallSequence.Checkpoint(3, 8),
                        new CallSequence.Checkpoint(4, 4))));
    }
}
