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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the heads of the layers and blocks of a differential checkpoint. Not thread-safe. */
final class DcpFileReader {

    private static final int LAYER_HEAD = 8;
    private static final int VARIABLE_HEAD = 12;
    private static final int SHORT_VARIABLE_HEAD = 8;
    private static final int BLOCK_HEAD = 6;
    private static final int ID_BITS = 18;
    private static final int SHORT_INDEXES = 1 << Short.SIZE;
    private static final int MAX_ID = (1 << ID_BITS) - 1;

    private final ByteSource source;
    private final ByteBuffer head = ByteBuffer.allocate(VARIABLE_HEAD).order(ByteOrder.LITTLE_ENDIAN);
    private final List<Layer> layers = new ArrayList<>();

    /** Offset of the next byte to read. */
    private long offset;

    /** Offset after the last byte of the layer. */
    private long end;

    private long blockSize;

    /** Bytes of the head of a variable. */
    private int variableHead = VARIABLE_HEAD;

    /** The lowest bit of the index in the head of a block. */
    private int indexBit = ID_BITS;

    /** How many blocks a variable has in the first or the newest layer, where it has more; only with short heads. */
    private final Map<Integer, Long> most = new HashMap<>();

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
        int fileHead = DcpFile.fileHead(source);
        ByteBuffer file = next(fileHead, "block size");
        blockSize = Integer.toUnsignedLong(file.getInt());
        long stackSize = Integer.toUnsignedLong(file.getInt(fileHead - Integer.BYTES));
        if (blockSize == 0) {
            throw wrongAt("block size", 0, "is 0");
        }
        readBaseOfAnyRelease(entries.get(0));
        boolean isOfToday = fileHead == DcpFile.FILE_HEAD && variableHead == VARIABLE_HEAD;
        try {
            if (variableHead == SHORT_VARIABLE_HEAD) {
                indexBit = indexBit(entries);
            }
            for (int i = 1; i < entries.size(); i++) {
                begin(i, last, entries.get(i));
                readChanges(i, entries.get(i));
            }
        } catch (FormatException e) {
            if (!untilDamage) {
                throw e;
            }
        }
        return new DcpFile(source, blockSize, stackSize, isOfToday, layers);
    }

    /** Reads the first layer. Releases v1.4.1 to v1.6 have sizes of 32 bits in it; nothing says so. */
    private void readBaseOfAnyRelease(LayerEntry entry) throws IOException {
        long start = offset;
        try {
            readBase(entry);
        } catch (FormatException today) {
            offset = start;
            variableHead = SHORT_VARIABLE_HEAD;
            try {
                readBase(entry);
            } catch (FormatException e) {
                throw today;
            }
        }
    }

    /**
     * Returns where the heads of blocks have the index if variables have short heads: v1.4.1 and v1.5 have 16 bits after
     * an id of 32, v1.6 has 30 bits after 18. Either reading of the other's indexes is zero or a multiple of 2^14.
     */
    private int indexBit(List<LayerEntry> entries) throws IOException {
        Stream.concat(layers.get(0).variables().stream(), newest.stream())
                .forEach(each -> most.merge(each.id(), DcpFile.blocks(each.size(), blockSize), Math::max));
        if (entries.get(0).hash().length() == LayerEntry.LONG_HASH) {
            return Integer.SIZE;
        }
        boolean same = true;
        long start = offset;
        for (LayerEntry entry : entries.subList(1, entries.size())) {
            long last = Math.min(start + entry.size(), source.size()) - BLOCK_HEAD;
            for (long at = start + LAYER_HEAD; at <= last; at += BLOCK_HEAD + blockSize) {
                long bits = blockHead(at);
                long index = bits >>> ID_BITS;
                if ((int) bits >>> ID_BITS != 0) {
                    return ID_BITS;
                }
                if (index >= most.getOrDefault((int) bits, 0L)) {
                    return Integer.SIZE;
                }
                same &= index == 0;
            }
            start += entry.size();
        }
        if (!same) {
            throw wrong(
                    "block heads",
                    "may be of release v1.5 or v1.6 of C FTI, and name other blocks by the one than by the other");
        }
        return ID_BITS;
    }

    private long blockHead(long at) throws IOException {
        head.clear().limit(BLOCK_HEAD);
        source.readFully(at, head);
        return Integer.toUnsignedLong(head.getInt(0)) | Short.toUnsignedLong(head.getShort(4)) << Integer.SIZE;
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
        int storedCkptId = layer.getInt();
        int count = variables(entry, layer.getInt());
        Map<Integer, Long> sizes = sizes(entry);
        List<LayerEntry.Variable> variables = new ArrayList<>();
        List<Blocks> blocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long start = offset;
            ByteBuffer stored = next(variableHead, "variable id");
            int id = stored.getInt();
            long size = variableHead == VARIABLE_HEAD ? stored.getLong() : Integer.toUnsignedLong(stored.getInt());
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
        layers.add(new Layer(entry, 0, storedCkptId, known, variables, blocks));
    }

    /** Reads a later layer, which has the changed blocks, one variable after the other, in the order of the blocks. */
    private void readChanges(int number, LayerEntry entry) throws IOException {
        long start = offset;
        ByteBuffer layer = next(LAYER_HEAD, "layer " + number);
        int storedCkptId = layer.getInt();
        int count = variables(entry, layer.getInt());
        Map<Integer, Long> sizes = sizes(entry);
        List<Blocks> blocks = new ArrayList<>();
        Set<Integer> ids = new HashSet<>();
        int lastId = -1;
        long lastIndex = -1;
        while (offset < end) {
            need(BLOCK_HEAD, "block head");
            long bits = blockHead(offset);
            offset += BLOCK_HEAD;
            int id = (int) bits & (indexBit == ID_BITS ? MAX_ID : -1);
            long index = bits >>> indexBit;
            boolean follows = id == lastId ? index > lastIndex : ids.add(id);
            long size = sizes.getOrDefault(id, -1L);
            if (!follows || size < 0 || index >= bound(id, size)) {
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
        layers.add(new Layer(entry, start, storedCkptId, known, variables, blocks));
    }

    /** Returns how many blocks of a variable a layer may name. */
    private long bound(int id, long size) throws FormatException {
        if (variableHead == VARIABLE_HEAD) {
            return known ? DcpFile.blocks(size, blockSize) : Long.MAX_VALUE;
        }
        long count = known ? DcpFile.blocks(size, blockSize) : most.getOrDefault(id, 0L);
        if (indexBit == Integer.SIZE && count > SHORT_INDEXES) {
            throw wrong(
                    "block head",
                    "is of release v1.4.1 or v1.5 of C FTI, which counts no more than " + SHORT_INDEXES
                            + " blocks, and variable " + id + " has " + count);
        }
        return count;
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
