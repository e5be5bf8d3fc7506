package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** What the modes promise of the metadata that they keep apart from the data, a file for each group. */
public interface SeparateMetadataContract {

    /** See {@link IoModeContract}. */
    RunFixture make(Map<String, String> changes) throws IOException;

    /** See {@link IoModeContract}. */
    int ioMode();

    /** One of the files, such as {@code l1/sector0-group0.fti}. */
    static Path metadata(RunFixture run, String place) throws IOException {
        return run.directory()
                .resolve("Meta")
                .resolve(run.restartValue("exec_id"))
                .resolve(place);
    }

    /** C FTI: some ranks recover another checkpoint than the others, and the job hangs. */
    @Test
    default void ranksDoNotPartWhenTheMetadataOfOneGroupAreMissing() throws IOException {
        RunFixture run = make(Map.of());
        IoModeContract.take(run, 5, Level.L4, Level.L2, Level.L1);
        Files.delete(metadata(run, "l1/sector1-group0.fti"));
        IoModeContract.recover(run, 6, Level.L2);
        Files.writeString(metadata(run, "l2/sector0-group0.fti"), "[ckpt_info]\nckpt_type = full\n");
        IoModeContract.recover(run, 5, Level.L4);
    }

    @Test
    default void anArrayOfArraysHasItsDimensions() throws IOException {
        RunFixture run = make(Map.of());
        run.run(IoModeContract.RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new double[2][3]);
            checkpoints.protect(0, new double[4][3][2]);
            checkpoints.protect(1, new double[0][3]);
            checkpoints.checkpoint(1, Level.L1);
        });
        String text = Files.readString(metadata(run, "l1/sector0-group0.fti"));
        assertThat(text.replaceAll(" +", " "))
                .contains("var0_ndims = 3\nvar0_dim0 = 4\nvar0_dim1 = 3\nvar0_dim2 = 2\n")
                .contains("var1_ndims = 0\n");
    }

    /** C programs begin to count where they like. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "L4_DCP")
    default void aCheckpointMayHaveId0(Level level) throws IOException {
        RunFixture run = make(Map.of());
        IoModeContract.take(run, 0, level);
        if (level != Level.L1) {
            run.loseNode(2);
        }
        IoModeContract.recover(run, 0, level);
    }

    /** Makes of a file what C FTI writes. */
    static void unseal(Path metadata) throws IOException {
        String text = Files.readString(metadata, StandardCharsets.ISO_8859_1);
        String bare = text.replaceAll("(?m)^drumlin_.*\n", "").replaceAll("\\[drumlin]\nseal.*\n\n", "");
        Files.writeString(metadata, bare, StandardCharsets.ISO_8859_1);
    }

    private static String group(Level level, int group) {
        return "l" + level.number() + "/sector0-group" + group + ".fti";
    }

    private RunFixture withTwoGroups() throws IOException {
        return make(Map.of("basic.node_size", "2"));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "L4_DCP")
    default void anyFlippedBitIsFound(Level level) throws IOException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        RunFixture run = withTwoGroups();
        IoModeContract.takeSteps(run, level, 1);
        Path file = metadata(run, group(level, 1));
        byte[] whole = Files.readAllBytes(file);
        for (int i = 0; i < 12; i++) {
            byte[] changed = whole.clone();
            int bit = random.nextInt(8 * whole.length);
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(file, changed);
            assertThat(IoModeContract.restart(run))
                    .as("bit %d", bit)
                    .allMatch(outcome -> outcome.contains("at no level"));
        }
        Files.write(file, whole);
        assertThat(IoModeContract.restart(run)).containsOnly("1");
    }

    @ParameterizedTest
    @EnumSource(names = {"L1", "L4"})
    default void groupsOfTwoCheckpointsWithOneIdAreNotMixed(Level level) throws IOException {
        RunFixture run = withTwoGroups();
        IoModeContract.takeSteps(run, level, 1);
        Map<Path, byte[]> old = new HashMap<>();
        Path metadata = metadata(run, group(level, 1));
        old.put(metadata, Files.readAllBytes(metadata));
        for (Path file : filesOfRanks(run, level, "Ckpt7-Rank[13]\\..*")) {
            old.put(file, Files.readAllBytes(file));
        }
        IoModeContract.takeSteps(run, level, 2);
        for (Map.Entry<Path, byte[]> file : old.entrySet()) {
            Files.write(file.getKey(), file.getValue());
        }
        assertThat(IoModeContract.restart(run)).allMatch(outcome -> outcome.contains("at no level"));
    }

    /** None where all ranks share a file. */
    private static List<Path> filesOfRanks(RunFixture run, Level level, String name) throws IOException {
        try (Stream<Path> all = Files.walk(run.directory())) {
            return all.filter(file -> file.getParent().endsWith("l" + level.number()))
                    .filter(file -> file.getFileName().toString().matches(name))
                    .toList();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"L1", "L4"})
    default void theMetadataOfTwoGroupsAreExchanged(Level level) throws IOException {
        RunFixture run = withTwoGroups();
        IoModeContract.takeSteps(run, level, 1);
        Path first = metadata(run, group(level, 0));
        Path second = metadata(run, group(level, 1));
        byte[] bytes = Files.readAllBytes(first);
        Files.copy(second, first, StandardCopyOption.REPLACE_EXISTING);
        Files.write(second, bytes);
        assertThat(IoModeContract.restart(run)).allMatch(outcome -> outcome.contains("at no level"));
    }

    /** What C FTI writes does not name the mode. Files of bare data are said to be of POSIX, which reads them; those of HDF5 are their own. */
    @ParameterizedTest
    @CsvSource({"1, L1", "2, L4", "4, L3", "5, L1", "5, L3"})
    default void anotherModeOfCFtiIsRefused(int other, Level level) throws IOException {
        RunFixture run = withTwoGroups();
        IoModeContract.takeSteps(run, level, 1);
        unseal(metadata(run, group(level, 0)));
        unseal(metadata(run, group(level, 1)));
        List<String> files = run.files();
        IoModeContract.useMode(run, other);
        if ((other == 5) != (ioMode() == 5)) {
            String name = ioMode() == 5 ? "HDF5" : "POSIX";
            assertThat(IoModeContract.restart(run))
                    .allMatch(outcome -> outcome.contains("at no level") && outcome.contains(name));
            assertThat(run.files()).isEqualTo(files);
        }
        IoModeContract.useMode(run, ioMode());
        assertThat(IoModeContract.restart(run)).containsOnly("1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    default void dataOrWordsWhateverBitIsWrong(boolean likeC) throws IOException {
        flipBits(likeC, 149);
    }

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    default void dataOrWordsWhicheverBitIsWrong(boolean likeC) throws IOException {
        flipBits(likeC, 1);
    }

    private void flipBits(boolean likeC, int step) throws IOException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        RunFixture run = make(Map.of("basic.group_size", "1"));
        run.run(1, (checkpoints, comm) -> {
            for (int id = 1; id <= 3; id++) {
                checkpoints.protect(id, few(id));
            }
            checkpoints.checkpoint(1, Level.L1);
        });
        Path file = run.file("sector0-group0.fti");
        if (likeC) {
            forgetOrigin(file);
        }
        byte[] whole = Files.readAllBytes(file);
        String config = Files.readString(run.config());
        for (int bit = new Random(seed).nextInt(step); bit < whole.length * Byte.SIZE; bit += step) {
            byte[] damaged = whole.clone();
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            Files.createDirectories(file.getParent());
            Files.write(file, damaged);
            Files.writeString(run.config(), config);
            requireDataOrRefusal(run, "bit " + bit);
            assertThat(run.directory().resolve("Local")).exists();
        }
    }

    /** What C FTI writes, but for the digests of files. */
    private static void forgetOrigin(Path file) throws IOException {
        GroupMetadata whole;
        try (BlockFile open = new NioEngine().open(file, EnumSet.of(OpenMode.READ))) {
            whole = GroupMetadata.read(new BlockFileSource(open));
        }
        try (OutputStream out = Files.newOutputStream(file)) {
            new GroupMetadata(whole.type(), whole.ckptId(), whole.files()).write(out);
        }
    }

    private static void requireDataOrRefusal(RunFixture run, String what) {
        Map<Integer, byte[]> arrays = new HashMap<>();
        try {
            run.run(1, (checkpoints, comm) -> {
                for (int id = 1; id <= 3; id++) {
                    arrays.put(id, new byte[few(id).length]);
                    checkpoints.protect(id, arrays.get(id));
                }
                checkpoints.recover();
            });
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
            return;
        }
        arrays.forEach((id, array) -> assertThat(array).as(what).isEqualTo(few(id)));
    }

    /** Of one size, so that one could be taken for another. */
    private static byte[] few(int seed) {
        byte[] values = new byte[24];
        new Random(seed).nextBytes(values);
        return values;
    }
}
