package io.drumlin.checkpoint.internal.posix;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.DifferentialConfig;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.dcp.BlockDigests;
import io.drumlin.checkpoint.internal.dcp.DcpLayerState;
import io.drumlin.checkpoint.internal.dcp.VariableDigests;
import io.drumlin.checkpoint.internal.file.FileImage;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.IncrementalWriter;
import io.drumlin.checkpoint.internal.file.RankFileWriter.Seal;
import io.drumlin.format.fti.LayerEntry;
import io.drumlin.format.fti.VariableEntry;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Adds a layer to a file of differential checkpoints in the mode POSIX (docs/formats/fti-posix.md, section 5). Bytes
 * after the layers that the metadata know are overwritten, so an uncompleted checkpoint leaves nothing. Not
 * thread-safe.
 */
final class DcpLayerWriter implements IncrementalWriter {

    private static final int FILE_HEAD = 8;
    private static final int LAYER_HEAD = 8;
    private static final int VARIABLE_HEAD = 12;
    private static final int BLOCK_HEAD = 6;
    private static final int ID_BITS = 18;
    private static final int INDEX_BITS = 30;

    /** Hexadecimal digits of a digest in the metadata, which have room for 30 of the 32. */
    private static final int HASH_DIGITS = 30;

    private final BlockFile file;
    private final DifferentialConfig config;
    private final DcpLayerState state;
    private final Function<Map<Integer, ProtectedData>, List<Integer>> order;
    private final BlockDigests blocks;
    private final int windowBlocks;
    private final AlignedBuffer memory;
    private final ByteBuffer window;
    private final ByteBuffer out;
    private final long start;
    private final boolean base;
    private final Map<Integer, ProtectedData> added = new LinkedHashMap<>();
    private final Map<Integer, Long> positions = new HashMap<>();
    private final Map<Integer, VariableDigests> digests = new HashMap<>();
    private final MessageDigest hash;
    private DcpLayerState next;
    private long position;
    private long changedBytes;

