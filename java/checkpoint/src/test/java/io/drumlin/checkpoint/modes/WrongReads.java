package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.LibcEngine;
import io.drumlin.storage.internal.NativeEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Each read of a restart once brings one wrong bit; and files are written between the opening and the recovery. The program gets its data
 * or an exception.
 */
final class WrongReads {

    private static final int RANKS = 2;

    /** More than a block of checksums, and no multiple of anything. */
    private static final int SIZE = 300_001;

    private static final int SMALL = 77;

    /** Variables whose sizes are told. */
    private static final int SIZES = 20;

    /** What each rank has. */
    private static final List<byte[]> VALUES = List.of(random(0), random(1));

    private final Path directory;
    private final int mode;
    private final Restart each;
    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    WrongReads(Path directory, int mode, Restart each) {
        this.directory = directory;
        this.mode = mode;
        this.each = each;
    }

    /** How the program brings its data back. */
    enum How {
        ALL,
        SINGLY,
        PROTECTED_FIRST,
        ON_ONE_RANK,
        ON_THREE_RANKS;

        int ranks() {
            return switch (this) {
                case ON_ONE_RANK -> 1;
                case ON_THREE_RANKS -> 3;
                default -> RANKS;
            };
        }
    }

    /**
     * A restart.
     *
     * @param loss whether the node of the other rank is lost before
     */
    record Restart(String engine, Level level, How how, boolean loss) {

        StorageEngine storage() {
            return switch (engine) {
                case "nio" -> new NioEngine();
                case "libc" -> new LibcEngine();
                default -> new NativeEngine();
            };
        }

        private boolean isOrdinary() {
            return engine.equals("nio") && how != How.SINGLY && !loss;
        }
    }

    /** On as many ranks, from the levels that all modes have. */
    static Stream<Restart> ordinary() {
        return restarts(Level.L1, Level.L2, Level.L3, Level.L4).filter(Restart::isOrdinary);
    }

    static Stream<Restart> others() {
        return restarts(Level.L1, Level.L2, Level.L3, Level.L4).filter(each -> !each.isOrdinary());
    }

    static Stream<Restart> ordinaryOnOtherRanks() {
        return onOtherRanks(Level.L4).filter(Restart::isOrdinary);
    }

    static Stream<Restart> othersOnOtherRanks() {
        return onOtherRanks(Level.L4).filter(each -> !each.isOrdinary());
    }

    private static List<String> engines() {
        boolean pure = "off".equals(System.getProperty("drumlin.native"));
        return pure ? List.of("nio") : List.of("nio", "libc", "native");
    }

    static Stream<Restart> restarts(Level... levels) {
        List<Restart> restarts = new ArrayList<>();
        for (String engine : engines()) {
            for (Level level : levels) {
                for (How how : List.of(How.ALL, How.SINGLY, How.PROTECTED_FIRST)) {
                    restarts.add(new Restart(engine, level, how, false));
                    if (level == Level.L2 || level == Level.L3) {
                        restarts.add(new Restart(engine, level, how, true));
                    }
                }
            }
        }
        return restarts.stream();
    }

    static Stream<Restart> onOtherRanks(Level level) {
        return engines().stream().flatMap(engine -> Stream.of(How.ON_ONE_RANK, How.ON_THREE_RANKS)
                .map(how -> new Restart(engine, level, how, false)));
    }

    private Map<String, String> config() {
        Map<String, String> config = new HashMap<>();
        config.put("basic.ckpt_io", Integer.toString(mode));
        config.put("basic.node_size", "1");
        config.put("basic.group_size", "2");
        config.put("basic.enable_dcp", each.level == Level.L4_DCP ? "1" : "0");
        config.put("basic.dcp_mode", "1");
        config.put("basic.dcp_block_size", "512");
        config.put("basic.dcp_stack_size", "3");
        config.put("drumlin.slab_memory", "2");
        return config;
    }

    /** Each read once brings one wrong bit. */
    void everyRead() throws IOException {
        readOneOf(1);
    }

    /** One of a few reads that follow each other brings one wrong bit. */
    void someReads() throws IOException {
        readOneOf(8);
    }

