package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.Stash;
import java.io.IOException;

/**
 * The stashes that the callbacks of heads make.
 *
 * @param files copies the files of all application ranks of the node
 */
record HeadStash(Head head, Stash files) implements Stash {

    @Override
    public void put(int ckptId, long stashId) throws IOException {
        head.together("making stash " + stashId + " of checkpoint " + ckptId, () -> files.put(ckptId, stashId));
    }

    @Override
    public int load(long stashId) {
        throw new IllegalStateException(
                "a head has no data of the program: only ranks of the application load stash " + stashId);
    }

    @Override
    public void push(long stashId) throws IOException {
        head.together("pushing stash " + stashId, () -> files.push(stashId));
    }

    @Override
    public void pull(long stashId) throws IOException {
        head.together("pulling stash " + stashId, () -> files.pull(stashId));
    }

    @Override
    public void drop(long stashId, Layer layer) throws IOException {
        head.together("dropping stash " + stashId + " of layer " + layer, () -> files.drop(stashId, layer));
    }
}
