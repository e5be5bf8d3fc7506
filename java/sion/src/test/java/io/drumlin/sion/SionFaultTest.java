package io.drumlin.sion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every operation on the file system, and every request for memory, fails once on one rank: all ranks get an exception, none
 * hangs, and no file that lacks data is taken for a whole one.
 */
class SionFaultTest {

    private static final int RANKS = 3;
    private static final int PARTS = 2;
    private static final int PART = 5000;
    private static final int CHUNK = 8192;

    @TempDir
    Path folder;

    enum Kind {
        ONE_FILE(false),
        TWO_FILES(false),
        COLLECTORS(true),
        BUDDY_COPIES(true),
        MAPPED(false);

        private final boolean collective;

        Kind(boolean collective) {
            this.collective = collective;
        }

        SionOutput create(Path path, Communicator world, SionOptions options) throws IOException {
            return switch (this) {
                case ONE_FILE -> SionFile.create(path, world, CHUNK, options);
                case TWO_FILES -> SionFile.create(path, world, CHUNK, options.files(2));
                case COLLECTORS -> SionFile.create(path, world, CHUNK, options.collective(RANKS));
                case BUDDY_COPIES ->
                    SionFile.create(path, world, CHUNK, options.files(2).buddies(1));
                case MAPPED -> {
                    int rank = world.rank();
                    List<MappedTask> task = List.of(new MappedTask(rank, rank % 2, rank / 2, CHUNK));
                    yield SionFile.createMapped(path, world, task, options.files(2));
                }
            };
        }
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @EnumSource
    void aFaultOnOneRankIsToldToAll(Kind kind) throws IOException {
        int happened = 0;
        for (Operation operation : Operation.values()) {
            for (int rank = 0; rank < RANKS; rank++) {
                int nth = 1;
                while (fails(kind, operation, rank, nth)) {
                    happened++;
                    nth++;
                }
            }
        }
        assertThat(happened).as("faults that happened").isGreaterThan(5 * RANKS);
    }

    /** A stream is a channel: programs close it, also after a write that failed, and the failure may be that of the close. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileLacksDataAlsoWhenItsStreamWasClosed(boolean atClose) throws IOException {
        Path path = folder.resolve("fault.sion");
        List<FaultyEngine> engines = engines();
        List<String> outcomes = onEachRank(world -> {
            FaultyEngine storage = engines.get(world.rank());
            SionOptions options = SionOptions.defaults().storage(storage);
            try (SionOutput output = SionFile.create(path, world, CHUNK, options)) {
                SionWriter stream = output.writer();
                stream.write(ByteBuffer.allocate(PART));
                if (world.rank() == 1) {
                    storage.fail(Operation.WRITE, 1, "EIO");
                    assertThatThrownBy(atClose ? stream::close : stream::flush).hasMessageContaining("EIO");
                    if (!atClose) {
                        assertThatThrownBy(stream::close).hasMessageContaining("lacks data");
                    }
                }
            }
        });
        assertThat(outcomes).allMatch(outcome -> outcome.contains("lacks data"));
        assertThat(isWhole(path)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"OPEN", "READ", "MEMORY"})
    void aFaultOfOneReaderIsToldToAll(Operation operation) throws IOException {
        Path path = folder.resolve("fault.sion");
        assertThat(write(Kind.TWO_FILES, path, engines())).containsOnly("");
        int happened = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            int nth = 1;
            boolean fails = true;
            while (fails) {
                List<FaultyEngine> engines = engines();
                engines.get(rank).fail(operation, nth, "EIO");
                String fault = operation + " " + nth + " on rank " + rank;
                List<String> outcomes = assertTimeoutPreemptively(
                        Duration.ofSeconds(60), () -> read(path, engines), () -> "hangs: " + fault);
                fails = engines.get(rank).count(operation) >= nth;
                assertThat(succeeded(fault, outcomes)).as(fault).isEqualTo(!fails);
                assertThat(engines).as(fault).flatMap(FaultyEngine::openFiles).isEmpty();
                happened += fails ? 1 : 0;
                nth++;
            }
        }
        assertThat(happened).as("faults that happened").isGreaterThanOrEqualTo(RANKS);
    }

    private static List<String> read(Path path, List<FaultyEngine> engines) {
        return onEachRank(world -> {
            SionOptions options = SionOptions.defaults().storage(engines.get(world.rank()));
            try (SionInput input = SionFile.open(path, world, options)) {
                ByteBuffer bytes = ByteBuffer.allocate(PARTS * PART);
                assertThat(input.readCollective(bytes)).isEqualTo(PARTS * PART);
                assertThat(bytes.array()).isEqualTo(SionFileContract.data(world.rank(), PARTS * PART));
            }
        });
    }

    private static List<FaultyEngine> engines() {
        return IntStream.range(0, RANKS)
                .mapToObj(each -> new FaultyEngine(new NioEngine(), false))
                .toList();
    }

    /** Whether all ranks succeeded; otherwise none has. */
    private static boolean succeeded(String fault, List<String> outcomes) {
        assertThat(outcomes)
                .as(fault)
                .noneMatch(outcome -> outcome.contains("without taking part"))
                .noneMatch(outcome -> outcome.contains("different collective calls"));
        assertThat(outcomes.stream().filter(String::isEmpty).count())
                .as("all ranks or none: %s, %s", fault, outcomes)
                .isIn(0L, (long) RANKS);
        return outcomes.get(0).isEmpty();
    }