    private void readOneOf(int stride) throws IOException {
        Path original = checkpointed();
        int first = 1 + random.nextInt(stride);
        int wrong = 0;
        for (int read = first; read == first + wrong * stride; read += stride) {
            int nth = read;
            long bit = random.nextLong(1L << 40);
            Path copy = copy(original);
            FaultyEngine faulty = new FaultyEngine(each.storage(), false);
            faulty.flip(nth, bit);
            recovered(copy, rank -> rank == 0 ? faulty : each.storage(), () -> "read " + nth + ", bit " + bit, c -> {});
            wrong += faulty.hasFlipped() ? 1 : 0;
            DirectoryTree.delete(copy, new NioEngine());
        }
        assertThat(wrong * stride).as("reads").isGreaterThan(1);
    }

    /** A file is written between the opening and the recovery. */
    void written(int times) throws IOException {
        Path original = checkpointed();
        for (int i = 0; i < times; i++) {
            Path copy = copy(original);
            boolean[] done = {false};
            recovered(copy, rank -> each.storage(), () -> "written", comm -> {
                comm.barrier();
                if (comm.rank() == 0) {
                    done[0] = flipInFile(copy);
                }
                comm.barrier();
            });
            DirectoryTree.delete(copy, new NioEngine());
        }
    }

