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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** Offset of the next byte to read. */
    private long offset;

    /** Offset after the last byte of the layer. */
    private long end;

    private long blockSize;

    /** The variables of the last layer of the metadata. */
    private List<LayerEntry.Variable> newest = List.of();

    /** Whether the metadata describe the variables at the time when the layer was written. */
    private boolean known;

    DcpFileReader(ByteSource source) {
        this.source = source;
    }

    /**
     * Reads the heads.
     *
     * @param untilDamage whether to leave out the first invalid layer and those after it; the very first layer is
     *     always needed
     */
    DcpFile read(List<LayerEntry> entries, boolean untilDamage) throws IOException {
        if (entries.isEmpty()) {
            throw wrong("layer 0", "the metadata have no layer");
        }
        int last = entries.size() - 1;
        newest = entries.get(last).variables();
        begin(0, last, entries.get(0));
        ByteBuffer file = next(FILE_HEAD, "block size");
        blockSize = Integer.toUnsignedLong(file.getInt());
        long stackSize = Integer.toUnsignedLong(file.getInt());
        if (blockSize == 0) {
            throw wrongAt("block size", 0, "is 0");
        }
        readBase(entries.get(0));
        try {
            for (int i = 1; i < entries.size(); i++) {
                begin(i, last, entries.get(i));
                readChanges(i, entries.get(i));
            }
        } catch (FormatException e) {
            if (!untilDamage) {
                throw e;
            }
        }
        return new DcpFile(source, blockSize, stackSize, layers);
    }

    private void begin(int layer, int last, LayerEntry entry) throws FormatException {
        // C FTI describes the variables of the last layer in all layers.
        known = layer == last || !entry.variables().equals(newest);
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

    private static Map<Integer, Long> sizes(LayerEntry entry) {
        return entry.variables().stream()
                .collect(Collectors.toMap(LayerEntry.Variable::id, LayerEntry.Variable::size, (first, last) -> last));
    }

    /** Returns the number of variables in a layer, out of those of the metadata. */
    private int variables(LayerEntry entry, int found) throws FormatException {
        int stated = entry.variables().size();
        if (known || found < 0 || found > stated) {
            same("number of variables", stated, found, offset - 4);
        }
        return found;
    }

    /** Reads the first layer, which has each variable completely. */
    private void readBase(LayerEntry entry) throws IOException {
        ByteBuffer layer = next(LAYER_HEAD, "layer 0");
        int previousCkptId = layer.getInt();
        int count = variables(entry, layer.getInt());
        Map<Integer, Long> sizes = sizes(entry);
        List<LayerEntry.Variable> variables = new ArrayList<>();
        List<Blocks> blocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long start = offset;
            ByteBuffer stored = next(VARIABLE_HEAD, "variable id");
            int id = stored.getInt();
            long size = stored.getLong();
            Long stated = sizes.remove(id);
            if (stated == null) {
                throw wrongAt("variable id", start, "is " + id + ", which the metadata have not, or is there again");
            }
            if (known) {
                same("variable size", stated, size, start + 4);
            }
            long needed = DcpFile.blocks(size, blockSize);
            if (size < 0 || needed > (end - offset) / blockSize) {
                throw wrongAt("variable size", start + 4, "is " + size + ", which is not within the layer to " + end);
            }
            variables.add(new LayerEntry.Variable(id, size));
            blocks.add(new Blocks(id, 0, needed, offset));
            offset += needed * blockSize;
        }
        if (offset != end) {
            throw wrong("layer 0", "ends here, but at " + end + " by the metadata");
        }
        layers.add(new Layer(entry, 0, previousCkptId, known, variables, blocks));
    }

    /** Reads a later layer, which has the changed blocks, one variable after the other, in the order of the blocks. */
    private void readChanges(int number, LayerEntry entry) throws IOException {
        long start = offset;
        ByteBuffer layer = next(LAYER_HEAD, "layer " + number);
        int previousCkptId = layer.getInt();
        int count = variables(entry, layer.getInt());
        Map<Integer, Long> sizes = sizes(entry);
        List<Blocks> blocks = new ArrayList<>();
        Set<Integer> ids = new HashSet<>();
        int lastId = -1;
        long lastIndex = -1;
        while (offset < end) {
            ByteBuffer stored = next(BLOCK_HEAD, "block head");
            long low = Integer.toUnsignedLong(stored.getInt());
            long bits = low | Short.toUnsignedLong(stored.getShort()) << Integer.SIZE;
            int id = (int) (bits & MAX_ID);
            long index = bits >>> ID_BITS;
            boolean follows = id == lastId ? index > lastIndex : ids.add(id);
            long size = sizes.getOrDefault(id, -1L);
            if (!follows || size < 0 || (known && index >= DcpFile.blocks(size, blockSize))) {
                throw wrongAt(
                        "block head",
                        offset - BLOCK_HEAD,
                        "names block " + index + " of variable " + id + ", which "
                                + (follows ? "the variables of layer " + number + " do not have" : "is out of order"));
            }
            need(blockSize, "block");
            blocks.add(new Blocks(id, index, 1, offset));
            offset += blockSize;
            lastId = id;
            lastIndex = index;
        }
        // Variables are never removed.
        List<LayerEntry.Variable> variables = entry.variables().subList(0, count);
        layers.add(new Layer(entry, start, previousCkptId, known, variables, blocks));
    }

    private static void same(String field, long expected, long found, long at) throws FormatException {
        if (expected != found) {
            throw wrongAt(field, at, "is " + found + ", but " + expected + " by the metadata");
        }
    }

    private FormatException wrong(String field, String problem) {
        return wrongAt(field, offset, problem);
    }

    private static FormatException wrongAt(String field, long at, String problem) {
        return new FormatException(DcpFile.FORMAT, new Finding(field, at, problem));
    }
}
