package io.drumlin.format.fti;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.internal.RangeDigester;
import io.drumlin.format.internal.RangeDigester.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Locates the blocks of a rank's differential checkpoint; docs/formats/fti-posix.md, section 5. Immutable; the data
 * stay in the source.
 */
public final class DcpFile {

    /** The format's name in messages. */
    public static final String FORMAT = "FTI differential checkpoint";

    /** Bytes before the first layer's head; see {@link #fileHead}. */
    static final int FILE_HEAD = 8;

    private static final HexFormat HEX = HexFormat.of();

    /** Number of blocks that are digested side by side. */
    private static final int BATCH = 1024;

    private final ByteSource source;
    private final long blockSize;
    private final long stackSize;
    private final boolean isOfToday;
    private final List<Layer> layers;

    DcpFile(ByteSource source, long blockSize, long stackSize, boolean isOfToday, List<Layer> layers) {
        this.source = source;
        this.blockSize = blockSize;
        this.stackSize = stackSize;
        this.isOfToday = isOfToday;
        this.layers = List.copyOf(layers);
    }

    /**
     * Blocks of a variable that follow each other in the file.
     *
     * @param id id of the variable
     * @param first index of the first block in the variable
     * @param count number of blocks
     * @param offset offset of the first block in the file
     */
    record Blocks(int id, long first, long count, long offset) {}

    /**
     * A layer.
     *
     * @param entry its description in the metadata
     * @param offset its offset in the file
     * @param storedCkptId the id in its head; see {@link DcpFile#storedCkptId(int)}
     * @param known whether the metadata describe the variables at the time when it was written
     * @param variables the variables at the time when it was written, as far as they are known
     * @param blocks its blocks in the order in which they were written
     */
    record Layer(
            LayerEntry entry,
            long offset,
            int storedCkptId,
            boolean known,
            List<LayerEntry.Variable> variables,
            List<Blocks> blocks) {}

    /**
     * Reads the heads of layers and blocks.
     *
     * @param source the file; it may have more bytes than the metadata describe, left by an incomplete checkpoint
     * @param entry its description in the metadata
     * @return the locations of the blocks
     * @throws FormatException a number in the file is invalid or contradicts the metadata
     * @throws IOException the source cannot be read
     */
    public static DcpFile read(ByteSource source, FileEntry entry) throws IOException {
        return new DcpFileReader(source).read(entry.layers(), false);
    }

    /**
     * Reads the intact part of the file. It ends before the first layer that does not have the digest of the metadata,
     * is incomplete, or does not give the variables as they were then.
     *
     * @param source the file
     * @param entry its description in the metadata
     * @param digester computes the digests of the blocks
     * @return at least one layer, perhaps fewer than the metadata have
     * @throws FormatException the first layer is damaged
     * @throws IOException the source cannot be read
     */
    public static DcpFile readWhole(ByteSource source, FileEntry entry, RangeDigester digester) throws IOException {
        DcpFile read = new DcpFileReader(source).read(entry.layers(), true);
        int whole = 0;
        while (whole < read.layers() && read.isWhole(whole, digester)) {
            whole++;
        }
        while (whole > 1 && !read.isComplete(whole)) {
            whole--;
        }
        if (whole == 0) {
            throw new FormatException(FORMAT, new Finding("layer 0", 0, "has not the digest of the metadata"));
        }
        return read.first(whole);
    }

    /**
     * Returns this file with fewer layers.
     *
     * @param count 1 or more, at most {@link #layers}
     * @return the file as it was after that many layers
     */
    public DcpFile first(int count) {
        return new DcpFile(source, blockSize, stackSize, isOfToday, layers.subList(0, count));
    }

    /** Returns whether the first {@code count} layers contain all blocks of all variables. */
    private boolean isComplete(int count) {
        try {
            for (LayerEntry.Variable variable : variables(count)) {
                variable(count, variable.id());
            }
            return true;
        } catch (FormatException e) {
            return false;
        }
    }

    /**
     * Returns the variables after some of the layers. If C FTI has written the metadata, the sizes of a variable
     * between the first layer and the newest are unknown, and the newest size stands for them.
     *
     * @param count number of layers, 1 or more
     * @return variables in the order of the metadata
     */
    public List<LayerEntry.Variable> variables(int count) {
        if (count > 1) {
            return layers.get(count - 1).variables();
        }
        Map<Integer, LayerEntry.Variable> base = layers.get(0).variables().stream()
                .collect(Collectors.toMap(LayerEntry.Variable::id, variable -> variable));
        return layers.get(0).entry().variables().stream()
                .flatMap(variable -> Stream.ofNullable(base.get(variable.id())))
                .toList();
    }

    /**
     * Returns the layers for the metadata of a file that continues this one.
     *
     * @return the layers, without variables where they are unknown
     */
    public List<LayerEntry> entries() {
        List<LayerEntry> entries = new ArrayList<>();
        for (Layer layer : layers) {
            LayerEntry entry = layer.entry();
            List<LayerEntry.Variable> otherwise = entries.isEmpty() ? variables(1) : List.of();
            List<LayerEntry.Variable> known = layer.known() ? entry.variables() : otherwise;
            entries.add(new LayerEntry(entry.size(), entry.hash(), known, entry.ckptId()));
        }
        return entries;
    }

    /**
     * Returns the number of bytes of the layers.
     *
     * @return the offset of the next layer
     */
    public long end() {
        Layer last = layers.get(layers.size() - 1);
        return last.offset() + last.entry().size();
    }

    /**
     * Returns the size of the blocks into which the variables were cut.
     *
     * @return size in bytes
     */
    public long blockSize() {
        return blockSize;
    }

