package io.drumlin.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.format.ByteSource;
import io.drumlin.format.Findings;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.List;

/** An open file whose format is known. */
interface RecognisedFile {

    /** Format, layout and kind in one line. */
    String title();

    /** What is wrong with the metadata; the data are not looked at. */
    Findings findings();

    /** Tells people what is in the file. */
    void print(PrintWriter out);

    /** Tells programs the same: the fields of an object that the caller has begun and ends. */
    void write(JsonGenerator json) throws IOException;

    /**
     * What is where in the file, for a picture of it: ranges that are not in each other, metadata and data.
     *
     * @throws CommandException the format has no parts that a picture could show
     */
    default List<FileRange> ranges() {
        throw new CommandException(ExitCode.NOT_RECOGNISED, title() + ": there is no picture of this format");
    }

    /** Adds to {@link #findings} what is wrong with the data, which are read from {@code source}, the same file. */
    void verify(ByteSource source) throws IOException;

    /** Writes what {@code key}={@code value} selects and checks its digests. */
    void extract(String key, String value, OutputStream target) throws IOException;
}
