package io.drumlin.scr.internal.flush;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.scr.internal.cache.DatasetCache;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.settings.ScrSettings;
import io.drumlin.scr.internal.store.RootRank;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Assigns new datasets their numbers and descriptors. A number is never used again, whichever dataset a restart goes
 * back to, so it always names the same dataset.
 */
public final class DatasetCounter {

    /** SCR's limit, including the NUL of C. */
    private static final int MAX_NAME_BYTES = 1023;

    private final ScrPrefix prefix;
    private final ScrSettings settings;
    private final Communicator world;
    private int lastId;
    private int lastCheckpoint;

    public DatasetCounter(ScrPrefix prefix, ScrSettings settings, Communicator world) {
        this.prefix = prefix;
        this.settings = settings;
        this.world = world;
    }

    /** Continues after the numbers in the prefix directory and the caches. Collective. */
    public void findLast(IndexFile index, DatasetCache cache) throws IOException {
        long[] last = {cache.lastOfOthers(), 0};
        RootRank.run(world, "looking for the last dataset", () -> {
            if (PathStatus.exists(index.path())) {
                for (IndexRecord record : index.read().records()) {
                    last[0] = Math.max(last[0], record.id());
                    last[1] = Math.max(last[1], record.descriptor().checkpoint().orElse(0));
                }
            }
            // The loss of an index must not cost the metadata of its datasets, from which they can be added again.
            for (int id : prefix.metadataDirectories().values()) {
                last[0] = Math.max(last[0], id);
            }
        });
        for (DatasetDescriptor descriptor : cache.datasets().values()) {
            last[0] = Math.max(last[0], descriptor.id().orElse(0));
            last[1] = Math.max(last[1], descriptor.checkpoint().orElse(0));
        }
        world.allreduce(last, Communicator.Op.MAX);
        lastId = (int) last[0];
        lastCheckpoint = (int) last[1];
    }

    /**
     * Returns the descriptor of the next dataset. The number stays the same until a dataset has {@link #begun}, unless
     * someone else takes it. Collective.
     *
     * @param name {@code null} for {@code scr.dataset.ID}
     */
    public DatasetDescriptor next(@Nullable String name, boolean checkpoint, boolean output) throws IOException {
        int free = RootRank.call(world, "looking for a free id", 0, this::freeId);
        String common = Agreement.bcast(world, name == null ? "scr.dataset." + free : name, 0);
        Agreement.run(world, "beginning a dataset", () -> checkName(name, common));
        // All ranks use the time of rank 0.
        long[] ofRoot = {free, world.rank() == 0 ? ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) : 0};
        world.allreduce(ofRoot, Communicator.Op.MAX);
        DatasetDescriptor descriptor = DatasetDescriptor.started((int) ofRoot[0], common, checkpoint, output, ofRoot[1])
                .with("USER", settings.user())
                .with("JOBNAME", settings.text("SCR_JOB_NAME"))
                .with("JOBID", settings.text("SCR_JOB_ID"))
                .with("CLUSTER", settings.text("SCR_CLUSTER_NAME"));
        return checkpoint ? descriptor.withCheckpoint(lastCheckpoint + 1) : descriptor;
    }

    private int freeId() throws IOException {
        int id = lastId + 1;
        while (PathStatus.exists(prefix.metadata(id))) {
            id++;
        }
        return id;
    }

    public void begun(DatasetDescriptor descriptor) {
        lastId = descriptor.id().orElseThrow();
        lastCheckpoint += descriptor.isCheckpoint() ? 1 : 0;
    }

    private static void checkName(@Nullable String name, String common) throws DrumlinException {
        if ((name != null && !name.equals(common))
                || common.isEmpty()
                || common.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
            throw DrumlinException.during("beginning a dataset")
                    .problem("its name is '" + name + "' here and '" + common + "' on rank 0")
                    .advice("use one name of 1 to " + MAX_NAME_BYTES + " bytes on all ranks")
                    .exception();
        }
    }
}
