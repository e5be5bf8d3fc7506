package io.drumlin.golden.ftiff;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The contents of an INI file of C FTI: {@code section:key} to value; the last definition wins. */
final class Ini {

    private Ini() {}

    static Map<String, String> read(Path path) throws IOException {
        Map<String, String> values = new TreeMap<>();
        String section = "";
        for (String line : Files.readAllLines(path, StandardCharsets.ISO_8859_1)) {
            String text = line.replaceFirst("\\s*[#;].*", "").strip();
            int equals = text.indexOf('=');
            if (text.startsWith("[") && text.endsWith("]")) {
                section = text.substring(1, text.length() - 1).strip().toLowerCase(Locale.ROOT);
            } else if (equals > 0) {
                String key = text.substring(0, equals).strip().toLowerCase(Locale.ROOT);
                values.put(section + ":" + key, text.substring(equals + 1).strip());
            } else if (!text.isEmpty()) {
                throw new IOException(path + ": not a line of an INI file: " + line);
            }
        }
        return values;
    }
}
