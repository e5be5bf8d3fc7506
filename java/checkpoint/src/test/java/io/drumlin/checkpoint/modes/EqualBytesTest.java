package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.object.RandomObject;
import io.drumlin.checkpoint.internal.run.EngineBuilder;
import io.drumlin.checkpoint.internal.run.EngineCheckpoints;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every storage engine leaves the bytes that pure Java leaves. */
@Tag("native")
class EqualBytesTest {

    private static final int RANKS = 2;

    /** Of the file record, docs/formats/fti-ff.md, section 3: myHash, which covers the timestamp, and the timestamp with its mark. */
    private static final int[][] OF_THE_CLOCK_FROM_END = {{73, 57}, {5, 0}};

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"libc, aligned", "libc, compact", "native, aligned", "native, compact"})
    void asPureJava(String engine, String packing) throws IOException {
        List<String> available = StorageEngines.names();
        Assumptions.assumeTrue(available.contains(engine) && isAvailable(engine), () -> engine + " is not available");
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        List<byte[]> expected = write("nio", new NioEngine(), packing, seed);
        List<byte[]> found = write(engine, StorageEngines.byName(engine), packing, seed);
        assertThat(found).hasSameSizeAs(expected).hasSize(RANKS * 3);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(found.get(i)).as("file %d", i).isEqualTo(expected.get(i));
        }
    }

    private static boolean isAvailable(String engine) {
        try {
            StorageEngines.byName(engine);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The files after each of three checkpoints: first protection, growth, shrinking to nothing. */
    private List<byte[]> write(String name, StorageEngine engine, String packing, long seed) throws IOException {
        RunFixture run =
                new RunFixture(Files.createDirectories(directory.resolve(name)), Map.of("drumlin.packing", packing));
        List<byte[]> files = new ArrayList<>();
        Random sizes = new Random(seed);
        int[] small = IntStream.range(0, 3).map(i -> sizes.nextInt(10_000)).toArray();
        int[] large = {sizes.nextInt(5_000_000), 5_000_000 + sizes.nextInt(1_000_000), 0};
        ThreadCommunicator.run(RANKS, comm -> {
            Random values = new Random(seed + comm.rank());
            try (Checkpoints checkpoints = new EngineBuilder(run.config())
                    .communicator(comm)
                    .storage(engine)
                    .open()) {
                for (int step = 0; step < small.length; step++) {
                    byte[] bytes = new byte[small[step]];
                    values.nextBytes(bytes);
                    checkpoints.protect(5, bytes);
                    checkpoints.protect(
                            2, values.longs(large[step] / Long.BYTES).toArray());
                    long[][] matrix = new long[3][large[0] / 100];
                    Arrays.stream(matrix).forEach(row -> Arrays.setAll(row, i -> values.nextLong()));
                    checkpoints.protect(7, matrix);
                    int[][] shortRows = new int[small[step]][];
                    Arrays.setAll(shortRows, i -> values.ints(i % 5).toArray());
                    checkpoints.protectRagged(8, shortRows);
                    RandomObject<?> object = RandomObject.of(values, 3);
                    protect(checkpoints, object);
                    checkpoints.checkpoint(step + 1, Level.L1);
                    ((EngineCheckpoints) checkpoints).awaitDeletion();
                    comm.barrier();
                    if (comm.rank() == 0) {
                        files.addAll(contents(run.directory()));
                    }
                    comm.barrier();
                }
            }
        });
        return files;
    }

    private static <T> void protect(Checkpoints checkpoints, RandomObject<T> object) {
        checkpoints.protect(9, object::value, stored -> {}, object.codec());
    }

    private static List<byte[]> contents(Path directory) throws IOException {
        try (Stream<Path> found = Files.walk(directory)) {
            List<byte[]> contents = new ArrayList<>();
            for (Path file : found.filter(path -> path.toString().contains("-Rank"))
                    .sorted()
                    .toList()) {
                byte[] bytes = Files.readAllBytes(file);
                for (int[] range : OF_THE_CLOCK_FROM_END) {
                    Arrays.fill(bytes, bytes.length - range[0], bytes.length - range[1], (byte) 0);
                }
                contents.add(bytes);
            }
            return contents;
        }
    }
}
