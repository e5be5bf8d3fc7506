package io.drumlin.checkpoint.internal.topology;

import io.drumlin.checkpoint.Level;

/**
 * Where this rank stands in an order of nodes in which files were written, and whose data lie there.
 *
 * @param topology in that order
 * @param inPlace whether every rank has its own data there
 * @param samePlacement whether the ranks were dealt out to the nodes as they are now, so that files of level 4 describe the same ranks in
 *     either order
 * @param to the rank, in that order, whose data this rank finds
 * @param from the rank, in that order, that finds this rank's data
 */
public record PreviousOrder(Topology topology, boolean inPlace, boolean samePlacement, int to, int from) {

    /** Whether every rank finds its own data of a level in the order of this run's nodes. */
    public boolean isInPlace(Level level) {
        // Files of differential checkpoints are known by their ranks.
        return inPlace || level == Level.L4_DCP || (level == Level.L4 && samePlacement);
    }
}
