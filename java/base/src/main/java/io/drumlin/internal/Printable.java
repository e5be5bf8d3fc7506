package io.drumlin.internal;

import java.util.Locale;

/**
 * The one door from texts that stand in files, and from names of files, to people. Whoever can write the file chooses the text: a
 * terminal obeys control characters, and a line break makes a line that nobody wrote. Thread-safe.
 */
public final class Printable {

    /** A byte that is no UTF-8 is this and the byte, as Python's surrogateescape has it. */
    private static final int BYTE = 0xdc00;

    private Printable() {}

    /**
     * The text as people can have it.
     *
     * @param stored any text
     * @return the same without what cannot be seen: {@code \xNN} for bytes that are no UTF-8 and for characters below U+0020, line breaks
     *     among them, <code>&#92;uNNNN</code> for other control characters, those of the direction of writing too
     */
    public static String text(String stored) {
        int[] codes = stored.codePoints().toArray();
        StringBuilder text = new StringBuilder(stored.length());
        for (int code : codes) {
            if (isVisible(code)) {
                text.appendCodePoint(code);
            } else {
                text.append(escaped(code));
            }
        }
        return text.toString();
    }

    /**
     * Whether a character is shown as it is.
     *
     * @param code of the character
     * @return false if a terminal could obey it, or if it is half a character
     */
    public static boolean isVisible(int code) {
        return switch (Character.getType(code)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /**
     * What stands for a character that is not {@link #isVisible}.
     *
     * @param code of the character
     * @return four or more visible ones
     */
    public static String escaped(int code) {
        boolean isByte = code < ' ' || (code >= BYTE + 0x80 && code <= BYTE + 0xff);
        return isByte
                ? String.format(Locale.ROOT, "\\x%02x", code & 0xff)
                : String.format(Locale.ROOT, "\\u%04x", code);
    }
}
