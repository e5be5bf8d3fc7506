package io.drumlin.scr.internal.halt;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What halts a job; the conditions are those observed with SCR 3.1.0 in the golden case halt_and_small_files. */
class HaltFileTest {

    private static final long NOW = 1_800_000_000L;

    @TempDir
    Path directory;

    private HaltFile file() {
        return new HaltFile(new ScrPrefix(directory), new NioEngine());
    }

    private Optional<String> reason() throws IOException {
        return file().read().reason(NOW, OptionalLong.of(NOW + 100));
    }

    @Test
    void eachConditionHalts() throws IOException {
        assertThat(reason()).isEmpty();
        file().update(change -> change.exitReason("SCR_FINALIZE_CALLED"));
        assertThat(reason()).as("a job that ended by itself may go on").isEmpty();
        file().update(change -> change.checkpointsLeft(OptionalLong.of(1)));
        assertThat(reason()).isEmpty();
        file().update(change -> change.checkpointsLeft(OptionalLong.of(0)));
        assertThat(reason()).contains("NO_CHECKPOINTS_LEFT");
        file().update(change -> change.exitReason("USER_REQUEST"));
        assertThat(reason()).contains("USER_REQUEST");
        file().update(change ->
                change.exitReason(null).checkpointsLeft(OptionalLong.empty()).exitAfter(OptionalLong.of(NOW)));
        assertThat(reason()).contains("EXIT_AFTER_TIME");
        file().update(change -> change.exitAfter(OptionalLong.of(NOW + 1)).exitBefore(OptionalLong.of(NOW + 50)));
        assertThat(reason()).isEmpty();
        file().update(change -> change.haltSeconds(OptionalLong.of(50)));
        assertThat(reason()).contains("EXIT_BEFORE_TIME");
        file().update(change -> change.haltSeconds(OptionalLong.of(100)));
        assertThat(reason()).contains("TIME_LIMIT");
    }

    /** C reads times into 32 bits, where this one is long past. */
    @Test
    void timesAfter2038AreInTheFuture() throws IOException {
        file().update(change -> change.exitAfter(OptionalLong.of(4_000_000_000L)));
        assertThat(reason()).isEmpty();
    }
}
