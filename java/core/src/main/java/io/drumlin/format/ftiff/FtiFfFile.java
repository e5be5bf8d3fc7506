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
 * The metadata of one FTI-FF file of layout F. Immutable; the data stay in the source.
 *
 * <p>Only the metadata area is read, wherever it lies in the file, and it takes no more memory than it has bytes. Every
 * count, length and offset is checked before it is used; docs/formats/fti-ff.md, section 8, lists the checks.
 */
public final class FtiFfFile {

    /** The format's name in messages. */
    public static final String FORMAT = "FTI-FF";

    private final FileMeta meta;
    private final boolean encoded;
    private final long recordOffset;
    private final BlockRecords blocks;

    FtiFfFile(FileMeta meta, boolean encoded, long recordOffset, BlockRecords blocks) {
        this.meta = meta;
        this.encoded = encoded;
        this.recordOffset = recordOffset;
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
                            Math.max(0, source.size() - LayoutF.FILE_META_LENGTH + LayoutF.MY_HASH),
                            "no file record of any layout; the file has " + source.size() + " bytes"));
        }
        return read(source, recognition.get(), strict);
    }

    /**
     * Reads what can be read.
     *
     * @param source a file of layout F
     * @param recognition what {@link Recognition#of} said of it
     * @param problems gets everything that is wrong; what it does not throw is left out of the result
     * @return the metadata as far as they could be followed
     * @throws FormatException another layout, or thrown by {@code problems}
     * @throws IOException the source cannot be read
     */
    public static FtiFfFile read(ByteSource source, Recognition recognition, FindingSink problems) throws IOException {
        if (recognition.layout() != Layout.F) {
            throw new FormatException(
                    FORMAT,
                    new Finding(
                            "myHash",
                            recognition.recordOffset() + LayoutF.MY_HASH,
                            "the file record is of layout "
                                    + recognition.layout().label() + ", only layout F can be read"));
        }
        return new MetadataReader(source, recognition, problems).read();
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
     * Whether this is a Reed-Solomon file, which has no blocks.
     *
     * @return false for plain files and partner copies
     */
    public boolean encoded() {
        return encoded;
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
        return recordOffset;
    }

    /**
     * Where a variable record is.
     *
     * @param block index in {@link #blocks}
     * @param variable index in the block
     * @return byte offset in the file
     */
    public long variableOffset(int block, int variable) {
        return meta.dataSize() + blocks.start(block, variable);
    }

    /**
     * Where the hash of a chunk is.
     *
     * @param block index in {@link #blocks}
     * @param variable index in the block
     * @return byte offset in the file
     */
    public long hashOffset(int block, int variable) {
        return variableOffset(block, variable) + LayoutF.HASH;
    }

    /**
     * By which rule {@code checksum} was made of the stored hashes.
     *
     * @return {@link ChecksumRule#CONTENT} also when both rules give the same
     */
    public ChecksumRule checksumRule() {
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
        /** Something else: the file is damaged. */
        NONE
    }
}
