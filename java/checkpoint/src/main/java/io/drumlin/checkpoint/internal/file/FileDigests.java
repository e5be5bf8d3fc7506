package io.drumlin.checkpoint.internal.file;

import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.LanesWithStripes;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.integrity.StripedLane;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The digests of a file that is being written as one chunk: the plain MD5 of all its bytes, and a striped one where it was
 * asked for and pays. Digests are lower-case hexadecimal. Not thread-safe.
 */
public final class FileDigests {

    private boolean wantsStripes;
    private boolean plainLater;
    private @Nullable Md5Lanes lanes;
    private @Nullable String plain;
    private @Nullable String striped;

    /**
     * Asks for the striped digest.
     *
     * @param size bytes of the file
     * @param plainMayBeLater whether the plain digest may be left to {@link #setPlain}
     */
    public void addStriped(long size, boolean plainMayBeLater) {
        wantsStripes = DigestEngine.stripesPay(size);
        plainLater = plainMayBeLater && DigestEngine.pairsPay();
    }

    /** Makes the lanes that digest the chunk, for one writing; the caller closes them. */
    public Md5Lanes lanes() {
        Md5Lanes made = makeLanes();
        lanes = made;
        return made;
    }

    private Md5Lanes makeLanes() {
        if (!wantsStripes) {
            return DigestEngine.md5();
        }
        return plainLater ? new StripedLane() : new LanesWithStripes(DigestEngine.md5());
    }

    /** Takes the digest that the writing gave, from the {@link #lanes} or from others that compute the plain one. */
    public void seal(String digest) {
        if (lanes instanceof StripedLane) {
            striped = digest;
            return;
        }
        plain = digest;
        if (lanes instanceof LanesWithStripes both) {
            striped = HexFormat.of().formatHex(both.stripedDigest());
        }
    }

    /** Returns whether the file was sealed without its plain digest. */
    public boolean lacksPlain() {
        return striped != null && plain == null;
    }

    /** Sets the plain digest of a file that {@link #lacksPlain}. */
    public void setPlain(String digest) {
        plain = digest;
    }

    /** Returns the plain digest. */
    public String plain() {
        if (plain == null) {
            throw new IllegalStateException("not sealed, or without its plain digest");
        }
        return plain;
    }

    /** Returns the striped digest, if there is one. */
    public Optional<String> striped() {
        return Optional.ofNullable(striped);
    }
}
