package io.drumlin.format.fti;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.fti.DcpFile.Blocks;
import io.drumlin.format.fti.DcpFile.Layer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads the heads of the layers and blocks of a differential checkpoint. Not thread-safe. */
final class DcpFileReader {

    private static final int FILE_HEAD = 8;
    private static final int LAYER_HEAD = 8;
    private static final int VARIABLE_HEAD = 12;
    private static final int BLOCK_HEAD = 6;
    private static final int ID_BITS = 18;
    private static final int MAX_ID = (1 << ID_BITS) - 1;

    private final ByteSource source;
    private final ByteBuffer head = ByteBuffer.allocate(VARIABLE_HEAD).order(ByteOrder.LITTLE_ENDIAN);
    private final List<Layer> layers = new ArrayList<>();

    /** Of the next byte to be read. */
    private long offset;

    /** Of the byte behind the layer. */
    private long end;

    private long blockSize;

    DcpFileReader(ByteSource source) {
        this.source = source;
    }

    DcpFile read(List<LayerEntry> entries) throws IOException {
        if (entries.isEmpty()) {
            throw wrong("layer 0", "the metadata have no layer");
        }
        begin(0, entries.get(0));
        ByteBuffer file = next(FILE_HEAD, "block size");
        blockSize = Integer.toUnsignedLong(file.getInt());
        long stackSize = Integer.toUnsignedLong(file.getInt());
        if (blockSize == 0) {
            throw new FormatException(DcpFile.FORMAT, new Finding("block size", 0, "is 0"));
        }
        readBase(entries.get(0));
        for (int i = 1; i < entries.size(); i++) {
            begin(i, entries.get(i));
            readChanges(i, entries.get(i));
        }
        return new DcpFile(source, blockSize, stackSize, layers);
    }

    private void begin(int layer, LayerEntry entry) throws FormatException {
        if (entry.size() > source.size() - offset) {
            throw wrong(
                    "layer " + layer,
                    "has " + entry.size() + " bytes by the metadata, which are not within the " + source.size()
                            + " of the file");
        }
        end = offset + entry.size();
    }

    private ByteBuffer next(int length, String field) throws IOException {
        need(length, field);
        head.clear().limit(length);
        source.readFully(offset, head);
        offset += length;
        return head.flip();
    }

    private void need(long length, String field) throws FormatException {
        if (length > end - offset) {
            throw wrong(field, "does not end within its layer, which ends at " + end);
        }
    }

    /** The first layer, with all of each variable. */
    private void readBase(LayerEntry entry) throws IOException {
        ByteBuffer layer = next(LAYER_HEAD, "layer 0");
        int previousCkptId = layer.getInt();
        same("number of variables", entry.variables().size(), layer.getInt(), offset - 4);
        List<Blocks> blocks = new ArrayList<>();
        for (LayerEntry.Variable variable : entry.variables()) {
            ByteBuffer stored = next(VARIABLE_HEAD, "variable " + variable.id());
            same("variable id", variable.id(), stored.getInt(), offset - VARIABLE_HEAD);
            same("variable size", variable.size(), stored.getLong(), offset - VARIABLE_HEAD + 4);
            long count = DcpFile.blocks(variable.size(), blockSize);
            if (count > (end - offset) / blockSize) {
                throw wrong("variable " + variable.id(), "does not end within its layer, which ends at " + end);
            }
            blocks.add(new Blocks(variable.id(), 0, count, offset));
            offset += count * blockSize;
        }
        if (offset != end) {
            throw wrong("layer 0", "ends here, but at " + end + " by the metadata");
        }
        layers.add(new Layer(entry, 0, previousCkptId, blocks));
    }

    /** A later layer, with the changed blocks. */
    private void readChanges(int number, LayerEntry entry) throws IOException {
        long start = offset;
        Map<Integer, Long> sizes = entry.variables().stream()
                .collect(Collectors.toMap(LayerEntry.Variable::id, LayerEntry.Variable::size, (first, last) -> last));
        ByteBuffer layer = next(LAYER_HEAD, "layer " + number);
        int previousCkptId = layer.getInt();
        same("number of variables", entry.variables().size(), layer.getInt(), offset - 4);
        List<Blocks> blocks = new ArrayList<>();
        while (offset < end) {
            ByteBuffer stored = next(BLOCK_HEAD, "block head");
            long low = Integer.toUnsignedLong(stored.getInt());
            long bits = low | Short.toUnsignedLong(stored.getShort()) << Integer.SIZE;
            int id = (int) (bits & MAX_ID);
            long index = bits >>> ID_BITS;
            if (index >= DcpFile.blocks(sizes.getOrDefault(id, 0L), blockSize)) {
                throw new FormatException(
                        DcpFile.FORMAT,
                        new Finding(
                                "block head",
                                offset - BLOCK_HEAD,
                                "names block " + index + " of variable " + id + ", which the variables of layer "
                                        + number + " do not have"));
            }
            need(blockSize, "block");
            blocks.add(new Blocks(id, index, 1, offset));
            offset += blockSize;
        }
        layers.add(new Layer(entry, start, previousCkptId, blocks));
    }

    private static void same(String field, long expected, long found, long at) throws FormatException {
        if (expected != found) {
            throw new FormatException(
                    DcpFile.FORMAT, new Finding(field, at, "is " + found + ", but " + expected + " by the metadata"));
        }
    }

    private FormatException wrong(String field, String problem) {
        return new FormatException(DcpFile.FORMAT, new Finding(field, offset, problem));
    }
}
