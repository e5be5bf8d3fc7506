package io.drumlin.cli.file;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code --select} names: {@code KEY=VALUE[,rank=R][,rows=A:B]}.
 *
 * @param text all of it, for messages
 * @param key for example {@code var}
 * @param value for example {@code 1} or {@code 1@3}
 * @param rank the rank, if it was given apart
 * @param rows the rows, if not all
 */
public record Selection(String text, String key, String value, OptionalInt rank, Optional<Rows> rows) {

    private static final Pattern RANK = Pattern.compile("(.*),rank=(\\d{1,9})");
    private static final Pattern ROWS = Pattern.compile("(.*),rows=(\\d{1,18}):(\\d{1,18})");
    private static final Pattern AT = Pattern.compile("(.*)@(\\d{1,9})");

    /**
     * Rows, which are elements along the first dimension.
     *
     * @param from the first one
     * @param to the end, which does not belong to them
     */
    public record Rows(long from, long to) {}

    /**
     * Reads a selection.
     *
     * @throws CommandException it is no selection
     */
    public static Selection parse(String text) {
        String rest = text;
        OptionalInt rank = OptionalInt.empty();
        Optional<Rows> rows = Optional.empty();
        while (true) {
            Matcher byRank = RANK.matcher(rest);
            Matcher byRows = ROWS.matcher(rest);
            if (rank.isEmpty() && byRank.matches()) {
                rank = OptionalInt.of(Integer.parseInt(byRank.group(2)));
                rest = byRank.group(1);
            } else if (rows.isEmpty() && byRows.matches()) {
                rows = Optional.of(new Rows(Long.parseLong(byRows.group(2)), Long.parseLong(byRows.group(3))));
                rest = byRows.group(1);
            } else {
                break;
            }
        }
        String[] sides = rest.split("=", 2);
        if (sides.length != 2) {
            throw new CommandException(ExitCode.USAGE, "--select needs KEY=VALUE, not " + text);
        }
        return new Selection(text, sides[0], sides[1], rank, rows);
    }

    /** Returns the same with the rank apart from the value, if the value ends with one. */
    public Selection splitRank() {
        Matcher at = AT.matcher(value);
        return rank.isEmpty() && at.matches()
                ? new Selection(text, key, at.group(1), OptionalInt.of(Integer.parseInt(at.group(2))), rows)
                : this;
    }

    /** Returns the same without a rank, for the file of that rank. */
    public Selection withoutRank() {
        return new Selection(text, key, value, OptionalInt.empty(), rows);
    }

    /**
     * Refuses a rank.
     *
     * @throws CommandException a rank was given, and the file is of one rank only
     */
    public void requireNoRank(String title) {
        if (rank.isPresent()) {
            throw wrong(title + " does not tell ranks apart; leave rank=" + rank.getAsInt() + " out");
        }
    }

    public CommandException wrong(String problem) {
        return new CommandException(ExitCode.USAGE, "--select " + text + ": " + problem);
    }

    public CommandException missing(String problem) {
        return new CommandException(ExitCode.NOT_RECOGNISED, "--select " + text + ": " + problem);
    }
}
