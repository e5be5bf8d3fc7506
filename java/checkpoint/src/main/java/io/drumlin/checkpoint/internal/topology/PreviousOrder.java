package io.drumlin.checkpoint.internal.topology;

import io.drumlin.checkpoint.Level;

/**
 * The place of this rank in an order of nodes in which files were written, and whose data lie there.
 *
 * @param topology topology of this rank in that order
 * @param inPlace whether every rank has its own data there
 * @param samePlacement whether the nodes had the same ranks as now, so that files of level 4 describe the same ranks in
 *     both orders
 * @param to the rank, in that order, whose data this rank finds
 * @param from the rank, in that order, that finds this rank's data
 */
public record PreviousOrder(Topology topology, boolean inPlace, boolean samePlacement, int to, int from) {

    /** Returns whether every rank finds its own data of a level in the order of this run's nodes. */
    public boolean isInPlace(Level level) {
        // Files of differential checkpoints are identified by their ranks.
        return inPlace || level == Level.L4_DCP || (level == Level.L4 && samePlacement);
    }
}