    /** Flips a bit of a file of data, which then looks as if it were not written. */
    private boolean flipInFile(Path root) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(Files::isRegularFile)
                    .filter(file -> !root.relativize(file).startsWith("Meta"))
                    .filter(file -> file.getFileName().toString().matches("Ckpt.*|.*\\.(fti|h5|sionlib|mpiio|dcp)"))
                    .sorted()
                    .toList();
        }
        Path file = files.get(random.nextInt(files.size()));
        var time = Files.getLastModifiedTime(file);
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length == 0) {
            return false;
        }
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        try (var channel = java.nio.channels.FileChannel.open(file, java.nio.file.StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.wrap(bytes), 0);
        }
        if (random.nextBoolean()) {
            Files.setLastModifiedTime(file, time);
        }
        return true;
    }

    private interface Engines {
        StorageEngine of(int rank);
    }

    private interface Between {
        void run(Communicator comm) throws IOException;
    }

    /** Restarts and recovers: what comes without an exception is right. */
    private void recovered(Path copy, Engines engines, Supplier<String> what, Between between) throws IOException {
        byte[][] large = new byte[each.how.ranks()][];
        byte[][] small = new byte[each.how.ranks()][];
        if (each.loss) {
            DirectoryTree.delete(copy.resolve("Local/node1"), new NioEngine());
        }
        RunFixture run = restarted(copy);
        try {
            ThreadCommunicator.run(each.how.ranks(), comm -> {
                int rank = comm.rank();
                byte[] array = new byte[each.how.ranks() == RANKS ? SIZE : share(rank, each.how.ranks())];
                byte[] few = new byte[SMALL];
                Checkpoints.Builder builder =
                        Checkpoints.builder(run.config()).communicator(comm).storage(engines.of(rank));
                if (each.how == How.PROTECTED_FIRST) {
                    builder.protect(1, array).protect(2, few);
                }
                if (each.how.ranks() != RANKS) {
                    builder.anyNumberOfRanks();
                }
                try (Checkpoints checkpoints = builder.open()) {
                    between.run(comm);
                    if (each.how != How.PROTECTED_FIRST) {
                        checkpoints.protect(1, array);
                        checkpoints.protect(2, few);
                    }
                    if (each.how.ranks() != RANKS) {
                        checkpoints.distribute(1, Distribution.contiguous());
                        checkpoints.distribute(2, Distribution.replicated());
                    }
                    if (each.how == How.SINGLY) {
                        checkpoints.recover(2);
                        checkpoints.recover(1);
                    } else {
                        checkpoints.recover();
                    }
                    large[rank] = array;
                    small[rank] = few;
                }
            });
        } catch (IOException e) {
            // Refused, with words.
            assertThat(e.getMessage()).isNotBlank();
        }
        byte[] all = Arrays.copyOf(VALUES.get(0), 2 * SIZE);
        System.arraycopy(VALUES.get(1), 0, all, SIZE, SIZE);
        boolean layerBefore = each.level == Level.L4_DCP && Arrays.stream(large).allMatch(WrongReads::isZero);
        if (layerBefore) {
            Arrays.fill(all, (byte) 0);
        }
        int at = 0;
        for (int rank = 0; rank < each.how.ranks(); rank++) {
            int length = each.how.ranks() == RANKS ? SIZE : share(rank, each.how.ranks());
            if (large[rank] != null) {
                assertThat(Arrays.equals(large[rank], Arrays.copyOfRange(all, at, at + length)))
                        .as(() -> "the data of a rank, " + what.get() + ", seed " + seed)
                        .isTrue();
                assertThat(small[rank]).as(() -> what.get() + ", seed " + seed).isEqualTo(few());
            }
            at += length;
        }
    }

    /** Opens a run of one rank again and again, each time with one wrong bit in another read; {@code rounds} times through all reads. */
    static void requireRightSizes(RunFixture run, boolean early, int rounds) throws IOException {
        run.run(1, (checkpoints, comm) -> {
            for (int id = 0; id < SIZES; id++) {
                checkpoints.protect(id, new long[id + 1]);
            }
            checkpoints.checkpoint(1, Level.L1);
        });
        long seed = System.nanoTime();
        Random random = new Random(seed);
        FaultyEngine faulty = new FaultyEngine(new NioEngine(), false);
        int told = 0;
        int reads = 0;
        for (int i = 0; i <= rounds * reads; i++) {
            if (i > 0) {
                faulty.flip(1 + i % reads, random.nextLong(1L << 40));
            }
            int before = faulty.count(Operation.READ);
            Checkpoints.Builder builder = Checkpoints.builder(run.config())
                    .communicator(new SingleCommunicator())
                    .storage(faulty);
            for (int id = 0; early && id < SIZES; id++) {
                builder.protect(id, new long[id + 1]);
            }
            try (Checkpoints checkpoints = builder.open()) {
                for (int id = 0; id < SIZES; id++) {
                    assertThat(checkpoints.storedSize(id))
                            .as("seed %d, try %d", seed, i)
                            .isEqualTo(8L * (id + 1));
                }
                told++;
                reads = Math.max(reads, faulty.count(Operation.READ) - before);
            } catch (IOException refused) {
                assertThat(refused.getMessage()).isNotBlank();
            }
        }
        assertThat(told).isPositive();
    }

    private static boolean isZero(byte[] array) {
        return array != null && Arrays.equals(array, new byte[array.length]);
    }

    private static int share(int rank, int ranks) {
        return rank == ranks - 1 ? 2 * SIZE - (ranks - 1) * (2 * SIZE / ranks) : 2 * SIZE / ranks;
    }

    private Path checkpointed() throws IOException {
        assumeTrue(!each.engine.equals("libc") || LibcEngine.unavailabilityCause() == null, "no libc engine");
        assumeTrue(!each.engine.equals("native") || NativeEngine.unavailabilityCause() == null, "no native engine");
        Path original = Files.createDirectory(directory.resolve("original"));
        RunFixture run = new RunFixture(original, config());
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] array = new byte[SIZE];
            checkpoints.protect(1, array);
            checkpoints.protect(2, few());
            if (each.level == Level.L4_DCP) {
                checkpoints.checkpoint(1, each.level);
            }
            System.arraycopy(VALUES.get(comm.rank()), 0, array, 0, SIZE);
            checkpoints.checkpoint(2, each.level);
        });
        return original;
    }

    /** Where it was: directories are named in the configuration. */
    private Path copy(Path original) throws IOException {
        Path copy = directory.resolve("copy");
        try (Stream<Path> all = Files.walk(original)) {
            for (Path from : all.toList()) {
                Files.copy(from, copy.resolve(original.relativize(from)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        return copy;
    }

    private RunFixture restarted(Path copy) throws IOException {
        String before = Files.readString(copy.resolve("config.fti"));
        Map<String, String> config = new HashMap<>(config());
        if (each.how.ranks() != RANKS) {
            config.put("basic.group_size", "1");
        }
        for (String line : before.lines().toList()) {
            String[] words = line.split("=", 2);
            if (words[0].strip().equalsIgnoreCase("exec_id") || words[0].strip().equalsIgnoreCase("failure")) {
                config.put("restart." + words[0].strip().toLowerCase(java.util.Locale.ROOT), words[1].strip());
            }
        }
        return new RunFixture(copy, config);
    }

    private static byte[] few() {
        byte[] values = new byte[SMALL];
        new Random(7).nextBytes(values);
        return values;
    }

    private static byte[] random(int rank) {
        byte[] values = new byte[SIZE];
        new Random(rank).nextBytes(values);
        return values;
    }
}
