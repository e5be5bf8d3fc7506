package io.drumlin.cli.input;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The location of the metadata of a data file. */
public final class MetadataOption {

    @Option(
            names = "--meta",
            paramLabel = "PATH",
            description = {
                "Metadata of a file of FTI's modes POSIX, MPI-IO and HDF5: sector<s>-group<g>.fti,"
                        + " or the directory with those of all groups.",
                "Without this they are looked for where a run has them."
            })
    private @Nullable Path path;

    @Nullable
    public Path path() {
        return path;
    }
}
