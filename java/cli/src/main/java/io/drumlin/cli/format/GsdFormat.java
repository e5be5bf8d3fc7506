package io.drumlin.cli.format;

import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.Format;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.format.FormatException;
import io.drumlin.format.gsd.internal.GsdMetadata;
import io.drumlin.format.gsd.internal.Header;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.util.Optional;

/** GSD, frames and chunks; docs/formats/gsd.md. */
final class GsdFormat implements Format {

    @Override
    public Optional<RecognisedFile> recognise(FileSource source) throws IOException {
        if (!Header.recognises(source)) {
            return Optional.empty();
        }
        Findings findings = new Findings();
        Optional<GsdMetadata> metadata = Optional.empty();
        try {
            metadata = Optional.of(GsdMetadata.read(source));
        } catch (FormatException e) {
            findings.add(e.finding());
        }
        return Optional.of(new GsdContainer(source, metadata, findings));
    }
}
