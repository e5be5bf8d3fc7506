package io.drumlin.cli.fti;

import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.Format;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.format.hdf5.Hdf5File;
import java.io.IOException;
import java.util.Optional;

/** Files of FTI's HDF5 mode, including those of all ranks; docs/formats/fti-hdf5.md. */
public final class Hdf5Format implements Format {

    @Override
    public Optional<RecognisedFile> recognise(FileSource source) throws IOException {
        if (!Hdf5File.isRecognised(source)) {
            return Optional.empty();
        }
        Optional<RecognisedFile> withMetadata = FtiDataFormat.recognise(source, null);
        return withMetadata.isPresent() ? withMetadata : Optional.of(Hdf5Datasets.of(source));
    }
}
