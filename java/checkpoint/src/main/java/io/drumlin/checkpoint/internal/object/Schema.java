package io.drumlin.checkpoint.internal.object;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The type of a stored value: docs/formats/objects.md.
 *
 * @param kind such as {@code int}, {@code double[]}, {@code string}, {@code list} or {@code record}
 * @param names of the constants of an enum, or of the components of a record
 * @param parts types of the elements, of key and value, or of the components
 * @param nullable whether a byte in front of the value says whether there is one
 */
record Schema(String kind, List<String> names, List<Schema> parts, boolean nullable) {

    /** Types are no deeper within each other. */
    static final int MOST_DEPTH = 64;

    static final String STRING = "string";
    static final String ENUM = "enum";
    static final String RECORD = "record";
    static final String LIST = "list";
    static final String SET = "set";
    static final String MAP = "map";

    /** Bytes of each primitive. */
    static final Map<String, Integer> WIDTHS =
            Map.of("boolean", 1, "byte", 1, "short", 2, "char", 2, "int", 4, "long", 8, "float", 4, "double", 8);

    /** Types in angle brackets. */
    private static final Map<String, Integer> PARTS = Map.of(LIST, 1, SET, 1, MAP, 2);

    Schema {
        names = List.copyOf(names);
        parts = List.copyOf(parts);
    }

    static Schema of(String kind) {
        return new Schema(kind, List.of(), List.of(), false);
    }

    Schema withNull(boolean may) {
        return may == nullable ? this : new Schema(kind, names, parts, may);
    }

    boolean isArray() {
        return kind.endsWith("[]");
    }

    /** Returns the bytes of an element of an array of primitives. */
    int elementBytes() {
        return WIDTHS.getOrDefault(kind.substring(0, kind.length() - 2), 1);
    }

    /** Returns the type as it is stored. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        write(text);
        return text.toString();
    }

    private void write(StringBuilder text) {
        text.append(kind);
        boolean named = kind.equals(ENUM) || kind.equals(RECORD);
        if (named || !parts.isEmpty()) {
            text.append(named ? '{' : '<');
            for (int i = 0; i < Math.max(names.size(), parts.size()); i++) {
                text.append(i == 0 ? "" : ",");
                text.append(named ? names.get(i) : "");
                if (i < parts.size()) {
                    text.append(named ? ":" : "");
                    parts.get(i).write(text);
                }
            }
            text.append(named ? '}' : '>');
        }
        text.append(nullable ? "?" : "");
    }

    /**
     * Returns the type that a text describes.
     *
     * @throws IOException it describes none
     */
    static Schema parse(String text) throws IOException {
        Parser parser = new Parser(text);
        Schema schema = parser.type(0);
        if (parser.at < text.length()) {
            throw parser.wrong();
        }
        return schema;
    }

    private static final class Parser {

        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        Schema type(int depth) throws IOException {
            String kind = word();
            List<String> names = new ArrayList<>();
            List<Schema> parts = new ArrayList<>();
            if (depth > MOST_DEPTH) {
                throw wrong();
            } else if (kind.equals(ENUM) || kind.equals(RECORD)) {
                named(kind.equals(RECORD), depth, names, parts);
            } else if (PARTS.containsKey(kind)) {
                require('<');
                do {
                    parts.add(inner(depth));
                } while (next(','));
                require('>');
                if (parts.size() != PARTS.get(kind)) {
                    throw wrong();
                }
            } else if (WIDTHS.containsKey(kind)) {
                if (next('[')) {
                    require(']');
                    kind += "[]";
                }
            } else if (!kind.equals(STRING)) {
                throw wrong();
            }
            return new Schema(kind, names, parts, next('?'));
        }

        private void named(boolean typed, int depth, List<String> names, List<Schema> parts) throws IOException {
            require('{');
            Set<String> known = new HashSet<>();
            while (!next('}')) {
                if (!names.isEmpty()) {
                    require(',');
                }
                String name = word();
                if (!known.add(name)) {
                    throw wrong();
                }
                names.add(name);
                if (typed) {
                    require(':');
                    parts.add(inner(depth));
                }
            }
        }

        /** Each value within another takes a byte or more, so their number is bounded by that of the bytes. */
        private Schema inner(int depth) throws IOException {
            Schema inner = type(depth + 1);
            if (!inner.nullable && !WIDTHS.containsKey(inner.kind)) {
                throw wrong();
            }
            return inner;
        }

        private String word() throws IOException {
            int start = at;
            while (at < text.length() && Character.isJavaIdentifierPart(text.charAt(at))) {
                at++;
            }
            if (at == start) {
                throw wrong();
            }
            return text.substring(start, at);
        }

        private boolean next(char wanted) {
            boolean found = at < text.length() && text.charAt(at) == wanted;
            at += found ? 1 : 0;
            return found;
        }

        private void require(char wanted) throws IOException {
            if (!next(wanted)) {
                throw wrong();
            }
        }

        private IOException wrong() {
            return new IOException("its schema cannot be read at character " + at);
        }
    }
}
