package io.drumlin.scr.internal.halt;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.internal.BatchSystem;
import io.drumlin.scr.internal.settings.ScrSettings;
import io.drumlin.scr.internal.store.RootRank;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Decides when this job must halt, from the halt file and the parameters (docs/formats/scr.md, section 8). All calls
 * are collective; rank 0 reads and writes.
 */
public final class JobHalt {

    private final ScrSettings settings;
    private final Communicator world;
    private final HaltFile file;

    /** The end of the allocation as Slurm tells it; null before it was asked. */
    private @Nullable OptionalLong toldEnd;

    public JobHalt(ScrSettings settings, Communicator world, HaltFile file) {
        this.settings = settings;
        this.world = world;
        this.file = file;
    }

    /** Returns the reason to halt now; empty to continue. */
    public Optional<String> reason() throws IOException {
        String common = Agreement.ofFirst(world, "looking whether to halt", () -> read().orElse(""));
        return common.isEmpty() ? Optional.empty() : Optional.of(common);
    }

    private Optional<String> read() throws IOException {
        HaltConditions conditions = file.read();
        if (conditions.haltSeconds().isEmpty() && settings.number("SCR_HALT_SECONDS") > 0) {
            conditions = new HaltConditions(
                    conditions.checkpointsLeft(),
                    conditions.exitAfter(),
                    conditions.exitBefore(),
                    OptionalLong.of(settings.number("SCR_HALT_SECONDS")),
                    conditions.exitReason());
        }
        boolean needsEnd = conditions.haltSeconds().orElse(0) > 0;
        return conditions.reason(Instant.now().getEpochSecond(), needsEnd ? end() : OptionalLong.empty());
    }

    /** SCR's scripts set SCR_END_TIME; without them the batch system tells it. */
    private OptionalLong end() throws IOException {
        if (settings.endTime().isPresent()) {
            return settings.endTime();
        }
        OptionalLong end = toldEnd == null ? new BatchSystem(System.getenv()).end() : toldEnd;
        toldEnd = end;
        return end;
    }

    /** Counts a checkpoint down, if checkpoints are counted. */
    public void count() throws IOException {
        RootRank.run(world, "counting checkpoints", () -> {
            OptionalLong left = file.read().checkpointsLeft();
            if (left.isPresent()) {
                file.update(change -> change.checkpointsLeft(OptionalLong.of(Math.max(0, left.getAsLong() - 1))));
            }
        });
    }

    /** Records why the job ends, unless the file already has a reason. */
    public void finish(String reason) throws IOException {
        RootRank.run(world, "noting the end", () -> {
            String known = file.read().exitReason().orElse("");
            if (known.isEmpty() || known.equals(HaltConditions.FINALIZED)) {
                file.update(change -> change.exitReason(reason));
            }
        });
    }
}
