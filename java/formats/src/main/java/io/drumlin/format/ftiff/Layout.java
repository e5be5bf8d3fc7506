package io.drumlin.format.ftiff;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.drumlin.format.internal.RangeDigester.Range;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The layouts of FTI-FF and their records, from values to bytes and back; docs/formats/fti-ff.md, sections 2 and 3.
 *
 * <p>Encoding writes the given values. It does not change padding and undefined bytes of the target: in a new buffer
 * they are 0, over an old record they are kept. Decoding checks nothing; {@link FtiFfFile} does that. All methods are
 * pure. They are thread-safe except for the buffers they are given, which may have any byte order.
 */
public enum Layout {
    /** C FTI v1.1, the layout of its documentation. */
    A(
            "checksum:33 myHash:16 -:6 mark:1 ckptSize:8 fs:8 maxFs:8 ptFs:8 timestamp:8",
            "numvars:4 dbsize:8",
            "id:4 idx:4 containerid:4 hascontent:1 -:3 dptr:8 fptr:8 chunksize:8 containersize:8 hash:16"),
    /** C FTI v1.2. */
    B(
            "checksum:33 myHash:16 ckptSize:8 fs:8 maxFs:8 ptFs:8 timestamp:8 mark:1",
            "numvars:4 dbsize:8",
            "id:4 idx:4 containerid:4 hascontent:1 hasCkpt:1 dptr:8 fptr:8 chunksize:8 containersize:8 hash:16"),
    /** C FTI v1.3. */
    C(
            "checksum:33 myHash:16 ckptId:4 ckptSize:8 metaSize:8 dataSize:8 fs:8 maxFs:8 ptFs:8 timestamp:8 mark:1",
            "numvars:4 dbsize:8",
            "id:4 idx:4 containerid:4 hascontent:1 hasCkpt:1 dptr:8 fptr:8 chunksize:8 containersize:8 hash:16"),
    /** C FTI v1.4.0. */
    D(
            "checksum:33 myHash:16 ckptId:4 ckptSize:8 metaSize:8 dataSize:8 fs:8 maxFs:8 ptFs:8 timestamp:8 mark:1",
            "numvars:4 dbsize:8",
            "id:4 containerid:4 hascontent:1 hasCkpt:1 dptr:8 fptr:8 chunksize:8 containersize:8 hash:16"),
    /** C FTI v1.4.1 to v1.6. */
    E(
            "checksum:33 myHash:16 ckptId:4 ckptSize:4 metaSize:4 dataSize:4 fs:4 maxFs:4 ptFs:4 timestamp:4 mark:1",
            "numvars:4 dbsize:4",
            "id:4 containerid:4 hascontent:1 hasCkpt:1 dptr:8 fptr:8 chunksize:4 containersize:4 hash:16"),
    /** C FTI's head since July 2021. */
    F(
            "checksum:33 myHash:16 ckptId:4 ckptSize:8 metaSize:8 dataSize:8 fs:8 maxFs:8 ptFs:8 timestamp:4 mark:1",
            "numvars:4 dbsize:8",
            "id:4 containerid:4 hascontent:1 hasCkpt:1 dptr:8 fptr:8 chunksize:8 containersize:8 hash:16");

    /**
     * The fields that {@code myHash} covers after the checksum, in the order of the digest, which is not that of the
     * record.
     */
    private static final List<Field> SIGNED_FIELDS = List.of(
            Field.TIMESTAMP, Field.CKPT_SIZE, Field.META_SIZE, Field.DATA_SIZE, Field.FS, Field.PT_FS, Field.MAX_FS);

    @SuppressWarnings("ImmutableEnumChecker") // Never changed.
    private final RecordFormat file;

    @SuppressWarnings("ImmutableEnumChecker")
    private final RecordFormat block;

    @SuppressWarnings("ImmutableEnumChecker")
    private final RecordFormat variable;

    Layout(String file, String block, String variable) {
        this.file = new RecordFormat(file);
        this.block = new RecordFormat(block);
        this.variable = new RecordFormat(variable);
    }

    /** Returns the file record. */
    RecordFormat file() {
        return file;
    }

    /** Returns the block record. */
    RecordFormat block() {
        return block;
    }

    /** Returns the variable record. */
    RecordFormat variable() {
        return variable;
    }

    /**
     * Returns the size of the file record.
     *
     * @return size in bytes
     */
    public int fileMetaLength() {
        return file.length();
    }

    /**
     * Returns whether all metadata of a plain file follow all data, with the file record last. Otherwise the file
     * record comes first, and the records of each block precede its containers. Encoded files have their record at the
     * end in every layout.
     *
     * @return false in A and B
     */
    public boolean atEnd() {
        return file.has(Field.DATA_SIZE);
    }

    /**
     * Returns the size of all metadata.
     *
     * @param blocks the blocks of the file
     * @return size in bytes of all records, including the file record
     */
    public long metaSize(List<BlockMeta> blocks) {
        long size = file.length();
        for (BlockMeta each : blocks) {
            size += recordsLength(each.variables().size());
        }
        return size;
    }

