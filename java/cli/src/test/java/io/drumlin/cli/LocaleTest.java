package io.drumlin.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.Golden;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.SingleCommunicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pictures, tables and files have the digits 0 to 9, also where a locale has others. */
class LocaleTest {

    private final Locale before = Locale.getDefault();

    @TempDir
    private Path folder;

    private Path events;
    private Path one;
    private Path other;

    @BeforeEach
    void write() throws IOException {
        one = checkpoint("one", 1, 2, 3);
        other = checkpoint("other", 1, 2.5, Double.NaN);
        events = folder.resolve("events.json");
    }

    private Path checkpoint(String name, double... values) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Double.BYTES);
        bytes.asDoubleBuffer().put(values);
        return FtiFfFiles.write(folder.resolve(name), new TreeMap<>(Map.of(1, bytes.array())));
    }

    @AfterEach
    void restore() {
        Locale.setDefault(before);
        System.clearProperty("drumlin.log");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ar-EG", "fa-IR", "hi-IN-u-nu-deva"})
    void theDigitsAreThoseThatProgramsRead(String tag) throws IOException {
        Locale.setDefault(Locale.ROOT);
        List<String> expected = said();
        Locale.setDefault(Locale.forLanguageTag(tag));
        assertThat(String.format("%d", 1))
                .as("the locale has digits of its own")
                .isNotEqualTo("1");
        List<String> said = said();
        for (int i = 0; i < expected.size(); i++) {
            assertThat(said.get(i)).isEqualTo(expected.get(i));
        }
        takeCheckpoint();
        CommandRun command = new CommandRun();
        Path picture = folder.resolve("stat.svg");
        assertThat(command.run("stat", "-o", picture, events)).isZero();
        assertThat(command.out()).doesNotContainPattern("[\\p{Nd}&&[^0-9]]");
        assertThat(Files.readString(events) + Files.readString(picture)).doesNotContainPattern("[\\p{Nd}&&[^0-9]]");
    }

    private void takeCheckpoint() throws IOException {
        System.setProperty("drumlin.log", events.toString());
        Path config = RunConfig.write(folder, 3, 1);
        try (Checkpoints checkpoints = Checkpoints.open(config, new SingleCommunicator())) {
            checkpoints.protect(1, new byte[100_000]);
            checkpoints.checkpoint(1, Level.L1);
        }
    }

    /** What commands print and draw. */
    private List<String> said() throws IOException {
        Path trajectory = Golden.path("gsd", "hoomd_v341_full", "file.gsd");
        Path picture = folder.resolve("picture.svg");
        Path page = folder.resolve("page.html");
        List<String> said = new ArrayList<>();
        for (List<Object> words : List.<List<Object>>of(
                List.of("inspect", trajectory),
                List.of("map", trajectory, "-o", picture),
                List.of("map", trajectory, "-o", page),
                List.of("gsd", "log", trajectory),
                List.of("gsd", "plot", trajectory, "--log", "value/potential_energy", "-o", picture),
                List.of("inspect", one),
                List.of("show", one, "--select", "var=1", "--type", "double"),
                List.of("map", one, "-o", picture),
                List.of("diff", one, other, "--type", "double", "--tolerance", "0.01", "-o", picture),
                List.of("inspect", Golden.path("sion", "s14_crash_mpi4", "crash.sion")))) {
            CommandRun command = new CommandRun();
            int code = command.run(words.toArray());
            assertThat(code).as("%s: %s", words, command.err()).isLessThan(3);
            said.add(words + ": " + command.out() + command.err());
            for (Path drawn : List.of(picture, page)) {
                said.add(Files.exists(drawn) ? Files.readString(drawn) : "");
                Files.deleteIfExists(drawn);
            }
        }
        return said;
    }
}
