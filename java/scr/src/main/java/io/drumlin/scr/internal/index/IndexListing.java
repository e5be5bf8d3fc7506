package io.drumlin.scr.internal.index;

import io.drumlin.internal.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Lists the checkpoints of an index like the {@code scr_index} of the release that wrote its format, byte for byte. */
public final class IndexListing {

    private static final String NO_TIME = " ".repeat(19);

    private IndexListing() {}

    /**
     * Lists the checkpoints, newest first.
     *
     * @param index the index
     * @return a heading and one line for each checkpoint, without line ends
     */
    public static List<String> lines(ScrIndex index) {
        List<String> lines = new ArrayList<>();
        lines.add(heading(index.format()));
        String current = index.current().orElse(null);
        for (IndexRecord record : index.records()) {
            if (record.isCheckpoint()) {
                lines.add(line(record, record.name().equals(current)));
            }
        }
        return lines;
    }

    private static String heading(IndexFormat format) {
        return switch (format) {
            case DIR -> "   DSET VALID FLUSHED             DIRECTORY";
            case NAME -> "   DSET VALID FLUSHED             NAME";
            case FLAT -> "DSET VALID FLUSHED             CUR NAME";
        };
    }

    private static String line(IndexRecord record, boolean current) {
        String valid = record.isValid() ? "YES  " : "NO   ";
        String flushed = Printable.text(record.flushed().orElse(NO_TIME));
        return record.format() == IndexFormat.FLAT
                ? String.format(
                        Locale.ROOT,
                        "%4d %s %s %s %s",
                        record.id(),
                        valid,
                        flushed,
                        current ? "  *" : "   ",
                        Printable.text(record.name()))
                : String.format(
                        Locale.ROOT,
                        "%s%6d %s %s %s",
                        current ? "*" : " ",
                        record.id(),
                        valid,
                        flushed,
                        Printable.text(record.name()));
    }
}