    /**
     * Returns the size of the records of a block.
     *
     * @param variables number of variable records that follow the block record
     * @return size in bytes
     */
    public long recordsLength(int variables) {
        return block.length() + (long) variable.length() * variables;
    }

    /**
     * Makes the file record for blocks whose digests are known, in a layout with the metadata at the end.
     *
     * @param blocks the blocks of the file, from {@link ContainerPlan#blocks()}
     * @param ckptId id of the checkpoint, 0 or above
     * @param timestamp nanoseconds since 1970; E and F keep the low 32 bits
     * @param maxFs at level 3, the largest file of the group plus 8; otherwise -1
     * @param ptFs at level 2, the size of the partner copy on this node; otherwise -1
     * @return a record with both digests
     */
    public FileMeta seal(List<BlockMeta> blocks, int ckptId, long timestamp, long maxFs, long ptFs) {
        if (!atEnd()) {
            throw new UnsupportedOperationException("the checksum of layout " + this + " is not made of hashes");
        }
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
                kept(timestamp));
        return sign(unsigned);
    }

    /**
     * Makes the file record at the end of a Reed-Solomon file.
     *
     * @param checksum MD5 of the encoded bytes, lower-case hexadecimal
     * @param ckptId id of the checkpoint; A and B do not keep it
     * @param timestamp nanoseconds since 1970; E and F keep the low 32 bits
     * @param plainSize size in bytes of the plain file of the same rank
     * @param maxFs size in bytes of the encoded part
     * @return a record with both digests; {@code metaSize} and {@code dataSize}, which have no meaning here, are 0
     */
    public FileMeta sealEncoded(String checksum, int ckptId, long timestamp, long plainSize, long maxFs) {
        int absent = (int) RecordFormat.ABSENT;
        return sign(new FileMeta(
                checksum,
                VariableMeta.NO_HASH,
                atEnd() ? ckptId : absent,
                plainSize,
                atEnd() ? 0 : absent,
                atEnd() ? 0 : absent,
                maxFs,
                maxFs,
                -1,
                kept(timestamp)));
    }

    /** Adds the digest of the record. */
    FileMeta sign(FileMeta unsigned) {
        ByteBuffer record = ByteBuffer.allocate(file.length()).order(ByteOrder.LITTLE_ENDIAN);
        put(record, unsigned);
        return unsigned.withMyHash(HexFormat.of().formatHex(recordDigest(record.flip())));
    }

    /** Returns the parts of a plain file of layout A or B that its checksum covers. */
    Stream<Range> checksummed(long size, Stream<VariableMeta> containers) {
        if (this == A) {
            return Stream.of(new Range(file.length(), size - file.length()));
        }
        return containers
                .filter(VariableMeta::hasContent)
                .map(container -> new Range(container.fptr(), container.chunkSize()));
    }

    /**
     * Encodes the metadata area: all blocks with their variables, then the file record.
     *
     * @param target receives {@link #metaSize} bytes at its position, which moves past them
     * @param blocks the blocks of the file
     * @param meta the record of the file
     */
    public void put(ByteBuffer target, List<BlockMeta> blocks, FileMeta meta) {
        if (!atEnd()) {
            throw new UnsupportedOperationException("layout " + this + " has no metadata area");
        }
        for (BlockMeta each : blocks) {
            put(target, each);
        }
        put(target, meta);
    }

    /**
     * Encodes a file record.
     *
     * @param target receives {@link #fileMetaLength} bytes at its position, which moves past them
     * @param meta the record
     */
    public void put(ByteBuffer target, FileMeta meta) {
        ByteBuffer record = next(target, file);
        record.put(file.offset(Field.CHECKSUM), meta.checksum().getBytes(ISO_8859_1));
        record.put(file.offset(Field.CHECKSUM) + file.length(Field.CHECKSUM) - 1, (byte) 0);
        file.putHex(record, Field.MY_HASH, meta.myHash());
        file.put(record, Field.CKPT_ID, meta.ckptId());
        file.put(record, Field.CKPT_SIZE, meta.ckptSize());
        file.put(record, Field.META_SIZE, meta.metaSize());
        file.put(record, Field.DATA_SIZE, meta.dataSize());
        file.put(record, Field.FS, meta.fs());
        file.put(record, Field.MAX_FS, meta.maxFs());
        file.put(record, Field.PT_FS, meta.ptFs());
        // Stored as a signed number, like all others.
        file.put(record, Field.TIMESTAMP, timestampIsCut() ? (int) meta.timestamp() : meta.timestamp());
    }

    /**
     * Puts the mark into a file record, which must have the timestamp of the same stamp. In C FTI the byte is
     * undefined.
     *
     * @param record the encoded record, from its position
     * @param stamp the stamp of the file
     */
    public void mark(ByteBuffer record, Stamp stamp) {
        record.put(record.position() + file.offset(Field.MARK), stamp.mark());
    }

    /**
     * Encodes a block record and its variable records.
     *
     * @param target receives the records at its position, which moves past them
     * @param meta the block
     */
    public void put(ByteBuffer target, BlockMeta meta) {
        ByteBuffer record = next(target, block);
        block.put(record, Field.NUMVARS, meta.variables().size());
        block.put(record, Field.DBSIZE, meta.dbsize());
        for (VariableMeta each : meta.variables()) {
            put(target, each);
        }
    }

    /**
     * Encodes a variable record.
     *
     * @param target receives the record at its position, which moves past it
     * @param meta the record
     */
    public void put(ByteBuffer target, VariableMeta meta) {
        ByteBuffer record = next(target, variable);
        variable.put(record, Field.ID, meta.id());
        variable.put(record, Field.IDX, meta.idx());
        variable.put(record, Field.CONTAINER_ID, meta.containerId());
        variable.put(record, Field.HAS_CONTENT, meta.hasContent() ? 1 : 0);
        variable.put(record, Field.HAS_CKPT, meta.hasCkpt() ? 1 : 0);
        variable.put(record, Field.DPTR, meta.dptr());
        variable.put(record, Field.FPTR, meta.fptr());
        variable.put(record, Field.CHUNK_SIZE, meta.chunkSize());
        variable.put(record, Field.CONTAINER_SIZE, meta.containerSize());
        variable.putHex(record, Field.HASH, meta.hash());
    }

    /**
     * Decodes a file record. A checksum that is not 32 digits keeps its bytes as ISO 8859-1 characters.
     *
     * @param source holds {@link #fileMetaLength} bytes at its position, which moves past them
     * @return the record, unchecked; fields that the layout lacks are -1
     */
    public FileMeta fileMeta(ByteBuffer source) {
        ByteBuffer record = next(source, file);
        byte[] checksum = file.bytes(record, Field.CHECKSUM);
        return new FileMeta(
                new String(checksum, 0, checksum.length - 1, ISO_8859_1),
                file.hex(record, Field.MY_HASH),
                (int) file.get(record, Field.CKPT_ID),
                file.get(record, Field.CKPT_SIZE),
                file.get(record, Field.META_SIZE),
                file.get(record, Field.DATA_SIZE),
                file.get(record, Field.FS),
                file.get(record, Field.MAX_FS),
                file.get(record, Field.PT_FS),
                kept(file.get(record, Field.TIMESTAMP)));
    }

    /**
     * Decodes a variable record. Any byte but 0 counts as true.
     *
     * @param source holds the record at its position, which moves past it
     * @return the record, unchecked; a missing {@code idx} is -1, a missing {@code hasCkpt} is false
     */
    public VariableMeta variableMeta(ByteBuffer source) {
        ByteBuffer record = next(source, variable);
        return new VariableMeta(
                (int) variable.get(record, Field.ID),
                (int) variable.get(record, Field.IDX),
                (int) variable.get(record, Field.CONTAINER_ID),
                variable.get(record, Field.HAS_CONTENT) != 0,
                variable.has(Field.HAS_CKPT) && variable.get(record, Field.HAS_CKPT) != 0,
                variable.get(record, Field.DPTR),
                variable.get(record, Field.FPTR),
                variable.get(record, Field.CHUNK_SIZE),
                variable.get(record, Field.CONTAINER_SIZE),
                variable.hex(record, Field.HASH));
    }

    /**
     * Returns whether only the low 32 bits of the timestamp are kept.
     *
     * @return true in E and F
     */
    public boolean timestampIsCut() {
        return file.length(Field.TIMESTAMP) == Integer.BYTES;
    }

    /** Returns the part of a timestamp that is kept, in the form that users see: unsigned if it is cut. */
    long kept(long timestamp) {
        return timestampIsCut() ? timestamp & 0xffff_ffffL : timestamp;
    }

    /** Returns the required {@code myHash} of this record, which begins at position 0 of the buffer. */
    byte[] recordDigest(ByteBuffer record) {
        SmallMd5 md5 = new SmallMd5();
        md5.update(file.bytes(record, Field.CHECKSUM));
        for (Field field : SIGNED_FIELDS) {
            if (file.has(field)) {
                md5.update(file.bytes(record, field));
            }
        }
        return md5.digest();
    }

    /** Returns whether the record, which begins at position 0 of the buffer, carries its own digest. */
    boolean signed(ByteBuffer record) {
        return Arrays.equals(file.bytes(record, Field.MY_HASH), recordDigest(record));
    }

    /** Returns whether the checksum of the record at position 0 of the buffer has the required form. */
    boolean hasDigits(ByteBuffer record) {
        byte[] checksum = file.bytes(record, Field.CHECKSUM);
        int digits = checksum.length - 1;
        for (int i = 0; i < digits; i++) {
            if (!((checksum[i] >= '0' && checksum[i] <= '9') || (checksum[i] >= 'a' && checksum[i] <= 'f'))) {
                return false;
            }
        }
        return checksum[digits] == 0;
    }

    /** Returns the next record, little endian; the buffer's position moves past it. */
    private static ByteBuffer next(ByteBuffer buffer, RecordFormat format) {
        ByteBuffer record = buffer.slice(buffer.position(), format.length()).order(ByteOrder.LITTLE_ENDIAN);
        buffer.position(buffer.position() + format.length());
        return record;
    }
}
