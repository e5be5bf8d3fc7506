package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What the modes promise of the metadata that they keep apart from the data, a file for each group. */
interface SeparateMetadataContract {

    /** See {@link IoModeContract}. */
    RunFixture make(Map<String, String> changes) throws IOException;

    /** One of the files, such as {@code l1/sector0-group0.fti}. */
    static Path metadata(RunFixture run, String place) throws IOException {
        return run.directory()
                .resolve("Meta")
                .resolve(run.restartValue("exec_id"))
                .resolve(place);
    }

    /** C FTI: some ranks recover another checkpoint than the others, and the job hangs. */
    @Test
    default void ranksDoNotPartWhenTheMetadataOfOneGroupAreMissing() throws IOException {
        RunFixture run = make(Map.of());
        IoModeContract.take(run, 5, Level.L4, Level.L2, Level.L1);
        Files.delete(metadata(run, "l1/sector1-group0.fti"));
        IoModeContract.recover(run, 6, Level.L2);
        Files.writeString(metadata(run, "l2/sector0-group0.fti"), "[ckpt_info]\nckpt_type = full\n");
        IoModeContract.recover(run, 5, Level.L4);
    }

    /** C programs begin to count where they like. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "L4_DCP")
    default void aCheckpointMayHaveId0(Level level) throws IOException {
        RunFixture run = make(Map.of());
        IoModeContract.take(run, 0, level);
        if (level != Level.L1) {
            run.loseNode(2);
        }
        IoModeContract.recover(run, 0, level);
    }
}
