package io.drumlin.checkpoint.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a recording of the JDK and the log say about checkpoints and restarts. */
class EventsTest {

    private static final int RANKS = 4;

    private static final int BYTES = 40_000;

    @TempDir
    Path directory;

    private Path log;

    @BeforeEach
    void log() {
        log = directory.resolve("events.json");
        System.setProperty("drumlin.log", log.toString());
    }

    @AfterEach
    void noLog() {
        System.clearProperty("drumlin.log");
    }

    private RunFixture run(Map<String, String> changes) throws IOException {
        return new RunFixture(directory, RunFixture.settings("node_size=1, group_size=2", changes));
    }

    private List<String> lines(String event) throws IOException {
        return Files.readAllLines(log).stream()
                .filter(line -> line.contains("\"event\":\"" + event + "\""))
                .toList();
    }

    private static double number(String line, String key) {
        Matcher found = Pattern.compile("\"" + key + "\":([-0-9.]+)").matcher(line);
        assertThat(found.find()).as(key + " in " + line).isTrue();
        return Double.parseDouble(found.group(1));
    }

    @Test
    void aRecordingHasEveryStepOfACheckpoint() throws IOException {
        RunFixture run = run(Map.of());
        List<RecordedEvent> events = recorded(() -> run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(1, new byte[BYTES]);
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.checkpoint(2, Level.L3);
        }));

        assertThat(named(events, "Checkpoint")).hasSize(2 * RANKS).allSatisfy(event -> {
            assertThat(event.getLong("bytes")).isGreaterThanOrEqualTo(BYTES);
            assertThat(event.getDuration()).isPositive();
        });
        assertThat(named(events, "Write")).hasSize(2 * RANKS);
        assertThat(named(events, "Commit")).hasSize(2 * RANKS);
        assertThat(named(events, "Exchange"))
                .hasSize(RANKS)
                .allMatch(event -> event.getInt("ckptId") == 2 && event.getInt("level") == 3);
        assertThat(named(events, "Exchange").stream()
                        .map(event -> event.getInt("rank"))
                        .sorted())
                .containsExactly(0, 1, 2, 3);
        for (String step : List.of("Write", "Exchange", "Commit")) {
            assertThat(named(events, step).stream()
                            .filter(event -> event.getInt("ckptId") == 2)
                            .map(event -> event.getInt("slowestRank") + " " + event.getLong("slowestTime"))
                            .distinct())
                    .as("slowest rank of " + step)
                    .singleElement()
                    .asString()
                    .matches("[0-3] \\d+");
        }
    }

    /** A rank that is made slow is named by all. */
    @Test
    void theSlowestRankIsNamed() throws IOException {
        RunFixture run = run(Map.of());
        ThreadCommunicator.run(RANKS, comm -> {
            StorageEngine storage = comm.rank() == 2 ? slow(new NioEngine()) : new NioEngine();
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(storage)
                    .open()) {
                checkpoints.protect(1, new byte[BYTES]);
                checkpoints.checkpoint(1, Level.L2);
            }
        });
        assertThat(lines("checkpoint")).singleElement().satisfies(line -> assertThat(line)
                .containsPattern("\"exchange\":\\{\"rank\":2,\"seconds\":0\\.[1-9]"));
    }

    private static StorageEngine slow(StorageEngine engine) {
        return (StorageEngine) Proxy.newProxyInstance(
                EventsTest.class.getClassLoader(), new Class<?>[] {StorageEngine.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("syncDirectory")) {
                        Thread.sleep(120);
                    }
                    return method.invoke(engine, arguments);
                });
    }

    @Test
    void aLostNodeIsSeenInTheLog() throws IOException {
        RunFixture run = run(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(1, new byte[BYTES]);
            checkpoints.checkpoint(7, Level.L2);
        });
        run.loseNode(1);
        List<RecordedEvent> events = recorded(() -> run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(1, new byte[BYTES]);
            checkpoints.recover();
            checkpoints.complete();
        }));

        assertThat(named(events, "Rebuild")).hasSize(RANKS).anySatisfy(event -> assertThat(event.getLong("bytes"))
                .isGreaterThan(2 * BYTES));
        assertThat(named(events, "Recover")).hasSize(2 * RANKS);
        assertThat(lines("start")).hasSize(2);
        assertThat(lines("start").get(1)).contains("\"status\":\"RESTART\"", "\"ranks\":4");
        assertThat(lines("rebuild")).singleElement().satisfies(line -> {
            assertThat(line).contains("\"id\":7", "\"level\":2");
            assertThat(number(line, "files")).isEqualTo(2);
            assertThat(number(line, "bytes")).isGreaterThan(2 * BYTES);
        });
        assertThat(lines("recovery")).hasSize(2).allMatch(line -> line.contains("\"id\":7"));
        assertThat(lines("end")).hasSize(2);
        assertThat(lines("end").get(0)).contains("\"how\":\"close\"");
        assertThat(lines("end").get(1)).contains("\"how\":\"complete\"");
    }

    /** The report of the call cannot know when the thread will have finished. */
    @Test
    void aCheckpointInTheBackgroundReportsItsRealEnd() throws IOException {
        RunFixture run = run(Map.of("drumlin.async", "1"));
        AtomicReference<Optional<CheckpointReport>> last = new AtomicReference<>(Optional.empty());
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(1, new byte[BYTES]);
            assertThat(checkpoints.lastReport()).isEmpty();
            checkpoints.checkpoint(1, Level.L2);
            checkpoints.await();
            if (comm.rank() == 0) {
                last.set(checkpoints.lastReport());
            }
        });

        assertThat(last.get()).hasValueSatisfying(report -> {
            assertThat(report.postSeconds()).isGreaterThan(1e-5);
            assertThat(report.bytes()).isGreaterThan(BYTES);
        });
        assertThat(lines("checkpoint")).singleElement().satisfies(line -> {
            assertThat(line).contains("\"finisher\":\"thread\"");
            assertThat(number(line, "seconds"))
                    .isEqualTo(last.get().orElseThrow().seconds(), Offset.offset(1e-6))
                    .isGreaterThan(number(line, "stall"));
        });
    }

    @Test
    void aCheckpointOfHeadsReportsItsRealEnd() throws IOException {
        RunFixture run =
                run(Map.of("basic.head", "1", "basic.node_size", "2", "basic.group_size", "2", "basic.inline_l2", "0"));
        run.run(2 * RANKS, (checkpoints, comm) -> {
            checkpoints.protect(1, new byte[BYTES]);
            checkpoints.checkpoint(1, Level.L2);
            checkpoints.await();
            assertThat(checkpoints.lastReport()).hasValueSatisfying(report -> assertThat(report.postSeconds())
                    .isGreaterThan(1e-5));
        });
        assertThat(lines("checkpoint")).singleElement().satisfies(line -> {
            assertThat(line).contains("\"finisher\":\"head\"");
            assertThat(number(line, "seconds")).isGreaterThan(number(line, "stall"));
        });
    }

    @Test
    void everyRankHasItsLogIfItsNumberIsInTheName() throws IOException {
        System.setProperty("drumlin.log", directory.resolve("rank%r.json").toString());
        run(Map.of()).run(RANKS, (checkpoints, comm) -> checkpoints.checkpoint(1, Level.L1));
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(directory.resolve("rank" + rank + ".json"))
                    .content()
                    .contains("\"rank\":" + rank + ",\"id\":1,\"level\":1");
        }
        assertThat(log).doesNotExist();
    }

    @Test
    void aFailedCheckpointIsInTheLog() throws IOException {
        RunFixture run = run(Map.of());
        ThreadCommunicator.run(RANKS, comm -> {
            FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(storage)
                    .open()) {
                checkpoints.protect(1, new byte[BYTES]);
                if (comm.rank() == 1) {
                    storage.fail(Operation.WRITE, 1, "ENOSPC");
                }
                assertThatThrownBy(() -> checkpoints.checkpoint(3, Level.L1)).isInstanceOf(IOException.class);
            }
        });
        assertThat(lines("failure")).singleElement().asString().contains("\"id\":3", "ENOSPC", "rank 1");
        assertThat(lines("checkpoint")).isEmpty();
    }

    /** A log that cannot be written is no reason for a run to fail. */
    @Test
    void aLogThatCannotBeOpenedIsLeftOut() throws IOException {
        System.setProperty(
                "drumlin.log", directory.resolve("missing/events.json").toString());
        run(Map.of()).run(RANKS, (checkpoints, comm) -> checkpoints.checkpoint(1, Level.L1));
        assertThat(directory.resolve("missing")).doesNotExist();
    }

    /** Work that is recorded. */
    private interface Work {
        void run() throws IOException;
    }

    private List<RecordedEvent> recorded(Work work) throws IOException {
        Path file = directory.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file);
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("drumlin." + name))
                .toList();
    }
}