    /**
     * Returns the number of layers that C FTI puts into a file.
     *
     * @return {@code dcp_stack_size} of the run that began the file
     */
    public long stackSize() {
        return stackSize;
    }

    /**
     * Returns the number of layers.
     *
     * @return 1 or more
     */
    public int layers() {
        return layers.size();
    }

    /**
     * Returns the offset of a layer.
     *
     * @param layer number of the layer, from 0
     * @return byte offset
     */
    public long offset(int layer) {
        return layers.get(layer).offset();
    }

    /**
     * Returns the id that a layer has in the file.
     *
     * @param layer number of the layer, from 0
     * @return id of the checkpoint before the one that wrote the layer, 0 in the first; v1.3 of C FTI has the id of the
     *     checkpoint itself
     */
    public int storedCkptId(int layer) {
        return layers.get(layer).storedCkptId();
    }

    /**
     * Reads the id that a layer has in the file, and nothing else of it.
     *
     * @param source the file
     * @param entry its description in the metadata
     * @param layer number of the layer, from 0
     * @return see {@link #storedCkptId(int)}
     * @throws IOException the source cannot be read
     */
    public static int storedCkptId(ByteSource source, FileEntry entry, int layer) throws IOException {
        long offset = layer == 0
                ? fileHead(source)
                : entry.layers().stream()
                        .limit(layer)
                        .mapToLong(LayerEntry::size)
                        .sum();
        return integer(source, offset);
    }

    /** Returns the number of bytes before the head of the first layer: v1.3 and v1.4 have a block size of 64 bits. */
    static int fileHead(ByteSource source) throws IOException {
        boolean isWide = source.size() >= FILE_HEAD && integer(source, Integer.BYTES) == 0;
        return isWide ? FILE_HEAD + Integer.BYTES : FILE_HEAD;
    }

    private static int integer(ByteSource source, long offset) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        source.readFully(offset, bytes);
        return bytes.getInt(0);
    }

    /**
     * Returns whether the file is as C FTI and Drumlin write it now.
     *
     * @return false if a release of C FTI up to v1.6 has written it, which could not read layers of another layout
     */
    public boolean isOfToday() {
        return isOfToday;
    }

    /**
     * Returns whether a layer has the digest of the metadata.
     *
     * @param layer number of the layer, from 0
     * @param digester computes the digests of the blocks
     * @return false for a damaged layer
     * @throws IOException the source cannot be read
     */
    public boolean isWhole(int layer, RangeDigester digester) throws IOException {
        MessageDigest hash = md5();
        List<Range> batch = new ArrayList<>();
        for (Blocks blocks : layers.get(layer).blocks()) {
            for (long i = 0; i < blocks.count(); i++) {
                batch.add(new Range(blocks.offset() + i * blockSize, blockSize));
                if (batch.size() == BATCH) {
                    digester.digest(source, batch).forEach(hash::update);
                    batch.clear();
                }
            }
        }
        digester.digest(source, batch).forEach(hash::update);
        String stored = layers.get(layer).entry().hash();
        // From v1.5 on the metadata have room for 30 of the 32 digits.
        return stored.length() >= 30 && HEX.formatHex(hash.digest()).startsWith(stored);
    }

    /**
     * Locates a variable in the file.
     *
     * @param count number of layers to use; the variable is as it was when the last of them was written
     * @param id id of the variable
     * @return ranges of the file, in the order of the variable
     * @throws FormatException the last of these layers does not have the variable, or none of them has one of its
     *     blocks
     */
    public List<Range> variable(int count, int id) throws FormatException {
        LayerEntry.Variable wanted = variables(count).stream()
                .filter(variable -> variable.id() == id)
                .findFirst()
                .orElseThrow(() -> wrong(count, "does not know variable " + id));
        long needed = blocks(wanted.size(), blockSize);
        List<Blocks> written = layers.subList(0, count).stream()
                .flatMap(layer -> layer.blocks().stream())
                .filter(blocks -> blocks.id() == wanted.id())
                .toList();
        // Without this check, the size in the metadata would determine the memory.
        if (needed > written.stream().mapToLong(Blocks::count).sum()) {
            throw wrong(count, missing(wanted));
        }
        long[] offsets = new long[Math.toIntExact(needed)];
        Arrays.fill(offsets, -1);
        for (Blocks blocks : written) {
            for (long i = 0; i < blocks.count() && blocks.first() + i < needed; i++) {
                offsets[(int) (blocks.first() + i)] = blocks.offset() + i * blockSize;
            }
        }
        if (Arrays.stream(offsets).anyMatch(offset -> offset < 0)) {
            throw wrong(count, missing(wanted));
        }
        return ranges(offsets, wanted.size());
    }

    private static String missing(LayerEntry.Variable wanted) {
        return "not all blocks of the " + wanted.size() + " bytes of variable " + wanted.id()
                + " are in this layer or one before";
    }

    private FormatException wrong(int count, String problem) {
        int layer = count - 1;
        return new FormatException(FORMAT, new Finding("layer " + layer, offset(layer), problem));
    }

    private List<Range> ranges(long[] offsets, long size) {
        List<Range> ranges = new ArrayList<>();
        for (int i = 0; i < offsets.length; ) {
            int first = i;
            do {
                i++;
            } while (i < offsets.length && offsets[i] == offsets[i - 1] + blockSize);
            long end = Math.min(i * blockSize, size);
            ranges.add(new Range(offsets[first], end - first * blockSize));
        }
        return ranges;
    }

    static long blocks(long size, long blockSize) {
        return size / blockSize + (size % blockSize == 0 ? 0 : 1);
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has MD5", e);
        }
    }
}
