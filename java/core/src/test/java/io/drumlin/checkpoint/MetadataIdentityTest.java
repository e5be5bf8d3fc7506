package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.internal.run.EngineCheckpoints;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Metadata that were changed, are of another checkpoint or group, or of another mode: they are refused with words. */
class MetadataIdentityTest {

    private static final int RANKS = 4;

    @TempDir
    Path directory;

    private RunFixture run;

    @BeforeEach
    void prepare() throws IOException {
        run = new RunFixture(directory, Map.of("basic.node_size", "2", "basic.group_size", "2"));
    }

    @ParameterizedTest
    @CsvSource({"1, L1", "1, L3", "2, L4", "4, L4", "5, L2"})
    void anyFlippedBitIsFound(int ioMode, Level level) throws IOException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        mode(ioMode);
        checkpoint(level, 1);
        Path file = metadata(level, "sector0-group1.fti");
        byte[] whole = Files.readAllBytes(file);
        for (int i = 0; i < 12; i++) {
            byte[] changed = whole.clone();
            int bit = random.nextInt(8 * whole.length);
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(file, changed);
            assertThat(restart()).as("bit %d", bit).allMatch(outcome -> outcome.contains("at no level"));
        }
        Files.write(file, whole);
        assertThat(restart()).containsOnly("1");
    }

    @ParameterizedTest
    @CsvSource({"1, L1", "2, L4"})
    void groupsOfTwoCheckpointsWithOneIdAreNotMixed(int ioMode, Level level) throws IOException {
        mode(ioMode);
        checkpoint(level, 1);
        Path file = metadata(level, "sector0-group1.fti");
        byte[] old = Files.readAllBytes(file);
        Path data = data(level, "Ckpt7-Rank1.");
        byte[] oldData = data == null ? null : Files.readAllBytes(data);
        checkpoint(level, 2);
        Files.write(metadata(level, "sector0-group1.fti"), old);
        if (data != null) {
            for (int rank : new int[] {1, 3}) {
                Files.write(data(level, "Ckpt7-Rank" + rank + "."), oldData);
            }
        }
        assertThat(restart()).allMatch(outcome -> outcome.contains("at no level"));
    }

    @Test
    void theMetadataOfTwoGroupsAreExchanged() throws IOException {
        mode(1);
        checkpoint(Level.L1, 1);
        Path first = metadata(Level.L1, "sector0-group0.fti");
        Path second = metadata(Level.L1, "sector0-group1.fti");
        byte[] bytes = Files.readAllBytes(first);
        Files.copy(second, first, StandardCopyOption.REPLACE_EXISTING);
        Files.write(second, bytes);
        assertThat(restart()).allMatch(outcome -> outcome.contains("at no level"));
    }

    @ParameterizedTest
    @CsvSource({
        "5, 1, L1, HDF5",
        "5, 2, L1, HDF5",
        "5, 4, L2, HDF5",
        "5, 1, L4, HDF5",
        "5, 2, L4, HDF5",
        "5, 3, L1, HDF5",
        "1, 5, L1, POSIX",
        "2, 5, L4, MPI-IO",
        "1, 3, L1, POSIX",
        "1, 3, L4, POSIX",
        "2, 3, L4, MPI-IO",
        "3, 1, L1, FTI-FF",
        "3, 1, L4, FTI-FF",
        "3, 5, L2, FTI-FF",
        "3, 2, L4, FTI-FF",
        "2, 4, L4, MPI-IO",
        "4, 2, L4, SIONlib",
        "2, 1, L4, MPI-IO",
        "1, 2, L4, POSIX"
    })
    void anotherModeIsRefusedByItsName(int written, int read, Level level, String name) throws IOException {
        refuse(written, read, level, name, false);
    }

    /** What C FTI writes does not name the mode. */
    @ParameterizedTest
    @CsvSource({"5, 1, L1, HDF5", "5, 2, L4, HDF5", "5, 4, L3, HDF5", "1, 5, L1, POSIX"})
    void anotherModeOfCFtiIsRefused(int written, int read, Level level, String name) throws IOException {
        refuse(written, read, level, name, true);
    }

    private void refuse(int written, int read, Level level, String name, boolean asCFti) throws IOException {
        mode(written);
        checkpoint(level, 1);
        if (asCFti) {
            for (String group : List.of("sector0-group0.fti", "sector0-group1.fti")) {
                unseal(metadata(level, group));
            }
        }
        List<String> files = run.files();
        mode(read);
        assertThat(restart()).allMatch(outcome -> outcome.contains("at no level") && outcome.contains(name));
        assertThat(run.files()).isEqualTo(files);
        mode(written);
        assertThat(restart()).containsOnly("1");
    }

    @ParameterizedTest
    @CsvSource({"1, 2, L1", "2, 4, L2", "4, 1, L3"})
    void filesOfBareDataAreReadInEachOfTheirModes(int written, int read, Level level) throws IOException {
        mode(written);
        checkpoint(level, 1);
        mode(read);
        assertThat(restart()).containsOnly("1");
    }

    /** As C FTI writes it. */
    static void unseal(Path metadata) throws IOException {
        String text = Files.readString(metadata, StandardCharsets.ISO_8859_1);
        String bare = text.replaceAll("(?m)^drumlin_.*\n", "").replaceAll("\\[drumlin]\nseal.*\n\n", "");
        Files.writeString(metadata, bare, StandardCharsets.ISO_8859_1);
    }

    private void mode(int ioMode) throws IOException {
        String text = Files.readString(run.config());
        Files.writeString(run.config(), text.replaceAll("(?m)^(ckpt_io\\s*=).*", "$1 " + ioMode));
    }

    private void checkpoint(Level level, int value) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = new int[2000];
            checkpoints.protect(0, values);
            Arrays.fill(values, value);
            checkpoints.discardRestart();
            checkpoints.checkpoint(7, level);
            ((EngineCheckpoints) checkpoints).awaitDeletion();
        });
    }

    private List<String> restart() throws IOException {
        List<String> outcomes = new ArrayList<>(Collections.nCopies(RANKS, "?"));
        ThreadCommunicator.run(RANKS, comm -> {
            String outcome;
            try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm)) {
                int[] values = new int[2000];
                checkpoints.protect(0, values);
                checkpoints.recover();
                int[] same = new int[2000];
                Arrays.fill(same, values[0]);
                outcome = Arrays.equals(values, same) ? "" + values[0] : "mixed";
            } catch (IOException e) {
                outcome = e.getMessage();
            }
            synchronized (outcomes) {
                outcomes.set(comm.rank(), outcome);
            }
        });
        return outcomes;
    }

    private Path metadata(Level level, String name) throws IOException {
        return directory
                .resolve("Meta")
                .resolve(run.restartValue("exec_id"))
                .resolve("l" + level.number())
                .resolve(name);
    }

    /** Null where there is no file of the rank alone. */
    private Path data(Level level, String name) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.getParent().endsWith("l" + level.number()))
                    .filter(file -> file.getFileName().toString().startsWith(name))
                    .findFirst()
                    .orElse(null);
        }
    }
}
