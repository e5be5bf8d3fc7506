package io.drumlin.cli.format;

import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.Format;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.format.Finding;
import io.drumlin.format.internal.Findings;
import io.drumlin.format.sion.internal.SionMeta;
import java.io.IOException;
import java.util.Optional;

/** SION, the files of SIONlib; docs/formats/sion.md. */
final class SionFormat implements Format {

    @Override
    public Optional<RecognisedFile> recognise(FileSource source) throws IOException {
        if (!SionMeta.recognises(source)) {
            return Optional.empty();
        }
        Findings findings = new Findings();
        Optional<SionMeta> meta = SionMeta.read(source, findings);
        if (meta.isPresent() && !meta.get().closed() && findings.isEmpty()) {
            findings.add(new Finding(
                    "start_of_varheader",
                    meta.get().meta1().tailOffset() + Integer.BYTES,
                    "was never written: the file was not closed; `drumlin sion repair` may save it"));
        }
        return Optional.of(new SionContainer(source, meta, findings));
    }
}
