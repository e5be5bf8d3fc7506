package io.drumlin.golden.gsd;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 as the manifests have it. */
final class Digests {

    private Digests() {}

    static MessageDigest start() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    static String of(byte[] bytes) {
        return HexFormat.of().formatHex(start().digest(bytes));
    }

    static String of(Path file) throws IOException {
        MessageDigest digest = start();
        byte[] piece = new byte[1 << 16];
        try (InputStream stream = Files.newInputStream(file)) {
            for (int read = stream.read(piece); read >= 0; read = stream.read(piece)) {
                digest.update(piece, 0, read);
            }
        }
        return hex(digest);
    }
}
