package io.drumlin.format.ftiff;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;

/**
 * The records of layout F, from values to bytes and back; docs/formats/fti-ff.md, section 3.
 *
 * <p>Encoding writes what it is told; {@link #seal} makes a file record that fits. Decoding checks nothing: that is done by
 * {@link FtiFfFile}. All methods are pure and thread-safe apart from the buffers they are given, which may have any
 * byte order.
 */
public final class LayoutF {

    /** Bytes of a file record. */
    public static final int FILE_META_LENGTH = 106;

    /** Bytes of a block record. */
    public static final int BLOCK_META_LENGTH = 12;

    /** Bytes of a variable record. */
    public static final int VARIABLE_META_LENGTH = 58;

    static final int CHECKSUM = 0;
    static final int MY_HASH = 33;
    static final int CKPT_ID = 49;
    static final int CKPT_SIZE = 53;
    static final int META_SIZE = 61;
    static final int DATA_SIZE = 69;
    static final int FS = 77;
    static final int MAX_FS = 85;
    static final int PT_FS = 93;
    static final int TIMESTAMP = 101;

    static final int NUMVARS = 0;
    static final int DBSIZE = 4;

    static final int ID = 0;
    static final int CONTAINER_ID = 4;
    static final int HAS_CONTENT = 8;
    static final int HAS_CKPT = 9;
    static final int DPTR = 10;
    static final int FPTR = 18;
    static final int CHUNK_SIZE = 26;
    static final int CONTAINER_SIZE = 34;
    static final int HASH = 42;

    private static final int DIGEST_LENGTH = 16;
    private static final HexFormat HEX = HexFormat.of();

    private LayoutF() {}

    /**
     * Size of the metadata area.
     *
     * @param blocks the blocks of the file
     * @return bytes of all records, the file record included
     */
    public static long metaSize(List<BlockMeta> blocks) {
        long size = FILE_META_LENGTH;
        for (BlockMeta block : blocks) {
            size += BLOCK_META_LENGTH
                    + (long) VARIABLE_META_LENGTH * block.variables().size();
        }
        return size;
    }

    /**
     * The file record that belongs to blocks whose digests are known.
     *
     * @param blocks the blocks of the file, as {@link ContainerPlan#blocks()} gives them
     * @param ckptId id of the checkpoint, 0 or above
     * @param timestamp nanoseconds since 1970; the low 32 bits are kept
     * @param maxFs at level 3, the largest file of the group plus 8; otherwise -1
     * @param ptFs at level 2, the size of the partner copy on this node; otherwise -1
     * @return a record with both digests
     */
    public static FileMeta seal(List<BlockMeta> blocks, int ckptId, long timestamp, long maxFs, long ptFs) {
        long dataSize = blocks.stream().mapToLong(BlockMeta::dbsize).sum();
        long metaSize = metaSize(blocks);
        long fs = dataSize + metaSize;
        FileMeta unsigned = new FileMeta(
                Digests.checksum(blocks),
                VariableMeta.NO_HASH,
                ckptId,
                fs,
                metaSize,
                dataSize,
                fs,
                maxFs,
                ptFs,
                timestamp & 0xffff_ffffL);
        ByteBuffer record = ByteBuffer.allocate(FILE_META_LENGTH);
        put(record, unsigned);
        return unsigned.withMyHash(HEX.formatHex(Layout.F.recordDigest(record.flip())));
    }

    /**
     * Encodes the metadata area: all blocks with their variables, then the file record.
     *
     * @param target gets {@link #metaSize} bytes at its position, which moves behind them
     * @param blocks the blocks of the file
     * @param file the record of the file
     */
    public static void put(ByteBuffer target, List<BlockMeta> blocks, FileMeta file) {
        for (BlockMeta block : blocks) {
            put(target, block);
            for (VariableMeta variable : block.variables()) {
                put(target, variable);
            }
        }
        put(target, file);
    }

    /**
     * Encodes a file record.
     *
     * @param target gets {@link #FILE_META_LENGTH} bytes; the undefined last one is 0
     * @param file the record
     */
    public static void put(ByteBuffer target, FileMeta file) {
        ByteBuffer record = next(target, FILE_META_LENGTH);
        record.put(CHECKSUM, file.checksum().getBytes(ISO_8859_1));
        record.put(MY_HASH - 1, (byte) 0);
        record.put(MY_HASH, HEX.parseHex(file.myHash()));
        record.putInt(CKPT_ID, file.ckptId());
        record.putLong(CKPT_SIZE, file.ckptSize());
        record.putLong(META_SIZE, file.metaSize());
        record.putLong(DATA_SIZE, file.dataSize());
        record.putLong(FS, file.fs());
        record.putLong(MAX_FS, file.maxFs());
        record.putLong(PT_FS, file.ptFs());
        record.putInt(TIMESTAMP, (int) file.timestamp());
        record.put(FILE_META_LENGTH - 1, (byte) 0);
    }