    /**
     * Opens the file.
     *
     * @param path the file; replaced if the layer is its first
     * @param state content of the file
     * @param order order of the variables in the metadata
     */
    DcpLayerWriter(
            StorageEngine storage,
            Path path,
            DifferentialConfig config,
            DcpLayerState state,
            Function<Map<Integer, ProtectedData>, List<Integer>> order)
            throws IOException {
        this.order = order;
        this.config = config;
        this.state = state;
        next = state;
        start = state.end();
        base = state.layers().isEmpty();
        position = start + LAYER_HEAD + (base ? FILE_HEAD : 0);
        windowBlocks = Math.max(1, VariableDigests.WINDOW / config.blockSize());
        try {
            hash = MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has MD5", e);
        }
        EnumSet<OpenMode> modes = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE);
        if (base) {
            modes.add(OpenMode.TRUNCATE);
        }
        int windowBytes = windowBlocks * config.blockSize();
        int outBytes = windowBytes + windowBlocks * BLOCK_HEAD;
        blocks = new BlockDigests(config, config.blockSize());
        @Nullable AlignedBuffer allocated = null;
        try {
            allocated = storage.allocate(windowBytes + outBytes);
            file = storage.open(path, modes);
        } catch (Throwable e) {
            blocks.close();
            if (allocated != null) {
                allocated.close();
            }
            throw e;
        }
        memory = allocated;
        window = memory.buffer().slice(0, windowBytes);
        out = memory.buffer().slice(windowBytes, outBytes);
    }

    @Override
    public void add(Map<Integer, ProtectedData> variables, Map<Integer, ProtectedData> all) throws IOException {
        for (Map.Entry<Integer, ProtectedData> variable : variables.entrySet()) {
            positions.put(variable.getKey(), position);
            add(variable.getKey(), variable.getValue());
            added.put(variable.getKey(), variable.getValue());
        }
    }

    /** Writes the changed blocks of a variable; in a new file it writes all blocks. */
    private void add(int id, ProtectedData variable) throws IOException {
        requireRoom(id, variable.size());
        VariableDigests now = new VariableDigests(variable.size(), blocks);
        VariableDigests before = base ? VariableDigests.NONE : state.digests(id);
        if (base) {
            write(buffer(VARIABLE_HEAD).putInt(id).putLong(variable.size()).flip());
        }
        int count = blocks.count(variable.size());
        for (int first = 0; first < count; first += windowBlocks) {
            ByteBuffer content = VariableDigests.content(
                    variable, first, Math.min(windowBlocks, count - first), config.blockSize(), window);
            blocks.digest(content.duplicate(), now.bytes(), first);
            write(id, content, first, now, before);
        }
        digests.put(id, now);
    }

    private void requireRoom(int id, long size) throws DrumlinException {
        long count = (size + config.blockSize() - 1) / config.blockSize();
        boolean digestsFit = count <= Integer.MAX_VALUE / Md5Lanes.DIGEST_LENGTH;
        if (id >= 1 << ID_BITS || count > 1 << INDEX_BITS || !digestsFit) {
            throw DrumlinException.during("differential checkpoint of variable " + id)
                    .problem("it has " + count + " blocks; there is room for ids below " + (1 << ID_BITS) + " and "
                            + Integer.MAX_VALUE / Md5Lanes.DIGEST_LENGTH + " blocks")
                    .advice("protect it under a lower id, or make dcp_block_size larger")
                    .exception();
        }
    }

    private void write(int id, ByteBuffer content, int first, VariableDigests now, VariableDigests before)
            throws IOException {
        int count = content.limit() / config.blockSize();
        byte[] md5 = new byte[count * Md5Lanes.DIGEST_LENGTH];
        blocks.md5(content.duplicate(), md5, 0);
        ByteBuffer changed = out.clear().order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            int block = first + i;
            if (now.isAsIn(before, block)) {
                continue;
            }
            if (!base) {
                long bits = id | (long) block << ID_BITS;
                changed.putInt((int) bits).putShort((short) (bits >>> Integer.SIZE));
            }
            changed.put(content.slice(i * config.blockSize(), config.blockSize()));
            hash.update(md5, i * Md5Lanes.DIGEST_LENGTH, Md5Lanes.DIGEST_LENGTH);
            changedBytes += Math.min(config.blockSize(), now.size() - (long) block * config.blockSize());
        }
        write(changed.flip());
    }

    private void write(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        if (length > 0) {
            file.write(bytes, position);
            position += length;
        }
    }

    private static ByteBuffer buffer(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public Map<Integer, ProtectedData> added() {
        return added;
    }

    @Override
    public FilePlan planFile(int ckptId, long timestamp, Map<Integer, ProtectedData> all) {
        List<VariableEntry> entries = new ArrayList<>();
        List<LayerEntry.Variable> variables = new ArrayList<>();
        for (int id : order.apply(all)) {
            ProtectedData variable = added.get(id);
            if (variable == null) {
                throw new IllegalStateException("variable " + id + " was not added");
            }
            entries.add(PosixFilePlan.entry(id, variable, positions.getOrDefault(id, 0L)));
            variables.add(new LayerEntry.Variable(id, variable.size()));
        }
        String digest = HexFormat.of().formatHex(hash.digest()).substring(0, HASH_DIGITS);
        next = state.with(new LayerEntry(position - start, digest, variables, ckptId), digests);
        return new PosixFilePlan(
                ckptId, state.fileName(), new FileImage(position), entries, new DcpLayerFormat(next.layers()));
    }

    @Override
    public void finish(FilePlan filePlan, Seal seal) throws IOException {
        seal.seal(List.of());
        ByteBuffer head = buffer(FILE_HEAD + LAYER_HEAD);
        if (base) {
            head.putInt(config.blockSize()).putInt(config.stackSize());
        }
        file.write(head.putInt(state.lastCkptId()).putInt(added.size()).flip(), start);
        file.truncate(position);
        file.sync();
    }

    /** Returns the content of the file; valid after {@link #planFile}. */
    DcpLayerState next() {
        return next;
    }

    /** Returns the bytes of variables that were written, without padding and headers. */
    long changedBytes() {
        return changedBytes;
    }

    @Override
    public void close() throws IOException {
        memory.close();
        blocks.close();
        file.close();
    }
}
