package io.drumlin.gsd;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.gsd.Version;
import io.drumlin.format.gsd.internal.GsdVerifier;
import io.drumlin.format.internal.Findings;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that is killed while it writes leaves a file that opens, holds whole frames only and all that were flushed, and is
 * added to by the next process, which is killed too.
 */
class GsdKillTest {

    private static final int FEW = 4;
    private static final int MANY = 100;

    /** A file is used for this many kills. */
    private static final int KILLS_PER_FILE = 10;

    @TempDir
    Path directory;

    private final long seed = new Random().nextLong();

    @Tag("exhaustive")
    @Test
    void aFewKills() throws IOException, InterruptedException {
        kill(FEW);
    }

    @Test
    @Tag("soak")
    void manyKills() throws IOException, InterruptedException {
        kill(MANY);
    }

    private void kill(int kills) throws IOException, InterruptedException {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Path path = directory.resolve("file.gsd");
        int ahead = 0;
        for (int kill = 0; kill < kills; kill++) {
            if (kill % KILLS_PER_FILE == 0) {
                GsdFile.create(path, "test", "none", new Version(1, 0)).close();
            }
            long flushed = writeAndKill(path, kill % 2 == 0 ? 1 : 3, random);
            long found = check(path, flushed, "kill " + kill);
            ahead += found > flushed ? 1 : 0;
        }
        System.out.println(kills + " kills; " + ahead + " times there were more frames than the writer had said");
    }

    /** How many frames the writer said were flushed. */
    private static long writeAndKill(Path path, int ranks, Random random) throws IOException, InterruptedException {
        Process writer = Mpirun.oneJvm(
                        GsdKillTarget.class, path.toString(), "" + ranks, String.valueOf(random.nextInt()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader messages = writer.inputReader()) {
            long flushed = 0;
            for (int left = 1 + random.nextInt(40); left > 0; left--) {
                flushed = Long.parseLong(messages.readLine());
            }
            // Where in the work on the next frames it dies is to be left to chance.
            LockSupport.parkNanos(random.nextInt(20_000_000));
            // Its handle kills it too, and lets read what it said before.
            assertThat(writer.toHandle().destroyForcibly()).isTrue();
            for (String line = messages.readLine(); line != null; line = messages.readLine()) {
                flushed = Long.parseLong(line);
            }
            assertThat(writer.waitFor()).as("exit status").isEqualTo(128 + 9);
            return flushed;
        } finally {
            writer.destroyForcibly();
        }
    }

    private static long check(Path path, long flushed, String story) throws IOException {
        Findings findings = new Findings();
        GsdVerifier.verify(new MemoryByteSource(ByteBuffer.wrap(Files.readAllBytes(path))), findings);
        assertThat(findings.list()).as(story).isEmpty();
        long frames;
        try (GsdFile file = GsdFile.open(path, Access.APPEND)) {
            frames = file.frameCount();
            assertThat(frames).as(story).isGreaterThanOrEqualTo(flushed);
            for (int frame = 0; frame < frames; frame++) {
                String[] names = GsdKillTarget.names(frame);
                assertThat(file.frame(frame).chunks()).as(story).hasSize(names.length);
                for (String name : names) {
                    assertThat(file.findChunk(frame, name).orElseThrow().floats())
                            .as("%s: chunk %s of frame %d", story, name, frame)
                            .isEqualTo(GsdCalls.floats(frame, GsdKillTarget.rows(name, frame)));
                }
            }
            GsdKillTarget.write(file, new SingleCommunicator(), (int) frames);
        }
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertThat(file.frameCount()).as(story).isEqualTo(frames + 1);
        }
        return frames;
    }
}
