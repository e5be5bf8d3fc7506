package io.drumlin.format.hdf5;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.StoredDataset.Chunk;
import io.drumlin.format.hdf5.internal.ChunkShape;
import io.drumlin.format.hdf5.internal.Fletcher32;
import io.drumlin.format.hdf5.internal.HeaderWriter;
import io.drumlin.format.hdf5.internal.NewFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The datasets of a file in the first format of HDF5, which is the library's default up to its release 1.14;
 * docs/formats/fti-hdf5.md. Immutable.
 *
 * <p>It reads elements of contiguous datasets, and of datasets in chunks in the order of the elements, with no filter
 * except Fletcher-32. No number in a file determines the amount of memory.
 */
public final class Hdf5File {

    private static final byte[] SIGNATURE = NewFile.signature();

    private static final int MOST_DIMENSIONS = 32;
    /** Largest depth of nested groups; C FTI has no more groups in all. */
    private static final int MOST_DEPTH = 256;
    /** Largest length in characters of a name with the names of its groups; C FTI's buffers have 256 bytes. */
    private static final int MOST_CHARACTERS = 4096;

    /** The smallest; a larger one is a power of two. */
    private static final int LEAST_USER_BLOCK = 512;

    private static final int NODE_HEADER = 24;
    private static final int SYMBOL = 40;
    private static final int SOFT_LINK = 2;
    private static final int NO_ELEMENTS = 2;
    private static final int WINDOW = 1 << 20;

    private final ByteSource file;
    private final ByteSource structures;
    private final Map<String, StoredDataset> datasets = new LinkedHashMap<>();

    /** Named datatypes by their addresses. */
    private final Map<Long, Datatype> namedTypes = new HashMap<>();

    /** Size in bytes of all chunks so far. */
    private long stored;

    /** Addresses of visited groups and nodes; none occurs twice in a tree. */
    private final Set<Long> visited = new HashSet<>();

    private Hdf5File(ByteSource file) throws IOException {
        this.file = file;
        structures = new StructureSource(file);
        long start = userBlock(file);
        if (start > 0) {
            throw Window.unsupported("superblock", start, "the file begins with a user block of so many bytes");
        }
        Window superblock = Window.of(structures, "superblock", 0, 9);
        superblock.expect("signature", SIGNATURE);
        int version = superblock.u8("version of the superblock");
        if (version > 1) {
            NewerSuperblock.requireWhole(structures, version);
            throw Window.unsupported(
                    "version of the superblock",
                    8,
                    "is " + version + ": the file is in a newer format of HDF5 than 0 and 1");
        }
        readSuperblock(version == 0 ? 0 : 4);
    }

    /**
     * Returns whether bytes begin like an HDF5 file, of any version.
     *
     * @param file the bytes
     * @return also false if there are too few bytes
     * @throws IOException they cannot be read
     */
    public static boolean isRecognised(ByteSource file) throws IOException {
        ByteBuffer start = ByteBuffer.allocate(SIGNATURE.length);
        if (file.size() < start.capacity()) {
            return false;
        }
        file.readFully(0, start);
        return Arrays.equals(start.array(), SIGNATURE);
    }

    /**
     * Returns how long the block of the user is with which a file begins.
     *
     * @param file the bytes
     * @return 0 if there is none, or this is no HDF5 file
     * @throws IOException they cannot be read
     */
    public static long userBlock(ByteSource file) throws IOException {
        ByteBuffer start = ByteBuffer.allocate(SIGNATURE.length);
        for (long at = 0; at <= file.size() - start.capacity(); at = at == 0 ? LEAST_USER_BLOCK : 2 * at) {
            file.readFully(at, start.clear());
            if (Arrays.equals(start.array(), SIGNATURE)) {
                return at;
            }
        }
        return 0;
    }

    /**
     * Reads the structure of a file, but not the elements.
     *
     * @param file the whole file
     * @return its datasets
     * @throws FormatException the file is not an HDF5 file of this kind, or is damaged
     * @throws IOException it cannot be read
     */
    public static Hdf5File read(ByteSource file) throws IOException {
        return new Hdf5File(file);
    }

