package io.drumlin.checkpoint.internal.topology;

import io.drumlin.DrumlinException;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A short notation for lists of ranks: {@code 0-6/2} means 0, 2, 4 and 6, {@code 5} means 5, and commas separate the
 * parts.
 */
public final class RankRanges {

    private static final Pattern RANGE = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9})(?:/(\\d{1,9}))?)?");

    private RankRanges() {}

    public static String of(List<Integer> ranks) {
        StringJoiner words = new StringJoiner(",");
        for (int i = 0; i < ranks.size(); ) {
            int end = endOfRange(ranks, i);
            words.add(range(ranks.subList(i, end)));
            i = end;
        }
        return words.toString();
    }

    /** Returns the end of the range whose ranks rise by a constant step. */
    private static int endOfRange(List<Integer> ranks, int start) {
        int end = Math.min(start + 2, ranks.size());
        int step = ranks.get(end - 1) - ranks.get(start);
        if (step <= 0) {
            return start + 1;
        }
        while (end < ranks.size() && ranks.get(end) - ranks.get(end - 1) == step) {
            end++;
        }
        return end;
    }

    private static String range(List<Integer> ranks) {
        if (ranks.size() == 1) {
            return ranks.get(0).toString();
        }
        int step = ranks.get(1) - ranks.get(0);
        return ranks.get(0) + "-" + ranks.get(ranks.size() - 1) + (step == 1 ? "" : "/" + step);
    }

    /**
     * Parses a list of ranks.
     *
     * @param most most ranks allowed
     * @param name name of the file with the list, for messages
     */
    static List<Integer> parse(String words, int most, String name) throws DrumlinException {
        List<Integer> ranks = new ArrayList<>();
        for (String word : words.split(",", -1)) {
            Matcher range = RANGE.matcher(word.strip());
            if (!range.matches()) {
                throw damaged(words, name);
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            int step = range.group(3) == null ? 1 : Integer.parseInt(range.group(3));
            if (step == 0 || last < first || (last - first) / step >= most - ranks.size()) {
                throw damaged(words, name);
            }
            for (int rank = first; rank <= last; rank += step) {
                ranks.add(rank);
            }
        }
        return ranks;
    }

    private static DrumlinException damaged(String words, String name) {
        return DrumlinException.during("reading " + name)
                .problem("\"" + words + "\" names no ranks of a node")
                .advice("the file is damaged: bring back what it was")
                .exception();
    }
}
