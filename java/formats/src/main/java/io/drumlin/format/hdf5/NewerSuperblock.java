package io.drumlin.format.hdf5;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;

/**
 * The superblock of the versions 2 and 3. Only its checksum is read: a byte that was changed in an old superblock must
 * not look like a newer file.
 */
final class NewerSuperblock {

    private static final int LAST_WITH_CHECKSUM = 3;
    private static final int START = 12;
    private static final int ADDRESSES = 4;
    private static final int MOST_BYTES_OF_AN_ADDRESS = 32;

    private NewerSuperblock() {}

    /**
     * Checks the superblock of a file.
     *
     * @param version its version, above 1; only 2 and 3 are known to have the checksum
     * @throws IOException the superblock is damaged, or cannot be read
     */
    static void requireWhole(ByteSource file, int version) throws IOException {
        if (version > LAST_WITH_CHECKSUM) {
            return;
        }
        int bytes = Window.of(file, "superblock", 9, 1).u8("size of offsets");
        if (bytes == 0 || bytes > MOST_BYTES_OF_AN_ADDRESS) {
            throw Window.wrong("size of offsets", 9, "is " + bytes);
        }
        int length = START + ADDRESSES * bytes;
        Window block = Window.of(file, "superblock", 0, length + Integer.BYTES);
        int computed = lookup3(block.bytes("superblock", length));
        int stored = (int) block.u32("checksum of the superblock");
        if (stored != computed) {
            throw Window.wrong(
                    "checksum of the superblock",
                    length,
                    String.format(Locale.ROOT, "is %08x, and the superblock gives %08x", stored, computed));
        }
    }

    /** Returns the hash that the library uses as checksum of metadata: lookup3 of Bob Jenkins with initial value 0. */
    static int lookup3(byte[] key) {
        int blocks = Math.max((key.length + 11) / 12, 1);
        ByteBuffer words = ByteBuffer.allocate(12 * blocks).order(ByteOrder.LITTLE_ENDIAN);
        words.put(key).clear();
        int a = 0xDEADBEEF + key.length;
        int b = a;
        int c = a;
        if (key.length == 0) {
            return c;
        }
        for (int block = 0; block < blocks; block++) {
            a += words.getInt();
            b += words.getInt();
            c += words.getInt();
            if (block == blocks - 1) {
                break;
            }
            a = (a - c) ^ Integer.rotateLeft(c, 4);
            c += b;
            b = (b - a) ^ Integer.rotateLeft(a, 6);
            a += c;
            c = (c - b) ^ Integer.rotateLeft(b, 8);
            b += a;
            a = (a - c) ^ Integer.rotateLeft(c, 16);
            c += b;
            b = (b - a) ^ Integer.rotateLeft(a, 19);
            a += c;
            c = (c - b) ^ Integer.rotateLeft(b, 4);
            b += a;
        }
        c = (c ^ b) - Integer.rotateLeft(b, 14);
        a = (a ^ c) - Integer.rotateLeft(c, 11);
        b = (b ^ a) - Integer.rotateLeft(a, 25);
        c = (c ^ b) - Integer.rotateLeft(b, 16);
        a = (a ^ c) - Integer.rotateLeft(c, 4);
        b = (b ^ a) - Integer.rotateLeft(a, 14);
        return (c ^ b) - Integer.rotateLeft(b, 24);
    }
}
