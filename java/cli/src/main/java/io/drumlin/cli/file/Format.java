package io.drumlin.cli.file;

import java.io.IOException;
import java.util.Optional;

/** A file format that the command supports. */
public interface Format {

    /** Checks by the content whether a file has this format. */
    Optional<RecognisedFile> recognise(FileSource source) throws IOException;
}
