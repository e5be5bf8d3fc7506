package io.drumlin.integrity;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.OptionalInt;

/**
 * The last byte of a rebuilt file of a Reed-Solomon group. If the length of the group's files is odd, C FTI stores only
 * the low byte of the last word of a parity file, so it does not determine the last byte of a data file.
 */
public final class LastByte {

    private static final int WINDOW = 64 << 10;
    private static final int BYTE_VALUES = 256;

    private LastByte() {}

    /**
     * Finds the last byte that the digest of the end of a file demands.
     *
     * @param file a file whose last byte may have any value
     * @param from offset at which the digest begins, before the last byte
     * @param md5 the digest of all bytes from there, 16 bytes
     * @return 0 to 255, or empty if no value fits the digest: another byte is wrong
     * @throws IOException the file cannot be read
     */
    public static OptionalInt of(ByteSource file, long from, byte[] md5) throws IOException {
        MessageDigest before = JavaMd5Lanes.md5();
        ByteBuffer piece = ByteBuffer.allocate(WINDOW);
        long last = file.size() - 1;
        for (long offset = from; offset < last; offset += piece.limit()) {
            piece.clear().limit((int) Math.min(WINDOW, last - offset));
            file.readFully(offset, piece);
            before.update(piece.flip());
        }
        for (int value = 0; value < BYTE_VALUES; value++) {
            MessageDigest whole = copy(before);
            whole.update((byte) value);
            if (MessageDigest.isEqual(whole.digest(), md5)) {
                return OptionalInt.of(value);
            }
        }
        return OptionalInt.empty();
    }

    private static MessageDigest copy(MessageDigest digest) {
        try {
            return (MessageDigest) digest.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(
                    "this JVM's MD5 cannot be copied, which is needed for files of odd length", e);
        }
    }
}
