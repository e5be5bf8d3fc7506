package io.drumlin.gsd;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.Golden;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.gsd.Version;
import io.drumlin.format.gsd.internal.GsdVerifier;
import io.drumlin.format.internal.Findings;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever a kill or a power loss leaves of a file that is being written can be opened, holds whole frames only, at least those of the
 * last flush that ended, and takes more frames.
 */
class GsdCrashTest {

    @TempDir
    Path directory;

    /** Frames per flush: one sector, several sectors, more than the index holds. */
    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"KILL, 1, 6", "KILL, 7, 6", "KILL, 60, 2", "POWER_LOSS, 1, 6", "POWER_LOSS, 7, 6", "POWER_LOSS, 60, 2"})
    void wholeFramesSurvive(Crash crash, int framesPerFlush, int flushCount) throws IOException {
        Path folder = Files.createDirectories(directory.resolve("run"));
        FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
        Path path = folder.resolve("file.gsd");
        GsdFile.at(path)
                .storage(storage)
                .create("test", "none", new Version(1, 0))
                .close();
        List<Integer> flushed = new ArrayList<>();
        CrashJournal journal = storage.record(folder);
        try (GsdFile open = GsdFile.at(path).storage(storage).open(Access.READ_WRITE)) {
            open.setMaximumWriteBufferSize(500);
            int frame = 0;
            for (int flush = 0; flush < flushCount; flush++) {
                for (int i = 0; i < framesPerFlush; i++) {
                    writeFrame(open, frame++);
                }
                open.flush();
                flushed.add(journal.size());
            }
        }
        long seed = new Random().nextLong();
        System.out.printf("seed %d, %d operations%n", seed, journal.size());
        Random random = new Random(seed);
        for (int prefix = 0; prefix <= journal.size(); prefix++) {
            int end = prefix;
            long flushes = flushed.stream().filter(position -> position <= end).count();
            Path copy = Files.createDirectories(directory.resolve("replay-" + prefix));
            journal.replay(prefix, copy, crash, random);
            check(copy.resolve("file.gsd"), flushes * framesPerFlush, "after operation " + prefix);
        }
    }

    private static void writeFrame(GsdFile file, int frame) throws IOException {
        file.writeChunk("step", new int[] {frame}, 1, 1);
        file.writeChunk("value " + frame % 90 + " with a name that is not short", new double[] {frame}, 1, 1);
        if (frame % 5 == 0) {
            file.writeChunk("large", new int[200], 200, 1);
        }
        file.endFrame();
    }

    private static void check(Path path, long atLeast, String story) throws IOException {
        assertSound(path, story);
        long frames;
        try (GsdFile file = GsdFile.at(path)
                .storage(new FaultyEngine(new NioEngine(), false))
                .open(Access.READ_WRITE)) {
            frames = file.frameCount();
            assertThat(frames).as(story).isGreaterThanOrEqualTo(atLeast);
            for (int frame = 0; frame < frames; frame++) {
                assertThat(file.frame(frame).chunks()).as(story).hasSize(frame % 5 == 0 ? 3 : 2);
                assertThat(file.findChunk(frame, "step").orElseThrow().ints()).containsExactly(frame);
            }
            writeFrame(file, (int) frames);
        }
        try (GsdFile file = GsdFile.at(path)
                .storage(new FaultyEngine(new NioEngine(), false))
                .open(Access.READ)) {
            assertThat(file.frameCount()).as(story).isEqualTo(frames + 1);
            assertThat(file.findChunk(frames, "step").orElseThrow().ints()).containsExactly((int) frames);
        }
        assertSound(path, story);
    }

    private static void assertSound(Path path, String story) throws IOException {
        Findings findings = new Findings();
        GsdVerifier.verify(new MemoryByteSource(ByteBuffer.wrap(Files.readAllBytes(path))), findings);
        assertThat(findings.list()).as(story).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Crash.class)
    void truncatingLeavesAllOrNothing(Crash crash) throws IOException {
        Path folder = Files.createDirectories(directory.resolve("run"));
        FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
        Path path = folder.resolve("file.gsd");
        try (GsdFile file = GsdFile.at(path).storage(storage).create("test", "none", new Version(1, 0))) {
            for (int frame = 0; frame < 100; frame++) {
                writeFrame(file, frame);
            }
        }
        replayAll(folder, storage, crash, GsdFile::truncate, 0, 100);
    }

    @ParameterizedTest
    @EnumSource(Crash.class)
    void upgradingLosesNothing(Crash crash) throws IOException {
        Path golden = Golden.path("gsd", "v10_index_growth", "file.gsd");
        Path folder = Files.createDirectories(directory.resolve("run"));
        Files.write(folder.resolve("file.gsd"), Files.readAllBytes(golden));
        replayAll(folder, new FaultyEngine(new NioEngine(), false), crash, GsdFile::upgrade, 153, 153);
    }

    private interface Change {
        void apply(GsdFile file) throws IOException;
    }

    private void replayAll(Path folder, FaultyEngine storage, Crash crash, Change change, long... allowed)
            throws IOException {
        CrashJournal journal = storage.record(folder);
        try (GsdFile file =
                GsdFile.at(folder.resolve("file.gsd")).storage(storage).open(Access.READ_WRITE)) {
            change.apply(file);
        }
        Random random = new Random(1);
        for (int prefix = 0; prefix <= journal.size(); prefix++) {
            for (int round = 0; round < 10; round++) {
                Path copy = Files.createDirectories(directory.resolve("replay-" + prefix + "-" + round));
                journal.replay(prefix, copy, crash, random);
                Path path = copy.resolve("file.gsd");
                assertSound(path, "after operation " + prefix);
                try (GsdFile file = GsdFile.at(path)
                        .storage(new FaultyEngine(new NioEngine(), false))
                        .open(Access.READ)) {
                    long frames = file.frameCount();
                    assertThat(allowed).contains(frames);
                    for (long frame = 0; frame < frames; frame++) {
                        assertThat(file.frame(frame).chunks()).isNotEmpty();
                    }
                }
            }
        }
    }
}
