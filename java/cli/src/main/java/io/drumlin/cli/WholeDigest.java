package io.drumlin.cli;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.fti.GroupMetadata;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The digest of a whole file, of which the bytes come in any order. What comes in the order of the file is digested as it
 * comes; what is between, before or after it is read once more.
 */
final class WholeDigest {

    private static final int BUFFER = 1 << 20;

    private final FileSource source;
    private final String expected;
    private final MessageDigest md5;
    private long done;

    WholeDigest(FileSource source, String expected) {
        this.source = source;
        this.expected = expected;
        try {
            md5 = MessageDigest.getInstance("MD5");
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
            fresh.position(fresh.position() + (int) known);
            done += fresh.remaining();
            md5.update(fresh);
        }
    }

    private void read(long end) throws IOException {
        byte[] buffer = new byte[(int) Math.min(BUFFER, end - done)];
        while (done < end) {
            int length = (int) Math.min(buffer.length, end - done);
            source.readFully(done, ByteBuffer.wrap(buffer, 0, length));
            md5.update(buffer, 0, length);
            done += length;
        }
    }

    /** @throws FormatException the file is damaged */
    void finish() throws IOException {
        read(((ByteSource) source).size());
        String computed = HexFormat.of().formatHex(md5.digest());
        if (!computed.equals(expected)) {
            Finding finding = new Finding(
                    "ckpt_checksum",
                    0,
                    "is " + FtiDataFile.printable(expected) + " in the metadata, the file has " + computed);
            throw new FormatException(GroupMetadata.FORMAT, finding).in(source.path());
        }
    }
}
