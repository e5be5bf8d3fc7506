package io.drumlin.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.ThreadCommunicator;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/from-python.md that need no other package than NumPy. */
class FromPythonTest {

    private static final Pattern EXAMPLE = Pattern.compile("(?s)```python\n(.*?)```");
    private static final int ELEMENTS = 1000;

    @TempDir
    private Path folder;

    @Test
    @Tag("exhaustive")
    void theExamplesRun() throws IOException, InterruptedException {
        Python.require("numpy");
        Path page = Path.of(System.getProperty("drumlin.root"), "docs/from-python.md");
        String run = write();
        writeCommand();
        String examples = EXAMPLE.matcher(Files.readString(page))
                .results()
                .map(MatchResult::group)
                .filter(example -> !example.contains("import h5py") && !example.contains("import gsd"))
                .map(example ->
                        example.replace("```python", "").replace("```", "").replace("global/RUN", "Global/" + run))
                .collect(Collectors.joining("\n"));
        assertThat(examples).contains("numpy.load", "numpy.memmap", "drumlin", "diff");
        String printed = Python.run(
                folder,
                "import os\nos.environ['PATH'] = os.getcwd() + ':' + os.environ['PATH']\n" + examples
                        + "\nprint(grid.shape, grid[3], of_rank_1[3], mapped.shape, mapped[3], mapped_plain[3],"
                        + " len(containers), errors)");
        // Before it are the messages of the commands.
        assertThat(printed.lines().reduce("", (before, line) -> line))
                .isEqualTo("(1000,) 3.0 103.0 (1000,) 3.0 103.0 2 {'var=1': 0}");
    }

    /** Writes a run of the mode POSIX, and a file in FTI-FF whose variable has two containers. */
    private String write() throws IOException {
        Path config = RunConfig.write(folder, 1, 2);
        ThreadCommunicator.run(2, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(config, comm)) {
                checkpoints.protect(1, values(100 * comm.rank()));
                checkpoints.checkpoint(12, Level.L4);
            }
        });
        ByteBuffer bytes = ByteBuffer.allocate(ELEMENTS * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asDoubleBuffer().put(values(0));
        FtiFfFiles.write(
                folder.resolve("Ckpt12-Rank0.fti"), new TreeMap<>(Map.of(1, bytes.array())), 100L * Double.BYTES);
        try (Stream<Path> runs = Files.list(folder.resolve("Global"))) {
            return runs.findFirst().orElseThrow().getFileName().toString();
        }
    }

    private static double[] values(int first) {
        double[] values = new double[ELEMENTS];
        for (int i = 0; i < ELEMENTS; i++) {
            values[i] = first + i;
        }
        return values;
    }

    /** Makes a command of the classes that are tested. */
    private void writeCommand() throws IOException {
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
        Path command = Files.writeString(
                folder.resolve("drumlin"),
                "#!/bin/sh\nexec '" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -cp '" + classPath
                        + "' " + DrumlinCommand.class.getName() + " \"$@\"\n");
        Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwx------"));
    }
}
