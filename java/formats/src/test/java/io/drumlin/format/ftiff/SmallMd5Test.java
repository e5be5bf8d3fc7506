package io.drumlin.format.ftiff;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SmallMd5Test {

    /** All lengths around the block of 64 bytes and the 8 bytes of the length at its end, in pieces. */
    @Test
    void asTheJdk() throws GeneralSecurityException {
        long seed = new Random().nextLong();
        System.out.printf("seed %d%n", seed);
        Random random = new Random(seed);
        for (int length = 0; length < 300; length++) {
            byte[] first = new byte[random.nextInt(length + 1)];
            byte[] second = new byte[length - first.length];
            random.nextBytes(first);
            random.nextBytes(second);
            SmallMd5 md5 = new SmallMd5();
            md5.update(first);
            md5.update(second);
            MessageDigest expected = MessageDigest.getInstance("MD5");
            expected.update(first);
            expected.update(second);
            assertThat(md5.digest()).as("%d bytes, seed %d", length, seed).isEqualTo(expected.digest());
        }
    }
}
