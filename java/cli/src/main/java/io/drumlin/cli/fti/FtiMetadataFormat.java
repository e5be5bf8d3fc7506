package io.drumlin.cli.fti;

import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.Format;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.format.FormatException;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/** The metadata files of the modes POSIX and MPI-IO; docs/formats/fti-posix.md, section 3. */
public final class FtiMetadataFormat implements Format {

    private static final int LOOKED_AT = 256;

    /** Releases before v1.4 put a section of the configuration before the others, those before v1.3 have no first one. */
    private static final Pattern BEGINNING =
            Pattern.compile("(?is)\\[ckpt_info].*|(\\[injection].*)?\\[(ckpt_info|0)]\\s+ckpt_.*");

    @Override
    public Optional<RecognisedFile> recognise(FileSource source) throws IOException {
        ByteBuffer start = ByteBuffer.allocate((int) Math.min(LOOKED_AT, source.size()));
        source.readFully(0, start);
        String text = new String(start.array(), StandardCharsets.ISO_8859_1).strip();
        if (!BEGINNING.matcher(text).matches()) {
            return Optional.empty();
        }
        Findings findings = new Findings();
        GroupMetadata metadata = null;
        try {
            metadata = GroupMetadata.read(source);
        } catch (FormatException e) {
            findings.add(e.finding());
        }
        return Optional.of(new FtiMetadataFile(source, metadata, findings));
    }
}