    /** Writes a file while the n-th operation of a kind fails; false if there was no such operation. */
    private boolean fails(Kind kind, Operation operation, int rank, int nth) throws IOException {
        List<FaultyEngine> engines = engines();
        engines.get(rank).fail(operation, nth, "EIO");
        String fault = operation + " " + nth + " on rank " + rank;
        Path path = folder.resolve("fault.sion");
        List<String> outcomes = assertTimeoutPreemptively(
                Duration.ofSeconds(60), () -> write(kind, path, engines), () -> "hangs: " + fault);
        boolean written = succeeded(fault, outcomes);
        assertThat(engines).as(fault).flatMap(FaultyEngine::openFiles).isEmpty();
        assertThat(isWhole(path) || !written).as(fault).isTrue();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        return engines.get(rank).count(operation) >= nth;
    }

    private static List<String> write(Kind kind, Path path, List<FaultyEngine> engines) {
        return onEachRank(world -> {
            SionOptions options =
                    SionOptions.defaults().storage(engines.get(world.rank())).fsBlockSize(4096);
            try (SionOutput output = kind.create(path, world, options)) {
                ByteBuffer data = ByteBuffer.wrap(SionFileContract.data(world.rank(), PARTS * PART));
                for (int part = 0; part < PARTS; part++) {
                    data.limit((part + 1) * PART);
                    if (kind.collective) {
                        output.writeCollective(data);
                    } else {
                        output.writer().write(data);
                    }
                }
            }
        });
    }

    private interface Body {
        void run(Communicator world) throws IOException;
    }

    /** The failure of each rank, empty where there was none. */
    private static List<String> onEachRank(Body body) {
        String[] outcomes = new String[RANKS];
        ThreadCommunicator.run(RANKS, world -> {
            String outcome = "";
            try {
                body.run(world);
            } catch (IOException | OutOfMemoryError failed) {
                outcome = failed.toString();
            }
            outcomes[world.rank()] = outcome;
        });
        return List.of(outcomes);
    }

    /** Whether readers accept the file; what they then read is what was to be written. */
    private static boolean isWhole(Path path) {
        List<ByteBuffer> read = new ArrayList<>();
        try (SionInput input = SionFile.open(path, SionOptions.defaults().storage(new NioEngine()))) {
            for (int task : input.tasks()) {
                ByteBuffer bytes = ByteBuffer.allocate((int) input.reader(task).size());
                input.reader(task).read(bytes);
                read.add(bytes.flip());
            }
        } catch (IOException refused) {
            return false;
        }
        assertThat(read).hasSize(RANKS);
        for (int task = 0; task < RANKS; task++) {
            assertThat(read.get(task)).isEqualTo(ByteBuffer.wrap(SionFileContract.data(task, PARTS * PART)));
        }
        return true;
    }
}