    private void readSuperblock(int more) throws IOException {
        Window block = Window.of(structures, "superblock", 0, 96 + more);
        block.skip("superblock", 13);
        int offsets = block.u8("size of offsets");
        int lengths = block.u8("size of lengths");
        if (offsets != Long.BYTES || lengths != Long.BYTES) {
            throw Window.unsupported("sizes of offsets and lengths", 13, "are " + offsets + " and " + lengths);
        }
        block.skip("superblock", 9 + more);
        long base = block.u64("base address");
        block.address("free-space address");
        long end = block.u64("end of file address");
        if (base != 0 || end > file.size()) {
            throw Window.wrong(
                    "end of file address",
                    40,
                    "is " + end + ", and the file has " + file.size() + " bytes from " + base);
        }
        block.address("driver information address");
        block.u64("name of the root group");
        readGroup("", ObjectHeader.read(structures, block.u64("address of the root group")));
    }

    private void visit(String what, long address) throws FormatException {
        if (!visited.add(address)) {
            throw Window.wrong(what, address, "it was there before");
        }
    }

    private void readGroup(String path, ObjectHeader header) throws IOException {
        if (path.chars().filter(each -> each == '/').count() > MOST_DEPTH) {
            throw Window.wrong("group", 0, "there are more than " + MOST_DEPTH + " groups within groups");
        }
        header.requireNoLinks(path);
        Window table = header.need(HeaderWriter.SYMBOL_TABLE, "symbol table of group " + path + "/");
        long tree = table.u64("address of the B-tree");
        Window heap = Window.of(structures, "local heap", table.u64("address of the local heap"), 32);
        heap.expect("signature of the local heap", (byte) 'H', (byte) 'E', (byte) 'A', (byte) 'P', (byte) 0);
        long size = heap.skip("local heap", 3).u64("size of the local heap");
        heap.address("free part of the local heap");
        Window names = Window.of(structures, "names in a group", heap.u64("address of names"), size);
        for (long node : leaves(tree)) {
            readSymbols(path, node, names);
        }
    }

    /** Returns the addresses of the symbol table nodes of a group. */
    private List<Long> leaves(long tree) throws IOException {
        List<Long> nodes = List.of(tree);
        for (int level = level(tree); level >= 0; level--) {
            List<Long> children = new ArrayList<>();
            for (long address : nodes) {
                Window node = node(address, 0, level, 8);
                while (node.remaining() > 8) {
                    children.add(node.skip("B-tree key", 8).u64("B-tree child"));
                }
            }
            nodes = children;
        }
        return nodes;
    }

    /** Reads the keys and children of a node. */
    private Window node(long address, int type, int level, int keySize) throws IOException {
        visit("B-tree node", address);
        Window header = Window.of(structures, "B-tree node", address, NODE_HEADER);
        header.expect("signature of the B-tree", (byte) 'T', (byte) 'R', (byte) 'E', (byte) 'E', (byte) type);
        header.expect("level of the node", (byte) level);
        int children = header.u16("children of the node");
        return Window.of(structures, "B-tree node", address + NODE_HEADER, children * (keySize + 8L) + keySize);
    }

    private int level(long address) throws IOException {
        return Window.of(structures, "B-tree node", address + 5, 1).u8("level of the node");
    }

