package io.drumlin.checkpoint.internal.topology;

import io.drumlin.checkpoint.internal.topology.NodeOrder.Numbering;

/**
 * The previous run, as recorded in {@code Topology.fti}.
 *
 * @param sameNodes whether it had as many nodes as this run, so that this run may use the files on them
 * @param numbering numbering of its ranks; {@link Numbering#NODE} also if that is unknown
 * @param nodes number of its nodes
 * @param ranks number of its application ranks, 0 if unknown
 * @param oneOrder whether its nodes had one order only
 * @param start a number that identifies this start of the run
 */
public record PreviousRun(boolean sameNodes, Numbering numbering, int nodes, int ranks, boolean oneOrder, long start) {}
