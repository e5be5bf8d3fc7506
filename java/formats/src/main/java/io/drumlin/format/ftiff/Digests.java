package io.drumlin.format.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.internal.RangeDigester.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The digests over digests; docs/formats/fti-ff.md, section 4. */
final class Digests {

    private Digests() {}

    static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has MD5", e);
        }
    }

    /** Returns the checksum that every reader accepts: over the hashes of the containers with content. */
    static String checksum(List<BlockMeta> blocks) {
        return checksum(blocks, VariableMeta::hasContent);
    }

    /** Returns the checksum that C FTI writes: over the hashes of all containers. */
    static String checksumOfAll(List<BlockMeta> blocks) {
        return checksum(blocks, variable -> true);
    }

    /** Returns the checksum of layouts A and B: one digest over parts of the file, {@link Layout#checksummed}. */
    static String ofRanges(ByteSource source, Stream<Range> ranges) throws IOException {
        MessageDigest md5 = md5();
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        for (Iterator<Range> each = ranges.iterator(); each.hasNext(); ) {
            Range range = each.next();
            for (long done = 0; done < range.length(); done += buffer.limit()) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), range.length() - done));
                source.readFully(range.offset() + done, buffer);
                md5.update(buffer.flip());
            }
        }
        return HexFormat.of().formatHex(md5.digest());
    }

    private static String checksum(List<BlockMeta> blocks, Predicate<VariableMeta> counts) {
        SmallMd5 md5 = new SmallMd5();
        for (BlockMeta block : blocks) {
            for (VariableMeta variable : block.variables()) {
                if (counts.test(variable)) {
                    md5.update(HexFormat.of().parseHex(variable.hash()));
                }
            }
        }
        return HexFormat.of().formatHex(md5.digest());
    }
}
