package io.drumlin.hdf5;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Texts and other bytes in the messages between a program and the process of the library, each after its length. */
final class Texts {

    private static final int MOST = 1 << 20;

    private Texts() {}

    static void write(DataOutputStream out, String text) throws IOException {
        writeBytes(out, text.getBytes(StandardCharsets.UTF_8));
    }

    static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    static String read(DataInputStream in) throws IOException {
        return new String(readBytes(in), StandardCharsets.UTF_8);
    }

    static byte[] readBytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MOST) {
            throw new IOException("a text of " + length + " bytes");
        }
        return in.readNBytes(length);
    }
}
