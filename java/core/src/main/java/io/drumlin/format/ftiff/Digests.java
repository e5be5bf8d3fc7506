package io.drumlin.format.ftiff;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;

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

    /** The checksum that every reader accepts: over the hashes of the containers with content. */
    static String checksum(List<BlockMeta> blocks) {
        return checksum(blocks, VariableMeta::hasContent);
    }

    /** The checksum that C FTI writes: over the hashes of all containers. */
    static String checksumOfAll(List<BlockMeta> blocks) {
        return checksum(blocks, variable -> true);
    }

    private static String checksum(List<BlockMeta> blocks, Predicate<VariableMeta> counts) {
        MessageDigest md5 = md5();
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