    private void readSymbols(String path, long address, Window names) throws IOException {
        visit("symbol table node", address);
        Window header = Window.of(structures, "symbol table node", address, 8);
        header.expect("signature of the symbol table node", (byte) 'S', (byte) 'N', (byte) 'O', (byte) 'D', (byte) 1);
        int count = header.skip("symbol table node", 1).u16("number of symbols");
        Window symbols = Window.of(structures, "symbol table node", address + 8, (long) count * SYMBOL);
        for (int i = 0; i < count; i++) {
            Window symbol = symbols.part("symbol", SYMBOL);
            String name = path + "/" + names.text("name in a group", symbol.u64("name in a group"));
            if (name.length() > MOST_CHARACTERS) {
                throw Window.wrong("name in a group", address, "there are " + name.length() + " characters in a path");
            }
            long object = symbol.address("address of " + name);
            if (object == HeaderWriter.UNDEFINED && symbol.u32("kind of " + name) == SOFT_LINK) {
                continue; // As by the library, links are not followed.
            }
            readObject(name, object);
        }
    }

    private void readObject(String path, long address) throws IOException {
        if (!visited.add(address)) {
            throw Window.otherKind("object header", address, "of " + path + " was there before, under another name");
        }
        ObjectHeader header = ObjectHeader.read(structures, address);
        if (header.find(HeaderWriter.SYMBOL_TABLE).isPresent()) {
            readGroup(path, header);
        } else if (header.find(HeaderWriter.LAYOUT).isEmpty()) {
            header.requireNoLinks(path);
        } else {
            datasets.put(path, readDataset(path, header));
        }
    }

    private StoredDataset readDataset(String path, ObjectHeader header) throws IOException {
        if (header.find(HeaderWriter.EXTERNAL_FILES).isPresent()) {
            throw Window.otherKind("elements of " + path, 0, "they are in other files");
        }
        List<Long> dimensions = dimensions(header.need(HeaderWriter.DATASPACE, "dataspace of " + path));
        Window message = header.need(HeaderWriter.DATATYPE, "datatype of " + path);
        Datatype type = header.isShared(HeaderWriter.DATATYPE) ? named(message) : DatatypeReader.read(message);
        boolean checksums = checksums(path, header);
        Window layout = header.need(HeaderWriter.LAYOUT, "layout of " + path);
        long at = layout.offset();
        int version = layout.u8("version of the layout");
        if (version != 3) {
            throw Window.unsupported("version of the layout", at, "of " + path + " is " + version);
        }
        StoredDataset empty = new StoredDataset(path, dimensions, type, List.of());
        long bytes;
        try {
            bytes = empty.bytes();
        } catch (ArithmeticException e) {
            throw Window.wrong("dataspace of " + path, at, "it has the dimensions " + dimensions);
        }
        int layoutClass = layout.u8("class of the layout");
        if (layoutClass == HeaderWriter.CONTIGUOUS) {
            return contiguous(empty, layout, bytes);
        }
        if (layoutClass != HeaderWriter.CHUNKED) {
            throw Window.unsupported("class of the layout", at, "of " + path + " is " + layoutClass);
        }
        return chunked(empty, layout, bytes, checksums);
    }

    private Datatype named(Window shared) throws IOException {
        int version = shared.u8("version of a shared message");
        shared.skip("shared message", version == 1 ? 7 : 1);
        long address = shared.u64("address of a shared message");
        @Nullable Datatype known = namedTypes.get(address);
        if (known == null) {
            known = DatatypeReader.read(
                    ObjectHeader.read(structures, address).need(HeaderWriter.DATATYPE, "named datatype"));
            namedTypes.put(address, known);
        }
        return known;
    }

    private static List<Long> dimensions(Window dataspace) throws FormatException {
        int version = dataspace.u8("version of the dataspace");
        int rank = dataspace.u8("rank");
        if (version < 1 || version > 2 || rank > MOST_DIMENSIONS) {
            throw Window.wrong("dataspace", dataspace.offset() - 2, "version " + version + ", rank " + rank);
        }
        int kind = dataspace.skip("dataspace", 1).u8("kind of the dataspace");
        if (version == 2 && kind == NO_ELEMENTS) {
            return List.of(0L);
        }
        dataspace.skip("dataspace", version == 1 ? 4 : 0);
        List<Long> dimensions = new ArrayList<>();
        for (int i = 0; i < rank; i++) {
            dimensions.add(dataspace.u64("dimension"));
        }
        return dimensions;
    }

