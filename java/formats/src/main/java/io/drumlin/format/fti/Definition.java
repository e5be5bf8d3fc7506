package io.drumlin.format.fti;

import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.internal.Printable;
import org.jspecify.annotations.Nullable;

/** The definition at which a scanner of metadata stands, and its faults. */
final class Definition {

    private static final int MAX_NAME = 255;
    private static final int SHOWN = 80;

    private final IniScanner scanner;

    Definition(IniScanner scanner) {
        this.scanner = scanner;
    }

    String text() {
        return scanner.value();
    }

    long offset() {
        return scanner.offset();
    }

    long number(long low, long high) throws FormatException {
        try {
            long number = Long.parseLong(text());
            if (number >= low && number <= high) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw wrong("a whole number from " + low + " to " + high);
    }

    int integer(int low) throws FormatException {
        return (int) number(low, Integer.MAX_VALUE);
    }

    long size() throws FormatException {
        return number(0, Long.MAX_VALUE);
    }

    /** Returns a name that cannot leave the directory of the checkpoint. */
    String fileName() throws FormatException {
        String name = text();
        if (name.length() > MAX_NAME || !StoredNames.isFileName(name)) {
            throw wrong("the name of a file, without a directory");
        }
        return name;
    }

    CkptType ckptType() throws FormatException {
        for (CkptType type : CkptType.values()) {
            if (type.label().equals(text())) {
                return type;
            }
        }
        throw wrong("full or dcp");
    }

    private FormatException wrong(String allowed) {
        String shown = Printable.text(text().substring(0, Math.min(text().length(), SHOWN)));
        return wrong(
                scanner.section(), String.valueOf(scanner.key()), offset(), "is \"" + shown + "\", not " + allowed);
    }

    static FormatException wrong(String section, String key, long offset, String problem) {
        return new FormatException(GroupMetadata.FORMAT, new Finding("[" + section + "] " + key, offset, problem));
    }

    /**
     * Returns the value of a key that must exist.
     *
     * @param offset offset of the section
     */
    static <T> T needed(@Nullable T value, String section, String key, long offset) throws FormatException {
        if (value == null) {
            throw wrong(section, key, offset, "is missing");
        }
        return value;
    }
}
