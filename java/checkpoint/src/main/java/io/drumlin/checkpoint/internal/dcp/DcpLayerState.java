package io.drumlin.checkpoint.internal.dcp;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.format.fti.LayerEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a file of differential checkpoints in the mode POSIX.
 *
 * @param number number in its name
 * @param fileName its name
 * @param layers the layers, from the first on
 * @param digests digests of the variables, by id, as far as they are known
 * @param lastCkptId the value for the next layer: the id of the previous checkpoint, of any level
 */
public record DcpLayerState(
        int number, String fileName, List<LayerEntry> layers, Map<Integer, VariableDigests> digests, int lastCkptId) {

    public DcpLayerState {
        layers = List.copyOf(layers);
        digests = Map.copyOf(digests);
    }

    /**
     * Returns whether a variable is smaller than in a layer of the file, or missing. C FTI can read such layers no
     * longer: it writes past the end of the variable. Objects do not count: C FTI has none, and their sizes change often.
     */
    public boolean hasShrunk(Map<Integer, ProtectedData> data) {
        return layers.stream()
                .flatMap(layer -> layer.variables().stream())
                .anyMatch(stored -> hasShrunk(stored, data.get(stored.id())));
    }

    private static boolean hasShrunk(LayerEntry.Variable stored, @Nullable ProtectedData now) {
        return now == null || (!now.isObject() && now.size() < stored.size());
    }

    /** Returns where the next layer begins. */
    public long end() {
        return layers.stream().mapToLong(LayerEntry::size).sum();
    }

    public VariableDigests digests(int id) {
        return digests.getOrDefault(id, VariableDigests.NONE);
    }

    public DcpLayerState after(int ckptId) {
        return new DcpLayerState(number, fileName, layers, digests, ckptId);
    }

    public DcpLayerState with(LayerEntry layer, Map<Integer, VariableDigests> now) {
        List<LayerEntry> more = new ArrayList<>(layers);
        more.add(layer);
        return new DcpLayerState(number, fileName, more, now, lastCkptId);
    }
}