    /** Returns whether there is a Fletcher-32 filter, which is the only one allowed. */
    private static boolean checksums(String path, ObjectHeader header) throws FormatException {
        Optional<Window> found = header.find(HeaderWriter.FILTERS);
        if (found.isEmpty()) {
            return false;
        }
        Window filters = found.get();
        int version = filters.u8("version of the filters");
        int count = filters.u8("number of filters");
        filters.skip("filters", version == 1 ? 6 : 0);
        for (int i = 0; i < count; i++) {
            int filter = filters.u16("filter");
            if (filter != HeaderWriter.FLETCHER32 || count > 1) {
                throw Window.unsupported(
                        "filter", filters.offset() - 2, "of " + path + " is " + filter + ", one of " + count);
            }
        }
        return count == 1;
    }

    private StoredDataset contiguous(StoredDataset empty, Window layout, long bytes) throws IOException {
        long address = layout.address("address of elements");
        if (bytes == 0 || address == HeaderWriter.UNDEFINED) {
            return empty;
        }
        return with(empty, List.of(inFile(empty.path(), new Chunk(0, address, bytes, 0))));
    }

    private static StoredDataset with(StoredDataset empty, List<Chunk> chunks) {
        return new StoredDataset(empty.path(), empty.dimensions(), empty.type(), chunks);
    }

    /** Checks that a chunk is within the file and overlaps no other. */
    private Chunk inFile(String path, Chunk chunk) throws FormatException {
        long bytes = Math.max(chunk.length(), chunk.stored() == 0 ? 0 : chunk.stored() + Integer.BYTES);
        if (chunk.offset() < 0 || bytes < 0 || chunk.offset() > file.size() - bytes) {
            throw Window.wrong(
                    "elements of " + path,
                    chunk.offset(),
                    bytes + " bytes from there are not within the " + file.size() + " of the file");
        }
        stored += bytes;
        if (stored > file.size()) {
            throw Window.wrong("elements of " + path, chunk.offset(), "there are others at the same place");
        }
        return chunk;
    }

    private StoredDataset chunked(StoredDataset empty, Window layout, long bytes, boolean checksums)
            throws IOException {
        int rank = empty.dimensions().size();
        long at = layout.offset();
        int stored = layout.u8("rank of the chunks");
        long tree = layout.address("address of the B-tree");
        List<Long> along = new ArrayList<>();
        for (int i = 0; i < rank && stored == rank + 1; i++) {
            along.add(layout.u32("dimension of a chunk"));
        }
        ChunkShape shape = new ChunkShape(empty.dimensions(), along, empty.elementSize());
        String problem = "of " + empty.path() + " are " + along + " of " + empty.dimensions();
        if (along.size() < Math.max(rank, 1) || along.contains(0L)) {
            throw Window.wrong("dimensions of chunks", at, problem);
        }
        if (!shape.isInOrder()) {
            throw Window.unsupported(
                    "dimensions of chunks", at, problem + ", which do not leave the elements in their order");
        }
        if (bytes == 0 || tree == HeaderWriter.UNDEFINED) {
            return empty;
        }
        TreeMap<Long, Chunk> chunks = new TreeMap<>();
        readChunks(tree, level(tree), shape, checksums, chunks, empty.path());
        requireAll(empty.path(), chunks, bytes, at);
        return with(empty, List.copyOf(chunks.values()));
    }

    private void readChunks(
            long address, int level, ChunkShape shape, boolean checksums, SortedMap<Long, Chunk> chunks, String path)
            throws IOException {
        int rank = shape.chunk().size();
        int keySize = 8 + 8 * (rank + 1);
        Window node = node(address, 1, level, keySize);
        while (node.remaining() > keySize) {
            long stored = node.u32("size of a chunk");
            long mask = node.u32("filters of a chunk");
            List<Long> start = new ArrayList<>();
            for (int i = 0; i < rank; i++) {
                start.add(node.u64("start of a chunk"));
            }
            long child = node.skip("start of a chunk", 8).u64("address of a chunk");
            if (level > 0) {
                readChunks(child, level - 1, shape, checksums, chunks, path);
            } else {
                Chunk chunk = chunk(path, shape, start, child, checksums && mask == 0, stored);
                chunks.put(chunk.from(), chunk);
            }
        }
    }

