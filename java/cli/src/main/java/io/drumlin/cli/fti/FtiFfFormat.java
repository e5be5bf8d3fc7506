package io.drumlin.cli.fti;

import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.Format;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.Recognition;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.util.Optional;

/** FTI-FF, the checkpoint files of C FTI; docs/formats/fti-ff.md. */
public final class FtiFfFormat implements Format {

    @Override
    public Optional<RecognisedFile> recognise(FileSource source) throws IOException {
        Optional<Recognition> recognition = Recognition.of(source);
        if (recognition.isEmpty()) {
            return Optional.empty();
        }
        Findings findings = new Findings();
        FtiFfFile file = FtiFfFile.read(source, recognition.get(), findings);
        return Optional.of(new FtiFfCheckpoint(source, file, findings));
    }
}
