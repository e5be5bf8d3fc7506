package io.drumlin.format.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.internal.FindingSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The metadata of one FTI-FF file of any layout. Immutable; the data stay in the source.
 *
 * <p>Only the metadata are read, wherever they are in the file, and they take little more memory than their size. Every
 * count, length and offset is checked before it is used; docs/formats/fti-ff.md, section 8, lists the checks.
 */
public final class FtiFfFile {

    /** The format's name in messages. */
    public static final String FORMAT = "FTI-FF";

    private final Recognition recognition;
    private final FileMeta meta;
    private final byte mark;
    private final BlockRecords blocks;

    FtiFfFile(Recognition recognition, FileMeta meta, byte mark, BlockRecords blocks) {
        this.recognition = recognition;
        this.meta = meta;
        this.mark = mark;
        this.blocks = blocks;
    }

    /**
     * Reads metadata without faults. The data, and with them {@code checksum}, are not checked; {@link FtiFfVerifier}
     * does that.
     *
     * @param source a plain, partner or encoded file
     * @return its metadata
     * @throws FormatException the first field that is wrong
     * @throws IOException the source cannot be read
     */
    public static FtiFfFile read(ByteSource source) throws IOException {
        FindingSink strict = FindingSink.strict(FORMAT);
        Optional<Recognition> recognition = Recognition.of(source);
        if (recognition.isEmpty()) {
            throw new FormatException(
                    FORMAT,
                    new Finding(
                            "myHash",
                            Math.max(
                                    0,
                                    source.size()
                                            - Layout.F.fileMetaLength()
                                            + Layout.F.file().offset(Field.MY_HASH)),
                            "no file record of any layout; the file has " + source.size() + " bytes"));
        }
        return read(source, recognition.get(), strict);
    }

    /**
     * Reads as much as possible of damaged metadata.
     *
     * @param source a plain, partner or encoded file
     * @param recognition the result of {@link Recognition#of}
     * @param problems receives all faults; what it does not throw is left out of the result
     * @return the metadata as far as they could be followed
     * @throws FormatException thrown by {@code problems}
     * @throws IOException the source cannot be read
     */
    public static FtiFfFile read(ByteSource source, Recognition recognition, FindingSink problems) throws IOException {
        return new MetadataReader(source, recognition, problems).read();
    }

    /**
     * Returns the layout of the records.
     *
     * @return a layout; D also for encoded files of C, which are the same
     */
    public Layout layout() {
        return recognition.layout();
    }

    /**
     * Returns the name of the layout.
     *
     * @return its letter, or {@code C or D} for encoded files, which are the same in both
     */
    public String layoutLabel() {
        return recognition.label();
    }

    /**
     * Returns the file record.
     *
     * @return the record
     */
    public FileMeta meta() {
        return meta;
    }

    /**
     * Returns the stamp, which distinguishes the files of one of Drumlin's checkpoints from others.
     *
     * @return the timestamp, and the mark without the sum of the records, whoever wrote the file
     */
    public Stamp stamp() {
        return new Stamp(meta.timestamp(), mark).over(Stamp.MARKS - recordSum());
    }

    /**
     * Returns the file record with a stamp.
     *
     * @param stamp the stamp, without the sum of the records
     * @return bytes for the place of the record in the file
     */
    public ByteBuffer record(Stamp stamp) {
        ByteBuffer record = ByteBuffer.allocate(layout().fileMetaLength());
        layout().put(record, layout().sign(meta.withTimestamp(layout().kept(stamp.timestamp()))));
        layout().mark(record.flip(), stamp.over(recordSum()));
        return record;
    }

    /**
     * Returns the number that the records add to the mark.
     *
     * @return {@link Stamp#sum} of all block and variable records, 0 in encoded files
     */
    public int recordSum() {
        return blocks.sum();
    }

    /**
     * Returns whether this is a Reed-Solomon file, which has no blocks.
     *
     * @return false for plain files and partner copies
     */
    public boolean encoded() {
        return recognition.encoded();
    }

    /**
     * Returns the blocks, which are decoded at each access.
     *
     * @return blocks in file order
     */
    public List<BlockMeta> blocks() {
        return blocks;
    }

    /**
     * Returns all containers of all blocks.
     *
     * @return containers in file order
     */
    public Stream<VariableMeta> containers() {
        return blocks.stream().flatMap(block -> block.variables().stream());
    }

    /**
     * Returns the offset of the file record.
     *
     * @return byte offset in the file
     */
    public long recordOffset() {
        return recognition.recordOffset();
    }

    /**
     * Returns the offset of a variable record.
     *
     * @param block index in {@link #blocks}
     * @param variable index in the block
     * @return byte offset in the file
     */
    public long variableOffset(int block, int variable) {
        return blocks.offset(block, variable);
    }

    /**
     * Returns the offset of the hash of a chunk.
     *
     * @param block index in {@link #blocks}
     * @param variable index in the block
     * @return byte offset in the file
     */
    public long hashOffset(int block, int variable) {
        return variableOffset(block, variable) + layout().variable().offset(Field.HASH);
    }

    /**
     * Returns the rule by which {@code checksum} was computed from the stored hashes.
     *
     * @return {@link ChecksumRule#CONTENT} also if both rules of layouts C to F give the same checksum
     */
    public ChecksumRule checksumRule() {
        if (!layout().atEnd()) {
            return ChecksumRule.BYTES;
        }
        if (meta.checksum().equals(Digests.checksum(blocks))) {
            return ChecksumRule.CONTENT;
        }
        return meta.checksum().equals(Digests.checksumOfAll(blocks)) ? ChecksumRule.ALL : ChecksumRule.NONE;
    }

    /** The input of the digest {@code checksum}; docs/formats/fti-ff.md, section 4. */
    public enum ChecksumRule {
        /** The hashes of all containers with content. Every reader accepts this. */
        CONTENT,
        /** The hashes of all containers. C FTI writes this, but refuses it if a container has lost its content. */
        ALL,
        /** Bytes of the file, in layouts A and B. Only {@link FtiFfVerifier} can tell whether the checksum is right. */
        BYTES,
        /** Something else: the file is damaged. */
        NONE
    }
}
