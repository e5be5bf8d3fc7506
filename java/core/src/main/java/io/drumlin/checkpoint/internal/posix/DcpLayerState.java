package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.internal.dcp.VariableDigests;
import io.drumlin.format.fti.LayerEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The content of a file of differential checkpoints in the mode POSIX.
 *
 * @param number number in its name
 * @param fileName its name
 * @param layers the layers, from the first on
 * @param digests digests of the variables, by id, as far as they are known
 * @param lastCkptId the value for the next layer: the id of the previous checkpoint, of any level
 */
record DcpLayerState(
        int number, String fileName, List<LayerEntry> layers, Map<Integer, VariableDigests> digests, int lastCkptId) {

    DcpLayerState {
        layers = List.copyOf(layers);
        digests = Map.copyOf(digests);
    }

    /** Returns where the next layer begins. */
    long end() {
        return layers.stream().mapToLong(LayerEntry::size).sum();
    }

    VariableDigests digests(int id) {
        return digests.getOrDefault(id, VariableDigests.NONE);
    }

    DcpLayerState after(int ckptId) {
        return new DcpLayerState(number, fileName, layers, digests, ckptId);
    }

    DcpLayerState with(LayerEntry layer, Map<Integer, VariableDigests> now) {
        List<LayerEntry> more = new ArrayList<>(layers);
        more.add(layer);
        return new DcpLayerState(number, fileName, more, now, lastCkptId);
    }
}
