package io.drumlin.gsd;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Mpirun;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.gsd.internal.GsdVerifier;
import io.drumlin.format.internal.Findings;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames of a program that does not close its file get there all the same, and no part of an unfinished frame does. */
@Timeout(120)
class GsdUnclosedTest {

    private static final int FRAMES = 200;

    @TempDir
    Path directory;

    private Path path;

    @BeforeEach
    void choosePath() {
        path = directory.resolve("trajectory.gsd");
    }

    /** Appends frames and the beginning of another one, says so, and does not close the file. */
    static final class Target {

        private Target() {}

        /** Arguments: the file; how the program ends. */
        public static void main(String[] arguments) throws IOException {
            if (arguments[1].equals("ranks")) {
                ThreadCommunicator.run(
                        2, world -> exitWithin(HoomdTrajectory.create(Path.of(arguments[0]), world), world));
            }
            HoomdTrajectory trajectory = HoomdTrajectory.create(Path.of(arguments[0]));
            if (arguments[1].equals("wait")) {
                trajectory.file().setMaximumAge(Duration.ofMillis(20));
            }
            for (int i = 0; i < FRAMES; i++) {
                trajectory.append(frame(i));
            }
            trajectory.file().writeChunk("log/unfinished", ChunkData.of(1.0));
            System.out.println("appended");
            switch (arguments[1]) {
                case "exit" -> System.exit(0);
                case "exit of the thread that has the file" -> {
                    synchronized (trajectory.file()) {
                        System.exit(0);
                    }
                }
                case "return" -> {}
                default -> System.in.read();
            }
        }
    }

    /** Rank 0 ends the JVM while rank 1 waits for it in a call. */
    private static void exitWithin(HoomdTrajectory trajectory, Communicator world) throws IOException {
        trajectory.append(frame(0));
        System.out.println("appended");
        if (world.rank() == 0) {
            System.exit(0);
        }
        trajectory.flush();
    }

    private static HoomdFrame frame(int step) {
        HoomdFrame frame = new HoomdFrame();
        frame.configuration.step = (long) step;
        frame.particles.n = 1;
        frame.particles.position = new float[] {step, 1, 2};
        return frame;
    }

    private Process started(String end) throws IOException {
        Process writer = Mpirun.oneJvm(Target.class, path.toString(), end)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader messages = writer.inputReader();
        assertThat(messages.readLine()).isEqualTo("appended");
        return writer;
    }

    private void assertAllFrames() throws IOException {
        Findings findings = new Findings();
        GsdVerifier.verify(new MemoryByteSource(ByteBuffer.wrap(Files.readAllBytes(path))), findings);
        assertThat(findings.list()).isEmpty();
        try (HoomdTrajectory trajectory = HoomdTrajectory.open(path, Access.READ)) {
            assertThat(trajectory.frameCount()).isEqualTo(FRAMES);
            assertThat(trajectory.read(FRAMES - 1).particles.position).containsExactly(FRAMES - 1, 1, 2);
        }
    }

    private long frames() throws IOException {
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            return file.frameCount();
        }
    }

    /** The age also bounds how long the last frames stay in memory when no more are appended. */
    @Test
    void framesAreInTheFileAtTheirAge() throws Exception {
        Process writer = started("wait");
        try {
            while (frames() < FRAMES) {
                LockSupport.parkNanos(1_000_000);
            }
        } finally {
            writer.toHandle().destroyForcibly();
            writer.waitFor();
        }
        assertAllFrames();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit", "return", "exit of the thread that has the file"})
    void framesAreInTheFileWhenTheProgramEnds(String end) throws Exception {
        assertThat(started(end).waitFor()).isZero();
        assertAllFrames();
    }

    @Test
    void framesAreInTheFileAfterSigterm() throws Exception {
        Process writer = started("until SIGTERM");
        // Its handle leaves its input open, for whose end it waits.
        assertThat(writer.toHandle().destroy()).isTrue();
        assertThat(writer.waitFor()).isEqualTo(128 + 15);
        assertAllFrames();
    }

    /** No flush of a rank alone waits for the other ranks. */
    @Test
    void theEndOfOneRankWaitsForNoOther() throws Exception {
        assertThat(started("ranks").waitFor()).isZero();
        assertThat(frames()).isZero();
    }

    /** One rank whose time has come is enough; no rank reads another's clock. */
    @Test
    void theAgeOfOneRankIsThatOfAll() throws IOException {
        ThreadCommunicator.run(3, world -> {
            try (HoomdTrajectory trajectory = HoomdTrajectory.create(path, world)) {
                if (world.rank() == 1) {
                    trajectory.file().setMaximumAge(Duration.ZERO);
                }
                for (int i = 0; i < 5; i++) {
                    trajectory.append(frame(i));
                    world.barrier();
                    assertThat(frames()).isEqualTo(i + 1);
                    world.barrier();
                }
            }
        });
    }

    @Test
    void theAgeIsBoundedUnlessAnotherIsSet() throws IOException {
        try (GsdFile file = GsdFile.create(path, "test", "none", HoomdTrajectory.SCHEMA_VERSION)) {
            assertThat(file.maximumAge()).isEqualTo(Duration.ofSeconds(10));
        }
    }
}
