package io.drumlin.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A file format that the command knows. Formats that join are named in {@link #ALL}. */
interface Format {

    /** All formats, in the order in which they are tried. */
    List<Format> ALL = List.of(
            new KvTreeFormat(),
            new SionFormat(),
            new GsdFormat(),
            new Hdf5Format(),
            new FtiFfFormat(),
            new FtiMetadataFormat());

    /** Looks whether a file has this format, by its content. */
    Optional<RecognisedFile> recognise(FileSource source) throws IOException;

    /** What a file is, without metadata given by the user. */
    static RecognisedFile of(FileSource source) throws IOException {
        return of(source, null);
    }

    /**
     * What a file is: by the metadata if they are given, else by its content, else by metadata that lie where a run has them.
     *
     * @param metadata of a file that has none in itself: a metadata file of FTI or a directory with such files
     */
    static RecognisedFile of(FileSource source, @Nullable Path metadata) throws IOException {
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
        return FtiDataFormat.recognise(source, null)
                .orElseThrow(() -> new CommandException(
                        ExitCode.NOT_RECOGNISED,
                        source.path()
                                + ": not recognised: no kvtree, SION, GSD, HDF5 or FTI-FF file, or its file"
                                + " record is damaged or cut off; for a file of FTI's modes POSIX and MPI-IO"
                                + " name its metadata with --meta"));
    }
}
