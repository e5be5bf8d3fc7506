package io.drumlin.cli;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A file format that the command knows. Formats that join are named in {@link #ALL}. */
interface Format {

    /** All formats, in the order in which they are tried. */
    List<Format> ALL = List.of(new KvTreeFormat(), new FtiFfFormat());

    /** Looks whether a file has this format, by its content. */
    Optional<RecognisedFile> recognise(FileSource source) throws IOException;

    /** The first format that a file has. */
    static RecognisedFile of(FileSource source) throws IOException {
        for (Format format : ALL) {
            Optional<RecognisedFile> file = format.recognise(source);
            if (file.isPresent()) {
                return file.get();
            }
        }
        throw new CommandException(
                ExitCode.NOT_RECOGNISED,
                source.path()
                        + ": not recognised: neither a kvtree file nor an FTI-FF file, or its file record is damaged or"
                        + " cut off");
    }
}
