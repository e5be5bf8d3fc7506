package io.drumlin.sion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.OpenCommunicators;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A set that cannot be opened or created leaves no communicator behind, whatever the exception. */
class SionOpeningTest {

    private static final int RANKS = 2;
    private static final int CHUNK = 1000;

    @TempDir
    Path folder;

    /** Mistakes that are the same on all ranks. */
    enum Mistake {
        MORE_FILES_THAN_RANKS {
            @Override
            void make(Path path, Communicator world) throws IOException {
                SionFile.create(path, world, CHUNK, SionOptions.defaults().files(RANKS + 1));
            }
        },
        MORE_COPIES_THAN_FILES {
            @Override
            void make(Path path, Communicator world) throws IOException {
                SionFile.create(
                        path, world, CHUNK, SionOptions.defaults().files(2).buddies(2));
            }
        },
        MAPPED_AND_COLLECTIVE {
            @Override
            void make(Path path, Communicator world) throws IOException {
                SionFile.createMapped(
                        path, world, List.of(), SionOptions.defaults().collective(2));
            }
        },
        NO_TASK_LIST {
            @Override
            @SuppressWarnings("NullAway")
            void make(Path path, Communicator world) throws IOException {
                SionFile.createMapped(path, world, null, SionOptions.defaults());
            }
        },
        NO_OPTIONS {
            @Override
            @SuppressWarnings("NullAway")
            void make(Path path, Communicator world) throws IOException {
                SionFile.create(path, world, CHUNK, null);
            }
        },
        NO_OPTIONS_OF_READERS {
            @Override
            @SuppressWarnings("NullAway")
            void make(Path path, Communicator world) throws IOException {
                SionFile.open(path, world, null);
            }
        },
        NO_TASKS_OF_READERS {
            @Override
            @SuppressWarnings("NullAway")
            void make(Path path, Communicator world) throws IOException {
                SionFile.create(path, world, CHUNK, SionOptions.defaults()).close();
                SionFile.openMapped(path, world, null, SionOptions.defaults());
            }
        },
        NO_FILE {
            @Override
            void make(Path path, Communicator world) throws IOException {
                SionFile.open(path, world, SionOptions.defaults());
            }
        },
        NO_DIRECTORY {
            @Override
            void make(Path path, Communicator world) throws IOException {
                Path missing = path.resolveSibling("missing").resolve("set");
                SionOptions options = SionOptions.defaults().localCommunicator(world);
                SionFile.create(missing, world, CHUNK, options);
            }
        };

        abstract void make(Path path, Communicator world) throws IOException;
    }

    @ParameterizedTest
    @EnumSource
    void noCommunicatorStaysOpen(Mistake mistake) throws IOException {
        OpenCommunicators communicators = new OpenCommunicators();
        Path path = folder.resolve("set");
        ThreadCommunicator.run(RANKS, comm -> {
            Communicator world = communicators.of(comm);
            assertThat(catchThrowable(() -> mistake.make(path, world)))
                    .isInstanceOfAny(IOException.class, RuntimeException.class);
        });
        assertThat(communicators.count()).isZero();
    }

    /** A failure that closing adds hides nothing. */
    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"OPEN", "CLOSE"})
    void theFirstFailureIsTold(Operation operation) throws IOException {
        Path path = folder.resolve("set");
        OpenCommunicators communicators = new OpenCommunicators();
        ThreadCommunicator.run(RANKS, comm -> {
            Communicator world = communicators.of(comm);
            SionFile.create(path, world, CHUNK, SionOptions.defaults()).close();
            FaultyEngine engine = new FaultyEngine(new NioEngine(), false);
            for (int i = 1; i <= 3; i++) {
                engine.fail(operation, i, "EIO");
            }
            assertThat(catchThrowable(() ->
                            SionFile.open(path, world, SionOptions.defaults().storage(engine))))
                    .hasMessageContaining("EIO");
        });
        assertThat(communicators.count()).isZero();
    }
}
