package io.drumlin.golden.ftiff;

import io.drumlin.golden.base.Json;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of elements that may differ from rank to rank.
 *
 * @param base elements on rank 0
 * @param perRank elements more on each further rank
 */
public record LinearCount(long base, long perRank) {

    private static final Pattern EXPRESSION = Pattern.compile("(\\d+)(?:([+-]\\d+)\\*r)?");

    /** Reads {@code 100} or {@code 100+10*r}. */
    static LinearCount of(Json json) {
        if (!json.isText()) {
            return new LinearCount(json.number(), 0);
        }
        Matcher matcher = EXPRESSION.matcher(json.text().replace(" ", ""));
        if (!matcher.matches()) {
            throw json.wrong("is not a count such as 100 or 100+10*r");
        }
        String perRank = matcher.group(2);
        return new LinearCount(Long.parseLong(matcher.group(1)), perRank == null ? 0 : Long.parseLong(perRank));
    }

    /**
     * The number on a rank.
     *
     * @param rank world rank
     * @return elements
     */
    public long on(int rank) {
        return base + perRank * rank;
    }
}
