package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.OpenCommunicators;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.RefusingEngine;
import io.drumlin.storage.RefusingEngine.Trouble;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run that cannot be opened leaves no communicator behind: a program may try again and again. */
class FailedOpeningTest {

    @TempDir
    private Path directory;

    private static void fails(RunFixture run, RefusingEngine engine, String message) throws IOException {
        OpenCommunicators communicators = new OpenCommunicators();
        ThreadCommunicator.run(2, comm -> assertThatThrownBy(() -> Checkpoints.builder(run.config())
                        .communicator(communicators.of(comm))
                        .storage(engine)
                        .open())
                .hasMessageContaining(message));
        assertThat(communicators.count()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void theDirectoriesCannotBeTaken(String head) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.head", head));
        RefusingEngine engine = new RefusingEngine(
                new NioEngine(), Trouble.EROFS, path -> path.toString().contains("Topology.fti"));
        fails(run, engine, "Topology.fti");
    }

    /** A section of another program, which Topology.fti is to repeat, has a value that no line can hold. */
    @ParameterizedTest
    @ValueSource(strings = {"config.fti", "Topology.fti"})
    void aDamagedValueIsNamed(String file) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("mine.key", "value"));
        if (file.equals("Topology.fti")) {
            run.run(2, (checkpoints, comm) -> {
                checkpoints.protect(0, new int[] {7});
                checkpoints.checkpoint(1, Level.L1);
            });
        }
        Path damaged = file.equals("Topology.fti") ? run.file(file) : run.config();
        Files.writeString(damaged, Files.readString(damaged).replace("value", "\u0000alue"));
        RefusingEngine engine = new RefusingEngine(new NioEngine(), Trouble.EROFS, path -> false);
        if (file.equals("config.fti")) {
            fails(run, engine, "[mine] key");
        } else {
            run.run(2, (checkpoints, comm) -> assertThat(checkpoints.isRestart())
                    .isTrue());
        }
    }

    @Test
    void nothingCanBeRecovered() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(2, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {7});
            checkpoints.checkpoint(1, Level.L1);
        });
        run.loseNode(0);
        fails(run, new RefusingEngine(new NioEngine(), Trouble.EROFS, path -> false), "at no level");
    }
}
