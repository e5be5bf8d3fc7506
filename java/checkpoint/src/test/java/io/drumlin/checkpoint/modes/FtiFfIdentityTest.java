package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.internal.run.EngineCheckpoints;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.Layout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of different checkpoints, ranks or ids lie where those of one checkpoint belong: they are not taken for one. */
class FtiFfIdentityTest {

    private static final int RANKS = 4;
    private static final int ID = 7;

    @TempDir
    Path directory;

    private Path root;
    private RunFixture run;

    @BeforeEach
    void prepare() throws IOException {
        root = Files.createDirectories(directory.resolve("run"));
        run = new RunFixture(root, configuration());
    }

    private static Map<String, String> configuration() {
        Map<String, String> config = new HashMap<>();
        config.put("basic.node_size", "1");
        config.put("basic.group_size", "2");
        config.put("basic.enable_dcp", "1");
        config.put("basic.dcp_mode", "1");
        config.put("basic.dcp_block_size", "512");
        return config;
    }

    /** Two checkpoints with one id; node 0, or its file on the parallel file system, comes back as it was after the first. */
    @ParameterizedTest
    @EnumSource
    void aNodeReturnsWithAnOldDisk(Level level) throws IOException {
        checkpoint(level, 1);
        Path old = directory.resolve("old");
        Tamper.copy(root, old);
        checkpoint(level, 2);
        for (Path file : files(root, level)) {
            if (file.toString().contains("node0/")
                    || file.getFileName().toString().contains("-Rank0.")) {
                Files.delete(file);
            }
        }
        for (Path file : files(old, level)) {
            if (file.toString().contains("node0/")
                    || file.getFileName().toString().contains("-Rank0.")) {
                Path target = root.resolve(old.relativize(file).toString());
                Files.copy(file, target);
            }
        }
        assertThat(restart()).containsOnly(hasRedundancy(level) ? "2" : "nothing");
    }

    @ParameterizedTest
    @EnumSource
    void twoRanksFilesAreExchanged(Level level) throws IOException {
        checkpoint(level, 3);
        exchange(level, "-Rank0.", "-Rank1.");
        assertThat(restart()).containsOnly(hasRedundancy(level) ? "3" : "nothing");
    }

    /** No file is under its own name then, so that none is left by which the others could be judged. */
    @ParameterizedTest
    @EnumSource
    void allRanksFilesAreExchanged(Level level) throws IOException {
        checkpoint(level, 3);
        exchange(level, "-Rank0.", "-Rank2.");
        exchange(level, "-Rank1.", "-Rank3.");
        assertThat(restart()).containsOnly(hasRedundancy(level) ? "3" : "nothing");
    }

    /** The right file is lost; with the wrong copy, or code, of which there would be enough, the others' data would be made. */
    @ParameterizedTest
    @CsvSource({"L2, -Pcof0., -Pcof2.", "L2, -Pcof1., -Pcof3.", "L3, -RSed0., -RSed2.", "L3, -RSed1., -RSed3."})
    void twoRanksRedundancyIsExchanged(Level level, String one, String other) throws IOException {
        checkpoint(level, 3);
        exchange(level, one, other);
        delete(level, "-Rank0.");
        delete(level, "-Rank1.");
        delete(level, "-Rank2.");
        delete(level, "-Rank3.");
        assertThat(restart()).containsOnly("nothing");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "L4_DCP")
    void allFilesHaveTheNamesOfAnotherId(Level level) throws IOException {
        checkpoint(level, 3);
        for (Path file : files(root, level)) {
            Files.move(
                    file, file.resolveSibling(file.getFileName().toString().replace("Ckpt" + ID, "Ckpt" + (ID + 1))));
        }
        assertThat(restart()).containsOnly("nothing");
    }

