package io.drumlin.checkpoint.internal.object;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Strings, in UTF-8. */
final class StringType extends ValueType {

    @Override
    Schema schema() {
        return Schema.of(Schema.STRING);
    }

    @Override
    void write(Object value, ObjectBytes out) {
        String text = (String) value;
        requireWhole(text);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.putInt(bytes.length);
        out.put(bytes, bytes.length);
    }

    /** Half a surrogate pair is no character; in UTF-8 it would become a question mark. */
    private static void requireWhole(String text) {
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            if (Character.isSurrogate(unit)) {
                boolean pair = Character.isHighSurrogate(unit)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    throw new IllegalArgumentException(
                            "a string has half a surrogate pair at " + i + " and is no text: store it as char[]");
                }
                i++;
            }
        }
    }

    @Override
    ValueReader reader(Schema stored, String where) throws IOException {
        requireKind(stored, where);
        return in -> text(in, in.getLength(where, 1), where);
    }

    static String text(ObjectReader in, int length, String where) throws IOException {
        byte[] bytes = new byte[length];
        in.get(ByteBuffer.wrap(bytes));
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IOException(where + " is stored with bytes that are no text in UTF-8", e);
        }
    }
}
