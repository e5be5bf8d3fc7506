package io.drumlin.golden.fti;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.DcpFile;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.LayerEntry;
import io.drumlin.format.fti.Release;
import io.drumlin.format.internal.RangeDigester.Range;
import io.drumlin.golden.base.Outcome;
import io.drumlin.integrity.LaneDigester;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Compares a differential checkpoint, as it is after each of its layers, with the checkpoints that wrote them. */
final class DifferentialComparison {

    private final List<Checkpoint> checkpoints;
    private final List<Checkpoint> differential;
    private final Outcome outcome;
    private boolean ofToday = true;
    private int layers;
    private int variables;

    /**
     * Nothing compared yet.
     *
     * @param checkpoints all that were taken, in order
     */
    DifferentialComparison(List<Checkpoint> checkpoints, Outcome outcome) {
        this.checkpoints = checkpoints;
        differential =
                checkpoints.stream().filter(each -> each.type() == CkptType.DCP).toList();
        this.outcome = outcome;
    }

    /** Returns whether all files are as C FTI writes them now. */
    boolean ofToday() {
        return ofToday;
    }

    int layers() {
        return layers;
    }

    int variables() {
        return variables;
    }

    /**
     * Compares a rank's file.
     *
     * @param newest id of the checkpoint that wrote the last layer
     * @param release the release whose keys the metadata have; v1.3 writes other ids into the layers
     */
    void compare(String where, FileEntry entry, byte[] bytes, int newest, Release release, int appRank)
            throws IOException {
        ByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
        outcome.same(where + ": size", entry.size(), source.size());
        int last = lastIndexOf(newest);
        int first = last - entry.layers().size() + 1;
        if (first < 0) {
            outcome.differs(where + ": has " + entry.layers().size() + " layers, of " + (last + 1) + " checkpoints");
            return;
        }
        List<LayerEntry> known = new ArrayList<>();
        for (int i = 0; i < entry.layers().size(); i++) {
            LayerEntry stated = entry.layers().get(i);
            // C FTI says of all layers what is right for the last one.
            outcome.same(
                    where + ": variables of layer " + i,
                    variables(differential.get(last), appRank),
                    stated.variables());
            known.add(
                    new LayerEntry(stated.size(), stated.hash(), variables(differential.get(first + i), appRank), -1));
        }
        try {
            DcpFile file = DcpFile.read(source, entry.withLayers(known));
            ofToday &= file.isOfToday();
            for (int i = 0; i < file.layers(); i++) {
                String layer = where + ": layer " + i;
                outcome.same(layer + ": digest", true, file.isWhole(i, new LaneDigester()));
                Checkpoint checkpoint = differential.get(first + i);
                int id = release == Release.V1_3 ? checkpoint.id() : idBefore(checkpoint);
                outcome.same(layer + ": checkpoint id", id, file.storedCkptId(i));
                compareLayer(layer, file, i, checkpoint, bytes, appRank);
                layers++;
            }
        } catch (FormatException e) {
            outcome.differs(where + ": " + e.finding());
        }
    }

    private int lastIndexOf(int id) {
        int index = differential.size() - 1;
        while (differential.get(index).id() != id) {
            index--;
        }
        return index;
    }

    private int idBefore(Checkpoint checkpoint) {
        int index = checkpoints.indexOf(checkpoint);
        return index == 0 ? 0 : checkpoints.get(index - 1).id();
    }

    private static List<LayerEntry.Variable> variables(Checkpoint checkpoint, int appRank) {
        return checkpoint.variables().stream()
                .map(variable -> new LayerEntry.Variable(variable.id(), variable.bytesOn(appRank)))
                .toList();
    }

    private void compareLayer(String where, DcpFile file, int layer, Checkpoint checkpoint, byte[] bytes, int appRank)
            throws FormatException {
        for (Checkpoint.Variable variable : checkpoint.variables()) {
            ByteBuffer values = variable.values(appRank);
            ByteBuffer found = ByteBuffer.allocate(values.remaining());
            for (Range range : file.variable(layer + 1, variable.id())) {
                found.put(bytes, (int) range.offset(), (int) range.length());
            }
            outcome.same(where + ": variable " + variable.id(), -1, values.mismatch(found.flip()));
            variables++;
        }
    }
}
