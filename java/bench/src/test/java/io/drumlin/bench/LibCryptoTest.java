package io.drumlin.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LibCryptoTest {

    @Test
    void digestsAreThoseOfTheJdk() throws NoSuchAlgorithmException {
        byte[] bytes = new byte[100_001];
        new SplittableRandom(1).nextBytes(bytes);
        ByteBuffer piece = ByteBuffer.allocateDirect(bytes.length).put(bytes);
        MessageDigest jdk = MessageDigest.getInstance("MD5");
        jdk.update(bytes);
        jdk.update(bytes);
        assumeTrue(isPresent(), "there is no libcrypto.so.3");
        assertThat(LibCrypto.md5(piece, 2)).isEqualTo(jdk.digest());
    }

    private static boolean isPresent() {
        try {
            LibCrypto.md5(ByteBuffer.allocateDirect(1), 1);
            return true;
        } catch (LinkageError e) {
            return false;
        }
    }
}
