package io.drumlin.format.hdf5.internal;

import io.drumlin.format.hdf5.DatatypeWriter;
import io.drumlin.format.hdf5.internal.NewDataset.NewChunk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A file to be written: metadata first, then the chunks of all datasets. All locations are known before the first byte
 * is written; docs/formats/fti-hdf5.md. Immutable once it is placed.
 */
public final class NewFile {

    private static final byte[] SIGNATURE = {(byte) 0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};

    private static final int SUPERBLOCK = 96;
    private static final int HEAP_HEADER = 32;
    private static final int NODE_HEADER = 24;
    private static final int SYMBOL_NODE_HEADER = 8;
    private static final int SYMBOL = 40;

    /** Half the largest number of children of a node in the B-tree of a group. */
    private static final int GROUP_K = 16;
    /**
     * Half the largest number of chunks of a node in the B-tree of a dataset; a superblock of version 0 allows no other
     * number.
     */
    private static final int CHUNK_K = 32;

    /** A local heap has no free parts. */
    private static final long NOTHING_FREE = 1;

    private final NewGroup root;
    private final List<NewDataset> datasets = new ArrayList<>();

    /**
     * Half the largest number of symbols of a node. It is chosen so that one B-tree node is enough for the largest
     * group.
     */
    private int leafK = 4;

    private long end = SUPERBLOCK;
    private final long metadataSize;

    /** Returns the bytes with which every file begins. */
    public static byte[] signature() {
        return SIGNATURE.clone();
    }

    private NewFile(NewGroup root) {
        this.root = root;
        chooseLeafK(root);
        place(root);
        metadataSize = end;
        for (NewDataset dataset : datasets) {
            end = HeaderWriter.roundUp(dataset.place(end));
        }
    }

    /**
     * Places all parts of a file.
     *
     * @param root the root group; it must not be changed afterwards
     * @return the file
     * @throws IllegalArgumentException a group has more members than can be stored
     */
    public static NewFile of(NewGroup root) {
        return new NewFile(root);
    }

    private void chooseLeafK(NewGroup group) {
        int needed = (group.members().size() + 4 * GROUP_K - 1) / (4 * GROUP_K);
        if (needed > 0xFFFF) {
            throw new IllegalArgumentException(group.members().size() + " members are too many for a group");
        }
        leafK = Math.max(leafK, needed);
        for (NewObject member : group.members().values()) {
            if (member instanceof NewGroup child) {
                chooseLeafK(child);
            }
        }
    }

    private long take(long bytes) {
        long start = end;
        end = HeaderWriter.roundUp(end + bytes);
        return start;
    }

    private void place(NewObject object) {
        if (object instanceof NewGroup group) {
            group.header = take(HeaderWriter.size(group));
            group.tree = take(NODE_HEADER + (2 * GROUP_K + 1) * 8L + 2 * GROUP_K * 8L);
            group.heap = take(HEAP_HEADER + heapSize(group) + symbolNodes(group) * symbolNodeSize());
            group.members().values().forEach(this::place);
        } else if (object instanceof NewDatatype type) {
            type.header = take(HeaderWriter.size(type));
        } else if (object instanceof NewDataset dataset) {
            dataset.header = take(HeaderWriter.size(dataset));
            dataset.tree = dataset.isContiguous() ? HeaderWriter.UNDEFINED : take(chunkTreeSize(dataset));
            datasets.add(dataset);
        }
    }

    private static long heapSize(NewGroup group) {
        // The empty name comes first.
        return 8
                + group.members().keySet().stream()
                        .mapToLong(DatatypeWriter::padded)
                        .sum();
    }

    private int symbolNodes(NewGroup group) {
        return (group.members().size() + 2 * leafK - 1) / (2 * leafK);
    }

    private long symbolNodeSize() {
        return SYMBOL_NODE_HEADER + 2L * leafK * SYMBOL;
    }

    private static int chunkKeySize(NewDataset dataset) {
        return 8 + 8 * (dataset.dimensions().size() + 1);
    }

    private static long chunkTreeSize(NewDataset dataset) {
        return NODE_HEADER + (2L * CHUNK_K + 1) * chunkKeySize(dataset) + 2L * CHUNK_K * 8;
    }

    /**
     * Returns the size of the file.
     *
     * @return size in bytes, a multiple of 8
     */
    public long size() {
        return end;
    }