    /** As C FTI's, whose ranks each read a clock. */
    @ParameterizedTest
    @EnumSource
    void filesWithoutStampsAreTakenById(Level level) throws IOException {
        checkpoint(level, 3);
        unstamp(level, rank -> 1000 + rank);
        assertThat(restart()).containsOnly("3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"L1", "L4"})
    void filesWithTwoTimestampsAreRefused(Level level) throws IOException {
        checkpoint(level, 3);
        unstamp(level, rank -> 1000 + rank / 2);
        assertThat(restart()).containsOnly("nothing");
    }

    @ParameterizedTest
    @EnumSource
    void filesWithAndWithoutStampsAreNotMixed(Level level) throws IOException {
        checkpoint(level, 3);
        unstamp(level, rank -> rank == 2 ? -1 : 1000 + rank);
        // Of level 2 and 3 the others could be made of one that is stamped: no rank has enough.
        assertThat(restart()).containsOnly("nothing");
    }

    private static boolean hasRedundancy(Level level) {
        return level == Level.L2 || level == Level.L3;
    }

    private void checkpoint(Level level, int value) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = new int[1000 + 500 * (comm.rank() % 2)];
            checkpoints.protect(0, values);
            Arrays.fill(values, value * 1000 + comm.rank());
            checkpoints.discardRestart();
            checkpoints.checkpoint(ID, level);
            ((EngineCheckpoints) checkpoints).awaitDeletion();
        });
    }

    /** What each rank gets back: the value of its checkpoint if all is its own. */
    private List<String> restart() throws IOException {
        List<String> outcomes = new ArrayList<>(Collections.nCopies(RANKS, "?"));
        ThreadCommunicator.run(RANKS, comm -> {
            String outcome;
            try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm)) {
                int[] values = new int[1000 + 500 * (comm.rank() % 2)];
                checkpoints.protect(0, values);
                checkpoints.recover();
                int value = (values[0] - comm.rank()) / 1000;
                boolean own = Arrays.stream(values).allMatch(each -> each == value * 1000 + comm.rank());
                outcome = own ? Integer.toString(value) : "wrong: " + values[0];
            } catch (IOException e) {
                outcome = e.getMessage().contains("at no level") ? "nothing" : e.toString();
            }
            synchronized (outcomes) {
                outcomes.set(comm.rank(), outcome);
            }
        });
        return outcomes;
    }

    private List<Path> files(Path where, Level level) throws IOException {
        String name = level == Level.L4_DCP ? "dCP" : "l" + level.number();
        try (Stream<Path> all = Files.walk(where)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> file.getParent().endsWith(name))
                    .sorted()
                    .toList();
        }
    }

    private Path file(Level level, String part) throws IOException {
        return files(root, level).stream()
                .filter(file -> file.getFileName().toString().contains(part))
                .findFirst()
                .orElseThrow();
    }

    private void delete(Level level, String part) throws IOException {
        Files.delete(file(level, part));
    }

    private void exchange(Level level, String one, String other) throws IOException {
        Path first = file(level, one);
        Path second = file(level, other);
        Path aside = directory.resolve("aside");
        Files.move(first, aside);
        Files.move(second, first);
        Files.move(aside, second);
    }

    /** Takes the stamps away; a timestamp below 0 leaves a rank's file alone. */
    private void unstamp(Level level, IntToLongFunction timestamp) throws IOException {
        for (Path file : files(root, level)) {
            String name = file.getFileName().toString();
            int rank = Integer.parseInt(name.replaceAll(".*-(Rank|Pcof|RSed)(\\d+).fti", "$2"));
            int content = name.contains("-Pcof") ? rank ^ 1 : rank;
            if (timestamp.applyAsLong(content) < 0) {
                continue;
            }
            byte[] bytes = Files.readAllBytes(file);
            FtiFfFile read = FtiFfFile.read(new MemoryByteSource(ByteBuffer.wrap(bytes)));
            FileMeta meta = read.meta();
            Layout layout = read.layout();
            FileMeta sealed = read.encoded()
                    ? layout.sealEncoded(
                            meta.checksum(), ID, timestamp.applyAsLong(content), meta.ckptSize(), meta.maxFs())
                    : layout.seal(read.blocks(), ID, timestamp.applyAsLong(content), meta.maxFs(), meta.ptFs());
            ByteBuffer record = ByteBuffer.allocate(layout.fileMetaLength());
            layout.put(record, sealed);
            System.arraycopy(record.array(), 0, bytes, bytes.length - record.capacity(), record.capacity());
            Files.write(file, bytes);
        }
    }
}
