package io.drumlin.cli.stat;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import jdk.jfr.Recording;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code drumlin stat} over logs and recordings of real runs. */
class StatCommandTest {

    private static final int RANKS = 2;

    @TempDir
    private Path directory;

    private final CommandRun command = new CommandRun();
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

    /** Takes three checkpoints of level 1 and one of level 2. */
    private void takeCheckpoints() throws IOException {
        Path config = directory.resolve("config.fti");
        Files.writeString(
                config,
                """
                [basic]
                node_size = 1
                group_size = 2
                ckpt_io = 3
                ckpt_dir = DIR/Local
                glbl_dir = DIR/Global
                meta_dir = DIR/Meta
                verbosity = 3
                head = 0
                [restart]
                failure = 0
                [advanced]
                local_test = 1
                block_size = 1024
                """
                        .replace("DIR", directory.toString()));
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(config, comm)) {
                checkpoints.protect(1, new byte[100_000]);
                for (int id = 1; id <= 3; id++) {
                    checkpoints.checkpoint(id, Level.L1);
                }
                checkpoints.checkpoint(4, Level.L2);
                checkpoints.complete();
            }
        });
    }

    @Test
    void printsWhatALevelCosts() throws IOException {
        takeCheckpoints();
        assertThat(command.run("stat", log)).as(command.err()).isZero();
        assertThat(command.out())
                .contains("starts: 1, recoveries: 0, rebuilds: 0, failures: 0, ends: 1")
                .containsPattern("L1 +3 +10\\d{4} ")
                .containsPattern("L2 +1 +10\\d{4} .*of 3\\)");
    }

    @Test
    void printsJson() throws IOException {
        takeCheckpoints();
        assertThat(command.run("stat", "--json", log)).isZero();
        Map<String, Object> stat = JSON.std.mapFrom(command.out());
        assertThat(stat).containsEntry("start", 1).containsEntry("unreadable_lines", 0);
        List<?> levels = (List<?>) stat.get("levels");
        assertThat(levels).hasSize(2);
        assertThat(levels.get(0).toString()).contains("level=L1, number=3");
    }

    @Test
    void drawsTheTimeline() throws IOException {
        takeCheckpoints();
        Path svg = directory.resolve("stat.svg");
        assertThat(command.run("stat", "-o", svg, log)).isZero();
        assertThat(svg)
                .content()
                .startsWith("<?xml")
                .contains("checkpoint 4: ", ">L2</text>", "exchange")
                .endsWith("</svg>\n");
    }

    /** A kill cuts the last line, and a restart begins a new one. */
    @Test
    void aCutLineIsCounted() throws IOException {
        takeCheckpoints();
        Files.writeString(log, "{\"time\":\"2026-11-2", StandardOpenOption.APPEND);
        takeCheckpoints();
        assertThat(command.run("stat", log)).isZero();
        assertThat(command.out()).contains("starts: 2,", "lines that are no events, or cut: 1");
    }

    @Test
    void logsOfSeveralRanksCountACheckpointOnce() throws IOException {
        System.setProperty("drumlin.log", directory.resolve("rank%r.json").toString());
        takeCheckpoints();
        assertThat(command.run("stat", directory.resolve("rank0.json"), directory.resolve("rank1.json")))
                .isZero();
        assertThat(command.out()).containsPattern("L1 +3 ");
    }

    @Test
    void readsARecording() throws IOException {
        Path file = directory.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            takeCheckpoints();
            recording.dump(file);
        }
        assertThat(command.run("stat", file)).as(command.err()).isZero();
        assertThat(command.out()).containsPattern("L1 +3 ").containsPattern("L2 +1 .*of \\d+\\)");
    }

    /** What the JDK's parser throws then is no mistake of the command. */
    @Test
    void aDamagedRecordingIsNoMistakeOfTheProgram() throws IOException {
        Path file = directory.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            takeCheckpoints();
            recording.dump(file);
        }
        byte[] whole = Files.readAllBytes(file);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 60; i++) {
            byte[] damaged = Arrays.copyOf(whole, i % 3 == 0 ? 4 + random.nextInt(whole.length - 4) : whole.length);
            for (int flip = 0; flip < 8; flip++) {
                damaged[4 + random.nextInt(Math.min(damaged.length, i % 2 == 0 ? 2000 : damaged.length) - 4)] =
                        (byte) random.nextInt();
            }
            Files.write(file, damaged);
            assertThat(command.run("stat", file))
                    .as("seed %d, file %d: %s", seed, i, command.err())
                    .isNotEqualTo(ExitCode.MISTAKE);
            assertThat(command.err()).doesNotContain("\tat ");
        }
    }

    @Test
    void refusesAnotherFile() throws IOException {
        Path other = Files.write(directory.resolve("other"), new byte[100_000]);
        assertThat(command.run("stat", other)).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("there are no events");
        assertThat(command.run("stat", directory.resolve("missing"))).isEqualTo(ExitCode.IO_ERROR);
    }
}