    /**
     * Encodes a block record without its variables.
     *
     * @param target gets {@link #BLOCK_META_LENGTH} bytes
     * @param block the block
     */
    public static void put(ByteBuffer target, BlockMeta block) {
        ByteBuffer record = next(target, BLOCK_META_LENGTH);
        record.putInt(NUMVARS, block.variables().size());
        record.putLong(DBSIZE, block.dbsize());
    }

    /**
     * Encodes a variable record.
     *
     * @param target gets {@link #VARIABLE_META_LENGTH} bytes
     * @param variable the record
     */
    public static void put(ByteBuffer target, VariableMeta variable) {
        ByteBuffer record = next(target, VARIABLE_META_LENGTH);
        record.putInt(ID, variable.id());
        record.putInt(CONTAINER_ID, variable.containerId());
        record.put(HAS_CONTENT, (byte) (variable.hasContent() ? 1 : 0));
        record.put(HAS_CKPT, (byte) (variable.hasCkpt() ? 1 : 0));
        record.putLong(DPTR, variable.dptr());
        record.putLong(FPTR, variable.fptr());
        record.putLong(CHUNK_SIZE, variable.chunkSize());
        record.putLong(CONTAINER_SIZE, variable.containerSize());
        record.put(HASH, HEX.parseHex(variable.hash()));
    }

    /**
     * Decodes a file record. A checksum that is not 32 digits keeps its bytes as ISO 8859-1 characters.
     *
     * @param source holds {@link #FILE_META_LENGTH} bytes at its position, which moves behind them
     * @return the record, unchecked
     */
    public static FileMeta fileMeta(ByteBuffer source) {
        ByteBuffer record = next(source, FILE_META_LENGTH);
        byte[] checksum = new byte[2 * DIGEST_LENGTH];
        record.get(CHECKSUM, checksum);
        return new FileMeta(
                new String(checksum, ISO_8859_1),
                digest(record, MY_HASH),
                record.getInt(CKPT_ID),
                record.getLong(CKPT_SIZE),
                record.getLong(META_SIZE),
                record.getLong(DATA_SIZE),
                record.getLong(FS),
                record.getLong(MAX_FS),
                record.getLong(PT_FS),
                Integer.toUnsignedLong(record.getInt(TIMESTAMP)));
    }

    /**
     * Decodes a variable record. Any byte but 0 counts as true.
     *
     * @param source holds {@link #VARIABLE_META_LENGTH} bytes at its position, which moves behind them
     * @return the record, unchecked
     */
    public static VariableMeta variableMeta(ByteBuffer source) {
        ByteBuffer record = next(source, VARIABLE_META_LENGTH);
        return new VariableMeta(
                record.getInt(ID),
                record.getInt(CONTAINER_ID),
                record.get(HAS_CONTENT) != 0,
                record.get(HAS_CKPT) != 0,
                record.getLong(DPTR),
                record.getLong(FPTR),
                record.getLong(CHUNK_SIZE),
                record.getLong(CONTAINER_SIZE),
                digest(record, HASH));
    }

    /** Whether the checksum of the record at position 0 of the buffer has the form it must have. */
    static boolean hasDigits(ByteBuffer record) {
        for (int i = CHECKSUM; i < CHECKSUM + 2 * DIGEST_LENGTH; i++) {
            byte digit = record.get(i);
            if (!((digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f'))) {
                return false;
            }
        }
        return record.get(MY_HASH - 1) == 0;
    }

    private static String digest(ByteBuffer record, int offset) {
        byte[] digest = new byte[DIGEST_LENGTH];
        record.get(offset, digest);
        return HEX.formatHex(digest);
    }

    /** The next {@code length} bytes, little endian; the buffer's position moves behind them. */
    private static ByteBuffer next(ByteBuffer buffer, int length) {
        ByteBuffer record = buffer.slice(buffer.position(), length).order(ByteOrder.LITTLE_ENDIAN);
        buffer.position(buffer.position() + length);
        return record;
    }
}
