package io.drumlin.cli.file;

import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.format.ByteSource;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

/** An open file of a known format. */
public interface RecognisedFile extends DataFile {

    /** Returns the faults of the metadata; the data are not checked. */
    Findings findings();

    /** Shows the contents of the file to people. */
    void print(PrintWriter out);

    /** Shows the contents to programs: writes the fields of an object that the caller begins and ends. */
    void write(JsonGenerator json) throws IOException;

    /**
     * Returns the ranges of the file for a picture of it: metadata and data, which do not overlap.
     *
     * @throws CommandException the format has no parts that a picture could show
     */
    default List<FileRange> ranges() {
        throw new CommandException(ExitCode.NOT_RECOGNISED, title() + ": there is no picture of this format");
    }

    /**
     * Adds the faults of the data to {@link #findings}. The data are read from {@code source}, which is the same file.
     */
    void verify(ByteSource source) throws IOException;
}
