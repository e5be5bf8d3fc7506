package io.drumlin.cli.picture;

import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.base.ReplacedFile;
import io.drumlin.cli.base.Sizes;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.cli.format.Formats;
import io.drumlin.cli.inspect.VerifyCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin map}: draws a picture of a file. */
@Command(
        name = "map",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        description = {
            "Draws what is where in a file: all of it to scale, and below that every part at a width that can be read.",
            "Reads the metadata only. An existing picture is replaced."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:drawn",
            "1:drawn as far as possible; the metadata are damaged, findings are on stderr",
            "2:not a file of a known format",
            "3:a file could not be read or written",
            "64:wrong command line"
        })
public final class MapCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "PATH", description = "A checkpoint file.")
    @SuppressWarnings("NullAway.Init")
    private Path path;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "The picture: FILE.svg, or FILE.html for a page with the picture and a table of the parts.")
    @SuppressWarnings("NullAway.Init")
    private Path output;

    @Override
    public Integer call() throws IOException {
        String name = output.toString().toLowerCase(Locale.ROOT);
        if (!name.endsWith(".svg") && !name.endsWith(".html")) {
            throw new ParameterException(spec.commandLine(), "-o " + output + " must end in .svg or .html");
        }
        try (FileSource source = FileSource.open(path)) {
            RecognisedFile file = Formats.of(source);
            LayoutPicture picture = new LayoutPicture(
                    path.getFileName() + ": " + file.title(),
                    Sizes.readable(source.size()),
                    source.size(),
                    file.ranges());
            StringWriter text = new StringWriter();
            if (name.endsWith(".svg")) {
                picture.writeSvg(new PrintWriter(text));
            } else {
                picture.writeHtml(new PrintWriter(text));
            }
            try (ReplacedFile target = ReplacedFile.create(output)) {
                target.stream().write(text.toString().getBytes(StandardCharsets.UTF_8));
                target.commit();
            }
            VerifyCommand.print(spec.commandLine().getErr(), path, file.findings());
            return file.findings().isEmpty() ? ExitCode.OK : ExitCode.DAMAGED;
        }
    }
}
