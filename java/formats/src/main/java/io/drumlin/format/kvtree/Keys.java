package io.drumlin.format.kvtree;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;

/** Converts keys between bytes and text. Each byte string has exactly one text (docs/formats/kvtree.md, section 1). */
final class Keys {

    /** A byte b that is not UTF-8 becomes the lone surrogate ESCAPE + b, as in Python's surrogateescape. */
    private static final char ESCAPE = 0xdc00;

    /** Orders entries by the bytes of their keys, like strcmp. */
    static final Comparator<Map.Entry<String, KvTree>> BY_BYTES =
            (one, other) -> Arrays.compareUnsigned(bytes(one.getKey()), bytes(other.getKey()));

    private Keys() {}

    static String text(byte[] bytes, int offset, int length) {
        if (isAscii(bytes, offset, length)) {
            return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
        }
        CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer rest = ByteBuffer.wrap(bytes, offset, length);
        CharBuffer text = CharBuffer.allocate(length);
        for (CoderResult result = utf8.decode(rest, text, true);
                result.isError();
                result = utf8.decode(rest, text, true)) {
            for (int i = 0; i < result.length(); i++) {
                text.put((char) (ESCAPE + Byte.toUnsignedInt(rest.get())));
            }
        }
        return text.flip().toString();
    }

    /**
     * Returns the bytes of a key.
     *
     * @throws IllegalArgumentException no key can have this text
     */
    static byte[] bytes(String text) {
        try {
            if (text.indexOf('\0') < 0) {
                return text.chars().anyMatch(Keys::isEscape)
                        ? unescaped(text)
                        : array(StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)));
            }
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a key has half a character: " + text, e);
        }
        throw new IllegalArgumentException("a key contains U+0000, which ends it in the file: " + text);
    }

    private static byte[] unescaped(String text) throws CharacterCodingException {
        ByteBuffer bytes = ByteBuffer.allocate(3 * text.length());
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            int code = text.codePointAt(i);
            if (isEscape(code)) {
                bytes.put((byte) (code - ESCAPE));
            } else {
                bytes.put(StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(Character.toString(code))));
            }
        }
        return array(bytes.flip());
    }

    static boolean isEscape(int code) {
        return code >= ESCAPE + 0x80 && code <= ESCAPE + 0xff;
    }

    private static byte[] array(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static boolean isAscii(byte[] bytes, int offset, int length) {
        for (int i = 0; i < length; i++) {
            if (bytes[offset + i] < 0) {
                return false;
            }
        }
        return true;
    }
}
