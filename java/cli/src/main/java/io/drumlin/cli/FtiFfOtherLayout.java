package io.drumlin.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.format.ByteSource;
import io.drumlin.format.Findings;
import io.drumlin.format.ftiff.Recognition;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;

/** An FTI-FF file of which only the layout is known. */
final class FtiFfOtherLayout implements RecognisedFile {

    private final FileSource source;
    private final Recognition recognition;
    private final Findings findings = new Findings();

    FtiFfOtherLayout(FileSource source, Recognition recognition) {
        this.source = source;
        this.recognition = recognition;
    }

    @Override
    public String title() {
        return "FTI-FF layout " + recognition.label() + " (" + writer() + "), "
                + (recognition.encoded() ? "Reed-Solomon file" : "checkpoint file");
    }

    private String writer() {
        return switch (recognition.layout()) {
            case A -> "C FTI v1.1";
            case B -> "C FTI v1.2";
            case C -> "C FTI v1.3";
            case D -> recognition.encoded() ? "C FTI v1.3 or v1.4.0" : "C FTI v1.4.0";
            case E -> "C FTI v1.4.1 to v1.6";
            case F -> "C FTI head";
        };
    }

    @Override
    public Findings findings() {
        return findings;
    }

    @Override
    public void print(PrintWriter out) {
        out.println("  The digest of the file record is right. Only files of layout F can be looked into.");
    }

    @Override
    public void write(JsonGenerator json) throws IOException {
        json.writeStringField("format", "FTI-FF");
        json.writeStringField("layout", recognition.label());
        json.writeStringField("kind", recognition.encoded() ? "rs_encoded" : "plain");
    }

    @Override
    public void verify(ByteSource data) {
        throw unsupported("verified");
    }

    @Override
    public void extract(String key, String value, OutputStream target) {
        throw unsupported("extracted from");
    }

    private CommandException unsupported(String verb) {
        return new CommandException(
                ExitCode.NOT_RECOGNISED, source.path() + ": " + title() + ": only layout F can be " + verb);
    }
}