    /**
     * Returns everything in the file except elements and their checksums.
     *
     * @return the first bytes of the file
     */
    public ByteBuffer metadata() {
        ByteBuffer file = ByteBuffer.allocate(Math.toIntExact(metadataSize)).order(ByteOrder.LITTLE_ENDIAN);
        putSuperblock(file);
        put(file, root);
        return file.clear().asReadOnlyBuffer();
    }

    private void putSuperblock(ByteBuffer file) {
        file.put(SIGNATURE).putInt(0).put((byte) 0).put((byte) 8).put((byte) 8).put((byte) 0);
        file.putShort((short) leafK).putShort((short) GROUP_K).putInt(0);
        file.putLong(0).putLong(HeaderWriter.UNDEFINED).putLong(end).putLong(HeaderWriter.UNDEFINED);
        putSymbol(file, 0, root);
    }

    private void put(ByteBuffer file, NewObject object) {
        file.position(Math.toIntExact(object.header()));
        if (object instanceof NewGroup group) {
            HeaderWriter.put(file, group);
            putSymbolTable(file, group);
            group.members().values().forEach(member -> put(file, member));
        } else if (object instanceof NewDatatype type) {
            HeaderWriter.put(file, type);
        } else if (object instanceof NewDataset dataset) {
            HeaderWriter.put(file, dataset);
            if (!dataset.isContiguous()) {
                putChunkTree(file, dataset);
            }
        }
    }

    private static void putNodeHeader(ByteBuffer file, int type, int children) {
        file.put(NewGroup.bytes("TREE")).put((byte) type).put((byte) 0).putShort((short) children);
        file.putLong(HeaderWriter.UNDEFINED).putLong(HeaderWriter.UNDEFINED);
    }

    /** Writes the names to a local heap, then the members to symbol table nodes, and the B-tree of these nodes. */
    private void putSymbolTable(ByteBuffer file, NewGroup group) {
        int names = Math.toIntExact(group.heap) + HEAP_HEADER;
        long heapSize = heapSize(group);
        file.position(names - HEAP_HEADER);
        file.put(NewGroup.bytes("HEAP"))
                .putInt(0)
                .putLong(heapSize)
                .putLong(NOTHING_FREE)
                .putLong(names);

        int nodes = symbolNodes(group);
        ByteBuffer tree = file.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        tree.position(Math.toIntExact(group.tree));
        putNodeHeader(tree, 0, nodes);
        tree.putLong(0);

        long node = names + heapSize;
        int name = 8;
        int index = 0;
        int members = group.members().size();
        for (Map.Entry<String, NewObject> member : group.members().entrySet()) {
            int inNode = index % (2 * leafK);
            if (inNode == 0) {
                file.position(Math.toIntExact(node));
                file.put(NewGroup.bytes("SNOD")).put((byte) 1).put((byte) 0);
                file.putShort((short) Math.min(2 * leafK, members - index));
            }
            file.put(names + name, NewGroup.bytes(member.getKey()));
            putSymbol(file, name, member.getValue());
            index++;
            if (inNode == 2 * leafK - 1 || index == members) {
                // The key after a child is the largest name in it.
                tree.putLong(node).putLong(name);
                node += symbolNodeSize();
            }
            name += DatatypeWriter.padded(member.getKey());
        }
    }

    private static void putSymbol(ByteBuffer file, int name, NewObject object) {
        file.putLong(name).putLong(object.header());
        if (object instanceof NewGroup group) {
            file.putInt(1).putInt(0).putLong(group.tree).putLong(group.heap);
        } else {
            file.putInt(0).putInt(0).putLong(0).putLong(0);
        }
    }

    private static void putChunkTree(ByteBuffer file, NewDataset dataset) {
        file.position(Math.toIntExact(dataset.tree));
        putNodeHeader(file, 1, dataset.chunks().size());
        ChunkShape shape = dataset.shape();
        for (int i = 0; i < dataset.chunks().size(); i++) {
            NewChunk chunk = dataset.chunks().get(i);
            file.putInt((int) dataset.stored(i)).putInt(0);
            shape.start(i).forEach(file::putLong);
            file.putLong(0).putLong(chunk.offset());
        }
        // The key after the last chunk is the index of one more chunk.
        file.putInt(0).putInt(0);
        List<Long> last = shape.start(dataset.chunks().size() - 1);
        for (int i = 0; i < last.size(); i++) {
            file.putLong(last.get(i) + shape.chunk().get(i));
        }
        file.putLong(dataset.type().size());
    }
}
