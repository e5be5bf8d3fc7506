package io.drumlin.cli.input;

import io.drumlin.checkpoint.RunSurvey.RankFile;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.file.DataFile;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.GivenTypes;
import io.drumlin.cli.file.Selection;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.format.Formats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The file or run from which a command takes data, and their type. */
public final class InputOptions {

    @Parameters(
            paramLabel = "PATH",
            description = "A checkpoint file, or a run of FTI: its configuration file or its folder.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path path;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private MetadataOption metadata;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private RunOption run;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private ChosenOption chosen;

    @Option(
            names = "--type",
            paramLabel = "[NAME:]TYPE",
            description = {
                "Type of the elements, where the file does not have it or another one is wanted: byte, short, int, long,"
                        + " ubyte, ushort, uint, ulong, float, double, longdouble, char, bytes, or NumPy's names such as"
                        + " float64. With a name such as var=1:double of one variable. May be given more than once."
            })
    private @Nullable List<String> types;

    public Path path() {
        return path;
    }

    /**
     * Returns the types that were given.
     *
     * @throws CommandException there is no such type
     */
    public GivenTypes types() {
        return GivenTypes.of(types);
    }

    /** Opens the file or run with selected data, as elements of the type and with the selected rows. */
    public <T> T open(Selection selection, DataFile.Action<T> action) throws IOException {
        GivenTypes said = types();
        DataFile.Action<T> typed = (file, data) -> {
            StoredData as = data.as(said.type(data));
            said.requireMet("what is selected is not");
            return action.run(file, as.rows(selection.rows()));
        };
        Optional<CheckpointDirectory> directory = chosen.of(path, run);
        if (directory.isPresent()) {
            return directory.get().open(selection, typed);
        }
        return open((file, rank) -> typed.run(file, file.select(selection)));
    }

    /** Opens the file, or the files of all ranks of a run one after the other. */
    public void openAll(DataFile.Work<?> work) throws IOException {
        Optional<CheckpointDirectory> directory = chosen.of(path, run);
        if (directory.isEmpty()) {
            open(work);
            return;
        }
        directory.get().fetchAll(files -> {
            for (RankFile file : files) {
                directory.get().open(file, work);
            }
            return files.size();
        });
    }

    private <T> T open(DataFile.Work<T> work) throws IOException {
        try (FileSource source = FileSource.open(path)) {
            return work.on(Formats.of(source, metadata.path()), OptionalInt.empty());
        }
    }
}
