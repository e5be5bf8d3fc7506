package io.drumlin.scr.internal.cache;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.RootRank;
import io.drumlin.scr.internal.store.ScrPrefix;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * The file {@code flush.scr}: it records which datasets of the caches are in the prefix directory too. All calls are
 * collective.
 */
public final class FlushFile {

    private final Communicator world;
    private final KvTreeStore store;
    private final ScrPrefix prefix;

    FlushFile(Communicator world, KvTreeStore store, ScrPrefix prefix) {
        this.world = world;
        this.store = store;
        this.prefix = prefix;
    }

    /** Changes the file on rank 0. */
    public void change(Consumer<FlushStates> change) throws IOException {
        RootRank.run(world, "writing the flush file", () -> {
            FlushStates states = read();
            change.accept(states);
            store.replace(prefix.flush(), states.tree());
        });
    }

    /** Returns whether a cached dataset is not in the prefix directory. */
    public boolean isFlushNeeded(int id) throws IOException {
        boolean needsFlush = RootRank.call(world, "reading the flush file", false, () -> {
            FlushStates states = read();
            return states.needsFlush(id) || states.place(id).isEmpty();
        });
        return Agreement.any(world, needsFlush);
    }

    private FlushStates read() throws IOException {
        return new FlushStates(store.readIfThere(prefix.flush()));
    }
}
