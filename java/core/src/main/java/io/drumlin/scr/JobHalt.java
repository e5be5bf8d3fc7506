package io.drumlin.scr;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** When this job is to halt: what the halt file says, and the parameters (docs/formats/scr.md, section 8). Of one rank. */
final class JobHalt {

    private final ScrSettings settings;
    private final HaltFile file;

    JobHalt(ScrSettings settings, HaltFile file) {
        this.settings = settings;
        this.file = file;
    }

    /** Why to halt now; empty to go on. */
    Optional<String> reason() throws IOException {
        HaltConditions conditions = file.read();
        if (conditions.haltSeconds().isEmpty() && settings.number("SCR_HALT_SECONDS") > 0) {
            conditions = new HaltConditions(
                    conditions.checkpointsLeft(),
                    conditions.exitAfter(),
                    conditions.exitBefore(),
                    OptionalLong.of(settings.number("SCR_HALT_SECONDS")),
                    conditions.exitReason());
        }
        return conditions.reason(Instant.now().getEpochSecond(), settings.endTime());
    }

    /** Counts a checkpoint down, if they are counted. */
    void count() throws IOException {
        OptionalLong left = file.read().checkpointsLeft();
        if (left.isPresent()) {
            file.update(change -> change.checkpointsLeft(OptionalLong.of(Math.max(0, left.getAsLong() - 1))));
        }
    }

    /** Notes that the job ended by itself. */
    void finish() throws IOException {
        file.update(change -> change.exitReason(Optional.of(HaltConditions.FINALIZED)));
    }
}
