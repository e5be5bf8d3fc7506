package io.drumlin.bench;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;

/**
 * MD5 of one stream by OpenSSL, as C FTI computes it. Initialising the class fails with a {@link LinkageError} where there is no
 * OpenSSL 3.
 */
final class LibCrypto {

    private static final int DIGEST_BYTES = 16;

    static {
        Native.register(LibCrypto.class, NativeLibrary.getInstance("libcrypto.so.3"));
    }

    private LibCrypto() {}

    /**
     * Hashes a stream.
     *
     * @param piece a direct buffer, hashed from its beginning to its capacity
     * @param times how often it makes up the stream
     */
    static byte[] md5(ByteBuffer piece, int times) {
        Pointer bytes = Native.getDirectBufferPointer(piece);
        byte[] digest = new byte[DIGEST_BYTES];
        Pointer context = EVP_MD_CTX_new();
        boolean done = EVP_DigestInit_ex(context, EVP_md5(), Pointer.NULL) == 1;
        for (int i = 0; i < times && done; i++) {
            done = EVP_DigestUpdate(context, bytes, piece.capacity()) == 1;
        }
        done = done && EVP_DigestFinal_ex(context, digest, Pointer.NULL) == 1;
        EVP_MD_CTX_free(context);
        if (!done) {
            throw new IllegalStateException("OpenSSL does not compute MD5; is it in FIPS mode?");
        }
        return digest;
    }

    private static native Pointer EVP_md5();

    private static native Pointer EVP_MD_CTX_new();

    private static native void EVP_MD_CTX_free(Pointer context);

    private static native int EVP_DigestInit_ex(Pointer context, Pointer type, Pointer engine);

    private static native int EVP_DigestUpdate(Pointer context, Pointer data, long count);

    private static native int EVP_DigestFinal_ex(Pointer context, byte[] digest, Pointer size);
}
