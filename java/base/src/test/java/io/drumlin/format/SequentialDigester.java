package io.drumlin.format;

import io.drumlin.format.internal.RangeDigester;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/** Processes one part after the other with {@link MessageDigest}: what tests compare with. Without state. */
public final class SequentialDigester implements RangeDigester {

    @Override
    public List<byte[]> digest(ByteSource source, List<Range> ranges) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        List<byte[]> digests = new ArrayList<>(ranges.size());
        for (Range range : ranges) {
            digests.add(digest(source, range, buffer));
        }
        return digests;
    }

    private static byte[] digest(ByteSource source, Range range, ByteBuffer buffer) throws IOException {
        MessageDigest md5;
        try {
            md5 = MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has MD5", e);
        }
        for (long done = 0; done < range.length(); done += buffer.limit()) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), range.length() - done));
            source.readFully(range.offset() + done, buffer);
            md5.update(buffer.flip());
        }
        return md5.digest();
    }
}
