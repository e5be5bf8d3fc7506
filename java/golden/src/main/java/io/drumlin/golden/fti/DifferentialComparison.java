package io.drumlin.golden.fti;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.RangeDigester;
import io.drumlin.format.RangeDigester.Range;
import io.drumlin.format.fti.DcpFile;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.LayerEntry;
import io.drumlin.golden.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Compares a differential checkpoint, as it is after each of its layers, with the checkpoints that wrote them. */
final class DifferentialComparison {

    private final List<Checkpoint> checkpoints;
    private final Outcome outcome;
    private int layers;
    private int variables;

    /**
     * Nothing compared yet.
     *
     * @param checkpoints the differential checkpoints, in order
     */
    DifferentialComparison(List<Checkpoint> checkpoints, Outcome outcome) {
        this.checkpoints = checkpoints;
        this.outcome = outcome;
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
     */
    void compare(String where, FileEntry entry, byte[] bytes, int newest, int appRank) throws IOException {
        ByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
        outcome.same(where + ": size", entry.size(), source.size());
        try {
            DcpFile file = DcpFile.read(source, entry);
            int last = lastIndexOf(newest);
            int first = last - file.layers() + 1;
            for (int i = 0; i < file.layers(); i++) {
                String layer = where + ": layer " + i;
                outcome.same(layer + ": digest", true, file.isWhole(i, RangeDigester.sequential()));
                int before = first + i == 0 ? 0 : checkpoints.get(first + i - 1).id();
                outcome.same(layer + ": checkpoint id", before, file.previousCkptId(i));
                compareLayer(layer, file, entry.layers().get(i), i, checkpoints.get(first + i), bytes, appRank);
                layers++;
            }
        } catch (FormatException e) {
            outcome.differs(where + ": " + e.finding());
        }
    }

    private int lastIndexOf(int id) {
        int index = checkpoints.size() - 1;
        while (checkpoints.get(index).id() != id) {
            index--;
        }
        return index;
    }

    private void compareLayer(
            String where, DcpFile file, LayerEntry entry, int layer, Checkpoint checkpoint, byte[] bytes, int appRank)
            throws FormatException {
        List<LayerEntry.Variable> expected = checkpoint.variables().stream()
                .map(variable -> new LayerEntry.Variable(variable.id(), variable.bytesOn(appRank)))
                .toList();
        outcome.same(where + ": variables", expected, entry.variables());
        for (int i = 0; i < expected.size(); i++) {
            ByteBuffer values = checkpoint.variables().get(i).values(appRank);
            ByteBuffer found = ByteBuffer.allocate(values.remaining());
            for (Range range : file.variable(layer + 1, expected.get(i).id())) {
                found.put(bytes, (int) range.offset(), (int) range.length());
            }
            outcome.same(where + ": variable " + expected.get(i).id(), -1, values.mismatch(found.flip()));
            variables++;
        }
    }
}
