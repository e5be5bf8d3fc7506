package io.drumlin.cli.diff;

import io.drumlin.cli.file.DataFile.Block;
import io.drumlin.cli.file.FileSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.integrity.StripedMd5;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The digests of the blocks of a file, of which the bytes come in any order. What comes in the order of the file is digested
 * as it comes; what is between, before or after it is read once more.
 */
final class WholeDigest implements AutoCloseable {

    private static final int BUFFER = 1 << 20;

    private final FileSource source;
    private final List<Block> blocks;
    private final MessageDigest plain;

    /** Null before the first block that has such a digest. */
    private @Nullable StripedMd5 striped;

    /** The block of which the next bytes are. */
    private int current;

    private long done;

    /** @param blocks blocks of which each begins where the one before ends, the first one at the start of the file */
    WholeDigest(FileSource source, List<Block> blocks) {
        this.source = source;
        this.blocks = blocks;
        try {
            plain = MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has MD5", e);
        }
    }

    /** Adds bytes of the file; position and limit stay. */
    void add(long offset, ByteBuffer bytes) throws IOException {
        if (offset > done) {
            read(offset);
        }
        long known = done - offset;
        if (known < bytes.remaining()) {
            ByteBuffer fresh = bytes.duplicate();
            update(fresh.position(fresh.position() + (int) known));
        }
    }

    private void read(long end) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect((int) Math.min(BUFFER, end - done));
        while (done < end && current < blocks.size()) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), end - done));
            source.readFully(done, buffer);
            update(buffer.flip());
        }
    }

    /** Adds the bytes that follow. Those after the last block have no digest. */
    private void update(ByteBuffer bytes) throws IOException {
        int end = bytes.limit();
        for (int at = bytes.position(); at < end && current < blocks.size(); at = bytes.limit()) {
            Block block = blocks.get(current);
            bytes.limit((int) Math.min(end, at + blockEnd(block) - done)).position(at);
            done += bytes.remaining();
            if (block.striped()) {
                striped().update(bytes);
            } else {
                plain.update(bytes);
            }
            endBlocks();
        }
    }

    private static long blockEnd(Block block) {
        return block.range().offset() + block.range().length();
    }

    /** Compares the digests of the blocks that have all bytes; a block may have none. */
    private void endBlocks() throws FormatException {
        while (current < blocks.size() && blockEnd(blocks.get(current)) == done) {
            Block block = blocks.get(current++);
            String computed = HexFormat.of().formatHex(block.striped() ? stripedDigest() : plain.digest());
            if (!computed.equals(block.digest())) {
                throw new FormatException(GroupMetadata.FORMAT, block.damage(computed)).in(source.path());
            }
        }
    }

    private StripedMd5 striped() {
        if (striped == null) {
            striped = new StripedMd5();
        }
        return striped;
    }

    private byte[] stripedDigest() {
        byte[] digest = striped().digest();
        striped().reset();
        return digest;
    }

    /** @throws FormatException the file is damaged */
    void finish() throws IOException {
        endBlocks();
        if (current < blocks.size()) {
            read(blockEnd(blocks.get(blocks.size() - 1)));
        }
    }

    @Override
    public void close() {
        if (striped != null) {
            striped.close();
        }
    }
}
