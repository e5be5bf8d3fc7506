package io.drumlin.scr.internal.redundancy;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.cache.CacheDirectory;
import io.drumlin.scr.internal.settings.CopyType;
import io.drumlin.scr.internal.store.FileStat;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Losses that sets of any size make good, with files of any size: none, empty, below and above a slab. */
class RedundancyTest {

    @TempDir
    Path directory;

    /** The rows that the redset library has for four ranks and two sums. */
    @Test
    void theMatrixOfTheRedsetLibrary() {
        StripeCode code = StripeCode.reedSolomon(4, 2);
        assertThat(IntStream.range(0, 4).map(rank -> code.factor(0, rank))).containsExactly(27, 28, 18, 20);
        assertThat(IntStream.range(0, 4).map(rank -> code.factor(1, rank))).containsExactly(28, 27, 20, 18);
    }

    @ParameterizedTest
    @CsvSource({
        "SINGLE, 1, 2, 0",
        "PARTNER, 1, 2, 1",
        "PARTNER, 1, 5, 1",
        "PARTNER, 2, 5, 2",
        "PARTNER, 3, 4, 3",
        "XOR, 1, 2, 1",
        "XOR, 1, 3, 1",
        "XOR, 1, 7, 1",
        "RS, 1, 3, 1",
        "RS, 2, 3, 2",
        "RS, 2, 6, 2",
        "RS, 3, 5, 3",
        "RS, 4, 9, 4"
    })
    void madeAgainFromAnyLossThatIsAllowed(CopyType type, int count, int ranks, int losses) throws IOException {
        long seed = new Random().nextLong();
        System.out.printf("seed %d%n", seed);
        Random random = new Random(seed);
        for (int round = 0; round < 3; round++) {
            Path root = directory.resolve("round" + round);
            write(root, ranks, random);
            protect(root, type, count, ranks);
            Map<String, ByteBuffer> before = read(root);
            List<Integer> order =
                    new ArrayList<>(IntStream.range(0, ranks).boxed().toList());
            Collections.shuffle(order, random);
            for (int rank : order.subList(0, losses)) {
                delete(root.resolve("n" + rank));
            }
            rebuild(root, ranks, true);
            assertThat(read(root)).as("seed %d, round %d", seed, round).isEqualTo(before);
        }
    }

    /** As in C, where a rank without files has the key FILE too. */
    @Test
    void theHeaderOfARankWithoutFilesHasAllKeys() throws IOException {
        for (int rank = 0; rank < 2; rank++) {
            Files.createDirectories(directory.resolve("n" + rank).resolve(".scr"));
        }
        Files.write(directory.resolve("n0/f0"), new byte[9]);
        protect(directory, CopyType.PARTNER, 1, 2);
        for (int rank = 0; rank < 2; rank++) {
            Path file = directory.resolve(
                    "n" + rank + "/.scr/reddesc.er." + rank + ".partner.grp_1_of_1.mem_" + (rank + 1) + "_of_2.redset");
            KvTree header = new KvTreeStore(new NioEngine()).read(file);
            assertThat(header.find("DESC", "0").keys()).containsExactly("DESC", "FILE", "FILES");
            assertThat(header.find("DESC", "1").keys()).containsExactly("DESC", "FILE", "FILES");
            assertThat(header.find("DESC", "1", "FILE").isEmpty()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"PARTNER, 1, 4", "XOR, 1, 4", "RS, 2, 4", "SINGLE, 1, 4"})
    void oneLossTooManyIsToldAndNothingChanged(CopyType type, int count, int ranks) throws IOException {
        write(directory, ranks, new Random(1));
        protect(directory, type, count, ranks);
        for (int rank = 0; rank <= count; rank++) {
            delete(directory.resolve("n" + rank));
        }
        Map<String, ByteBuffer> before = read(directory);
        rebuild(directory, ranks, false);
        assertThat(read(directory)).isEqualTo(before);
    }

    @Test
    void aFileThatWasCutOrIsMissingCountsAsLost() throws IOException {
        write(directory, 4, new Random(1));
        protect(directory, CopyType.RS, 2, 4);
        Map<String, ByteBuffer> before = read(directory);
        Files.write(directory.resolve("n1/f0"), new byte[3]);
        try (Stream<Path> paths = Files.list(directory.resolve("n3/.scr"))) {
            Files.delete(paths.filter(path -> path.toString().contains("mem_"))
                    .findFirst()
                    .orElseThrow());
        }
        rebuild(directory, 4, true);
        assertThat(read(directory)).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"PARTNER", "XOR", "RS"})
    void whatIsOpenIsClosedIfAnotherRankFails(CopyType type) throws IOException {
        write(directory, 4, new Random(1));
        protect(directory, type, 1, 4);
        Files.delete(directory.resolve("n1/f0"));
        boolean failed = true;
        for (int nth = 1; failed; nth++) {
            FaultyEngine faulty = new FaultyEngine(new NioEngine(), false);
            faulty.fail(Operation.OPEN, nth, "EIO");
            FaultyEngine other = new FaultyEngine(new NioEngine(), false);
            try {
                ThreadCommunicator.run(
                        4, world -> redundancy(directory, directory, world.rank() == 0 ? faulty : other, world)
                                .rebuild(world, true));
            } catch (IOException e) {
                assertThat(e).hasStackTraceContaining("EIO");
            }
            failed = faulty.count(Operation.OPEN) >= nth;
            assertThat(faulty.openFiles()).as("open %d", nth).isEmpty();
            assertThat(other.openFiles()).as("open %d", nth).isEmpty();
        }
    }

