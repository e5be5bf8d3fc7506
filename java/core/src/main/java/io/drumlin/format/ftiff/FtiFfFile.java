package io.drumlin.format.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FindingSink;
import io.drumlin.format.FormatException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The metadata of one FTI-FF file of any layout. Immutable; the data stay in the source.
 *
 * <p>Only the metadata are read, wherever they lie in the file, and they take little more memory than they have bytes. Every
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
     * Reads metadata that are without a fault. The data, and with them {@code checksum}, are not looked at:
     * {@link FtiFfVerifier} does that.
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
     * Reads what can be read.
     *
     * @param source a plain, partner or encoded file
     * @param recognition what {@link Recognition#of} said of it
     * @param problems gets everything that is wrong; what it does not throw is left out of the result
     * @return the metadata as far as they could be followed
     * @throws FormatException thrown by {@code problems}
     * @throws IOException the source cannot be read
     */
    public static FtiFfFile read(ByteSource source, Recognition recognition, FindingSink problems) throws IOException {
        return new MetadataReader(source, recognition, problems).read();
    }

    /**
     * The layout of the records.
     *
     * @return a layout; D also for encoded files of C, which are the same
     */
    public Layout layout() {
        return recognition.layout();
    }

    /**
     * The layout in words.
     *
     * @return its letter, or {@code C or D} for encoded files, which are the same in both
     */
    public String layoutLabel() {
        return recognition.label();
    }

    /**
     * The file record.
     *
     * @return the record
     */
    public FileMeta meta() {
        return meta;
    }

    /**
     * What tells the files of a checkpoint of Drumlin from others.
     *
     * @return the timestamp, and the mark without what the records add to it, whoever wrote the file
     */
    public Stamp stamp() {
        return new Stamp(meta.timestamp(), mark).over(Stamp.MARKS - recordSum());
    }

    /**
     * What the records add to the mark.
     *
     * @return {@link Stamp#sum} of all block and variable records, 0 in encoded files
     */
    public int recordSum() {
        return blocks.sum();
    }

    /**
     * Whether this is a Reed-Solomon file, which has no blocks.
     *
     * @return false for plain files and partner copies
     */
    public boolean encoded() {
        return recognition.encoded();
    }

    /**
     * The blocks, decoded anew at each access.
     *
     * @return in file order
     */
    public List<BlockMeta> blocks() {
        return blocks;
    }

    /**
     * All containers of all blocks.
     *
     * @return in file order
     */
    public Stream<VariableMeta> containers() {
        return blocks.stream().flatMap(block -> block.variables().stream());
    }

    /**
     * The containers of one variable, which together hold its bytes.
     *
     * @param id id of the protected variable
     * @return in order of {@code dptr}; empty when the file has no such variable
     */
    public List<VariableMeta> containers(int id) {
        return containers().filter(container -> container.id() == id).toList();
    }

    /**
     * Where the file record is.
     *
     * @return byte offset in the file
     */
    public long recordOffset() {
        return recognition.recordOffset();
    }

    /**
     * Where a variable record is.
     *
     * @param block index in {@link #blocks}
     * @param variable index in the block
     * @return byte offset in the file
     */
    public long variableOffset(int block, int variable) {
        return blocks.offset(block, variable);
    }

    /**
     * Where the hash of a chunk is.
     *
     * @param block index in {@link #blocks}
     * @param variable index in the block
     * @return byte offset in the file
     */
    public long hashOffset(int block, int variable) {
        return variableOffset(block, variable) + layout().variable().offset(Field.HASH);
    }

    /**
     * By which rule {@code checksum} was made of the stored hashes.
     *
     * @return {@link ChecksumRule#CONTENT} also when both rules of layouts C to F give the same
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

    /** What {@code checksum} is a digest of; docs/formats/fti-ff.md, section 4. */
    public enum ChecksumRule {
        /** The hashes of all containers with content: what every reader accepts. */
        CONTENT,
        /** The hashes of all containers: what C FTI writes, and refuses when a container has lost its content. */
        ALL,
        /** Bytes of the file, in layouts A and B; only {@link FtiFfVerifier} can say whether it is right. */
        BYTES,
        /** Something else: the file is damaged. */
        NONE
    }
}