    private Chunk chunk(String path, ChunkShape shape, List<Long> start, long offset, boolean checksum, long stored)
            throws FormatException {
        long bytes;
        try {
            bytes = shape.bytes();
        } catch (ArithmeticException e) {
            throw Window.wrong("dimensions of chunks", offset, "of " + path + " are " + shape.chunk());
        }
        boolean inside = true;
        for (int i = 0; i < start.size(); i++) {
            inside &= start.get(i) < shape.dimensions().get(i)
                    && start.get(i) % shape.chunk().get(i) == 0;
        }
        if (!inside || stored != bytes + (checksum ? Integer.BYTES : 0)) {
            throw Window.wrong(
                    "chunk of " + path, offset, "it begins at element " + start + " and has " + stored + " bytes");
        }
        return inFile(path, new Chunk(shape.from(start), offset, shape.length(start), checksum ? bytes : 0));
    }

    private static void requireAll(String path, SortedMap<Long, Chunk> chunks, long bytes, long at)
            throws FormatException {
        long end = 0;
        for (Chunk chunk : chunks.values()) {
            if (chunk.from() != end) {
                break;
            }
            end += chunk.length();
        }
        if (end != bytes) {
            throw Window.otherKind("chunks of " + path, at, "they hold the first " + end + " of " + bytes + " bytes");
        }
    }

    /**
     * Returns the dataset of a path.
     *
     * @param path names from the root on, each with a slash before it
     * @return empty if there is none
     */
    public Optional<StoredDataset> dataset(String path) {
        return Optional.ofNullable(datasets.get(path));
    }

    /**
     * Returns all datasets.
     *
     * @return datasets in the order of the file's symbol tables
     */
    public List<StoredDataset> datasets() {
        return List.copyOf(datasets.values());
    }

    /**
     * Reads all elements that have a checksum and verifies it.
     *
     * @throws FormatException a checksum is wrong
     * @throws IOException the file cannot be read
     */
    public void verify() throws IOException {
        ByteBuffer window = ByteBuffer.allocate((int) Math.min(file.size(), WINDOW));
        for (StoredDataset dataset : datasets.values()) {
            for (Chunk chunk : dataset.chunks()) {
                if (chunk.stored() > 0) {
                    verify(dataset.path(), chunk, window);
                }
            }
        }
    }

    private void verify(String path, Chunk chunk, ByteBuffer window) throws IOException {
        Fletcher32 sum = new Fletcher32();
        long end = chunk.offset() + chunk.stored();
        for (long offset = chunk.offset(); offset < end; offset += window.capacity()) {
            file.readFully(offset, window.clear().limit((int) Math.min(window.capacity(), end - offset)));
            sum.update(window.flip());
        }
        ByteBuffer stored = window.clear().limit(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.readFully(end, stored);
        if (stored.getInt(0) != sum.value()) {
            throw Window.wrong(
                    "checksum of " + path,
                    end,
                    String.format(Locale.ROOT, "is %08x, and the elements give %08x", stored.getInt(0), sum.value()));
        }
    }

    /**
     * A file of which everything except the elements is read. No byte belongs to two structures. So a reader that reads
     * twice as many bytes as there are follows addresses that were made to keep it busy.
     */
    private static final class StructureSource implements ByteSource {

        private final ByteSource file;
        private long read;

        StructureSource(ByteSource file) {
            this.file = file;
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void readFully(long offset, ByteBuffer target) throws IOException {
            read += target.remaining();
            if (read > 2 * file.size()) {
                throw Window.wrong("address", offset, "the structures of the file lie over each other");
            }
            file.readFully(offset, target);
        }
    }
}
