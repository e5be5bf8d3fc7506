package io.drumlin.checkpoint.internal.events;

import java.util.List;
import java.util.Locale;

/** Builds an object of JSON in one line. */
public final class JsonLine {

    private final StringBuilder text = new StringBuilder("{");

    public JsonLine add(String key, String value) {
        key(key);
        quote(value);
        return this;
    }

    public JsonLine add(String key, long value) {
        key(key).append(value);
        return this;
    }

    public JsonLine add(String key, List<String> values) {
        key(key).append('[');
        for (int i = 0; i < values.size(); i++) {
            text.append(i == 0 ? "" : ",");
            quote(values.get(i));
        }
        text.append(']');
        return this;
    }

    JsonLine add(String key, boolean value) {
        key(key).append(value);
        return this;
    }

    /** Adds seconds, in steps of a microsecond. */
    JsonLine add(String key, double seconds) {
        key(key).append(String.format(Locale.ROOT, "%.6f", seconds));
        return this;
    }

    /** Begins an object as a value, which {@link #end} ends. */
    JsonLine object(String key) {
        key(key).append('{');
        return this;
    }

    JsonLine end() {
        text.append('}');
        return this;
    }

    private StringBuilder key(String key) {
        if (text.charAt(text.length() - 1) != '{') {
            text.append(',');
        }
        quote(key);
        return text.append(':');
    }

    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char each = value.charAt(i);
            if (each == '"' || each == '\\') {
                text.append('\\').append(each);
            } else if (each < ' ' || Character.isSurrogate(each)) {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) each));
            } else {
                text.append(each);
            }
        }
        text.append('"');
    }

    /** Returns the object and the end of the line. */
    public String line() {
        return text + "}\n";
    }
}
