/** Nodes, groups, places of ranks, and the link between ranks and heads. Not API: may change in any release. */
@NullMarked
package io.drumlin.checkpoint.internal.topology;

import org.jspecify.annotations.NullMarked;
