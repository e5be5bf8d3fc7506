package io.drumlin.cli.inspect;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.cli.format.Formats;
import io.drumlin.cli.input.CheckpointDirectory;
import io.drumlin.cli.input.MetadataOption;
import io.drumlin.cli.input.PrefixDirectory;
import io.drumlin.cli.input.RunOption;
import io.drumlin.format.Finding;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin inspect}: shows the contents of a file. */
@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        description = "Shows what is in a file. Reads the metadata only: verify looks at the data too.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:shown",
            "1:shown as far as possible; the metadata are damaged, findings are on stderr; of a run, files are missing"
                    + " or damaged, but a restart succeeds",
            "2:not a file of a known format; of a run, no checkpoint can be recovered",
            "3:the file could not be read",
            "64:wrong command line"
        })
public final class InspectCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(
            paramLabel = "PATH",
            description = "A file, a run of FTI (its configuration file or its folder), or a prefix directory of SCR.")
    @SuppressWarnings("NullAway.Init")
    private Path path;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private MetadataOption metadata;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private RunOption run;

    @Option(names = "--json", description = "Print one JSON object, findings included.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (PrefixDirectory.isOne(path)) {
            return PrefixDirectory.open(path).inspect(out, json);
        }
        Optional<CheckpointDirectory> directory = CheckpointDirectory.of(path, run);
        if (directory.isPresent()) {
            return directory.get().inspect(out, json);
        }
        try (FileSource source = FileSource.open(path)) {
            RecognisedFile file = Formats.of(source, metadata.path());
            if (json) {
                write(out, source, file);
            } else {
                out.println(path + ": " + file.title());
                file.print(out);
                VerifyCommand.print(spec.commandLine().getErr(), path, file.findings());
            }
            out.flush();
            return file.findings().isEmpty() ? ExitCode.OK : ExitCode.DAMAGED;
        }
    }

    private static void write(PrintWriter out, FileSource source, RecognisedFile file) throws IOException {
        JsonGenerator json = new JsonFactory()
                .createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter();
        json.writeStartObject();
        json.writeStringField("path", source.path().toString());
        json.writeNumberField("size", source.size());
        file.write(json);
        json.writeNumberField("finding_count", file.findings().count());
        json.writeArrayFieldStart("findings");
        for (Finding finding : file.findings().list()) {
            json.writeStartObject();
            json.writeStringField("field", finding.field());
            json.writeNumberField("offset", finding.offset());
            json.writeStringField("problem", finding.problem());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
        json.close();
        out.println();
    }
}
