package io.drumlin.cli.format;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.Format;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.cli.fti.FtiDataFormat;
import io.drumlin.cli.fti.FtiFfFormat;
import io.drumlin.cli.fti.FtiMetadataFormat;
import io.drumlin.cli.fti.Hdf5Datasets;
import io.drumlin.cli.fti.Hdf5Format;
import io.drumlin.format.hdf5.Hdf5File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The formats that the command supports. New ones are added to {@link #ALL}. */
public final class Formats {

    /** All formats, in the order in which they are tried. */
    private static final List<Format> ALL = List.of(
            new KvTreeFormat(),
            new SionFormat(),
            new GsdFormat(),
            new Hdf5Format(),
            new FtiFfFormat(),
            new FtiMetadataFormat());

    private Formats() {}

    /** Recognises a file without metadata from the user. */
    public static RecognisedFile of(FileSource source) throws IOException {
        return of(source, null);
    }

    /**
     * Recognises a file: by the metadata if they are given, else by its content, else by metadata where a run has them.
     *
     * @param metadata metadata of a file that has none itself: a metadata file of FTI or a directory with such files
     */
    public static RecognisedFile of(FileSource source, @Nullable Path metadata) throws IOException {
        if (metadata != null) {
            return FtiDataFormat.recognise(source, metadata)
                    .orElseThrow(() -> new CommandException(
                            ExitCode.NOT_RECOGNISED,
                            source.path() + ": the metadata in " + metadata + " name no such file"));
        }
        for (Format format : ALL) {
            Optional<RecognisedFile> file = format.recognise(source);
            if (file.isPresent()) {
                return file.get();
            }
        }
        Optional<RecognisedFile> data = FtiDataFormat.recognise(source, null);
        if (data.isEmpty() && Hdf5File.userBlock(source) > 0) {
            return Hdf5Datasets.of(source);
        }
        return data.orElseThrow(() -> new CommandException(
                ExitCode.NOT_RECOGNISED,
                source.path()
                        + ": not recognised: no kvtree, SION, GSD, HDF5 or FTI-FF file, or its file"
                        + " record is damaged or cut off; for a file of FTI's modes POSIX and MPI-IO"
                        + " name its metadata with --meta"));
    }
}