    /** Also where only files of the program are gone, so that all that says who protects whom is still there. */
    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"PARTNER, KILL", "XOR, POWER_LOSS", "RS, KILL", "RS, POWER_LOSS"})
    void whatIsMadeAgainCountsWhenItIsWhole(CopyType type, Crash crash) throws IOException {
        long seed = new Random().nextLong();
        System.out.printf("seed %d%n", seed);
        Random random = new Random(seed);
        Path recorded = directory.resolve("recorded");
        write(recorded, 4, random);
        byte[] large = new byte[300_000];
        random.nextBytes(large);
        Files.write(recorded.resolve("n1/f0"), large);
        protect(recorded, type, 1, 4);
        Map<String, ByteBuffer> before = read(recorded);
        Files.delete(recorded.resolve("n1/f0"));
        FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
        CrashJournal journal = storage.record(recorded);
        rebuild(recorded, recorded, storage, 4, true);
        for (int prefix = 0; prefix <= journal.size(); prefix++) {
            Path copy = Files.createDirectories(directory.resolve("crash" + prefix));
            journal.crash(prefix, crash, random).write(copy);
            rebuild(copy, recorded, new NioEngine(), 4, true);
            Map<String, ByteBuffer> after = read(copy);
            // Of a file that was being replaced: nobody reads it, and the next replacement goes on with it.
            after.keySet().removeIf(name -> name.endsWith(".new"));
            assertThat(after.keySet())
                    .as("seed %d, after %d operations", seed, prefix)
                    .isEqualTo(before.keySet())
                    .allMatch(name -> before.get(name).equals(after.get(name)));
            delete(copy);
        }
    }

    private static void write(Path root, int ranks, Random random) throws IOException {
        for (int rank = 0; rank < ranks; rank++) {
            Path node = Files.createDirectories(root.resolve("n" + rank).resolve(".scr"))
                    .getParent();
            int files = Math.max(rank < 2 ? 1 : 0, random.nextInt(4));
            for (int file = 0; file < files; file++) {
                byte[] bytes = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(600_000)];
                random.nextBytes(bytes);
                Files.write(node.resolve("f" + file), bytes);
            }
        }
    }

    private static Redundancy redundancy(Path root, Path recorded, StorageEngine storage, Communicator world) {
        String node = "n" + world.rank();
        CacheDirectory place = new CacheDirectory(root.resolve(node), recorded.resolve(node));
        return new Redundancy(new KvTreeStore(storage), place, Redundancy.DATA);
    }

    private static void protect(Path root, CopyType type, int count, int ranks) throws IOException {
        ThreadCommunicator.run(ranks, world -> {
            List<Redundancy.Protected> files = new ArrayList<>();
            try (Stream<Path> paths = Files.list(root.resolve("n" + world.rank()))) {
                for (Path path : paths.filter(Files::isRegularFile).sorted().toList()) {
                    KvTree stat = FileStat.of(path);
                    files.add(new Redundancy.Protected(path.toString(), stat));
                }
            }
            boolean single = type == CopyType.SINGLE;
            Communicator comm = world.split(single ? world.rank() : 0, world.rank());
            try (RedundancySet set = new RedundancySet(
                    type, count, world.rank(), ranks, single ? world.rank() : 0, single ? ranks : 1, comm)) {
                redundancy(root, root, new NioEngine(), world).encode(set, files);
            }
        });
    }

    private static void rebuild(Path root, int ranks, boolean possible) throws IOException {
        rebuild(root, root, new NioEngine(), ranks, possible);
    }

    private static void rebuild(Path root, Path recorded, StorageEngine storage, int ranks, boolean possible)
            throws IOException {
        ThreadCommunicator.run(ranks, world -> {
            assertThat(redundancy(root, recorded, storage, world).rebuild(world, true))
                    .isEqualTo(possible);
        });
    }

    private static Map<String, ByteBuffer> read(Path root) throws IOException {
        Map<String, ByteBuffer> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                files.put(root.relativize(path).toString(), ByteBuffer.wrap(Files.readAllBytes(path)));
            }
        }
        return files;
    }

    private static void delete(Path path) throws IOException {
        try (Stream<Path> paths = Files.walk(path)) {
            for (Path each : paths.sorted(Collections.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
