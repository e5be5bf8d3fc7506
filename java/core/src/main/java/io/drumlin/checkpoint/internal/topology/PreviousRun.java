package io.drumlin.checkpoint.internal.topology;

import io.drumlin.checkpoint.internal.topology.NodeOrder.Numbering;

/**
 * What {@code Topology.fti} tells.
 *
 * @param sameNodes whether it had as many nodes as this one, and what is on them may be of use to this one
 * @param numbering of its ranks: {@link Numbering#NODE} also where that is not known
 * @param nodes how many it had
 * @param ranks how many its application had, 0 if that is not known
 * @param start a number of this start of the run
 */
public record PreviousRun(boolean sameNodes, Numbering numbering, int nodes, int ranks, long start) {}
