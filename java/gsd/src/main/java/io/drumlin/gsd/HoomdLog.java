package io.drumlin.gsd;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Logged quantities of consecutive frames. {@link HoomdTrajectory#readLog} reads them.
 *
 * @param steps the step of each frame
 * @param numbers quantities by name, without {@code log/}: the rows of all frames, one frame after the other
 * @param texts quantities that are texts, by name: the text of each frame
 */
public record HoomdLog(ChunkData steps, Map<String, ChunkData> numbers, Map<String, List<String>> texts) {

    /** Turns a pattern for names into a regular expression. */
    static Pattern pattern(String glob) {
        StringBuilder expression = new StringBuilder();
        for (int at = 0; at < glob.length(); at++) {
            char c = glob.charAt(at);
            int end = c == '[' ? glob.indexOf(']', at + 2) : -1;
            if (c == '*') {
                expression.append(".*");
            } else if (c == '?') {
                expression.append('.');
            } else if (end > 0) {
                expression.append('[').append(set(glob.substring(at + 1, end))).append(']');
                at = end;
            } else {
                expression.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return Pattern.compile(expression.toString(), Pattern.DOTALL);
    }

    /** Returns the characters of a set in the form of regular expressions: only ranges and a leading ! are special. */
    private static String set(String characters) {
        String some = characters.startsWith("!") ? characters.substring(1) : characters;
        String escaped = some.replaceAll("[\\\\\\[\\]^&]", "\\\\$0");
        return characters.startsWith("!") ? "^" + escaped : escaped;
    }
}
