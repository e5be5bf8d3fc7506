package io.drumlin.checkpoint.internal.redundancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.verify.BlockSums;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.ChunkSchedule;
import io.drumlin.checkpoint.internal.verify.LaneHasher;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.FailingSends;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent in one pass comes as it was, and both sides know its digests. */
@Timeout(60)
class VerifiedTransferTest {

    private static final int SLAB = 16 << 10;

    /** Of a message, with such slabs. */
    private static final int PIECE = SLAB / 2;

    @TempDir
    private Path folder;

    /** A file of one rank. */
    private static final class Sent {
        private final Path path;
        private final byte[] content;
        private final StoredFile meta;

        /** Some chunks, which may touch, with other bytes before, between and behind them. */
        Sent(Path path, Random random) throws IOException {
            this.path = path;
            content = new byte[random.nextInt(4_000_000) + 100_000];
            random.nextBytes(content);
            List<Chunk> chunks = new ArrayList<>();
            Map<Integer, Long> sizes = new TreeMap<>();
            int at = 0;
            int count = random.nextInt(Math.min(40, content.length / PIECE)) + 1;
            for (int id = 0; id < count && at < content.length; id++) {
                at += random.nextBoolean() ? 0 : random.nextInt(10_000);
                int length = Math.min(random.nextInt(2 * content.length / count) + 1, content.length - at);
                if (length > 0) {
                    chunks.add(new Chunk(id, 0, at, length, Optional.of(md5(content, at, length))));
                    sizes.put(id, (long) length);
                    at += length;
                }
            }
            meta = new StoredFile(1, chunks, sizes);
            Files.write(path, content);
        }
    }

    private static String md5(byte[] bytes, int offset, int length) {
        try {
            MessageDigest md5 = MessageDigest.getInstance("MD5");
            md5.update(bytes, offset, length);
            return HexFormat.of().formatHex(md5.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private Path sent(int rank) {
        return folder.resolve("sent" + rank);
    }

    private Path received(int rank) {
        return folder.resolve("received" + rank);
    }

    /** A rank, with what it needs. */
    private static final class Rank implements AutoCloseable {
        private final Group group;
        private final SlabPool slabs;
        private final CheckpointReader reader;
        private final VerifiedTransfer transfer;

        Rank(Communicator comm, StorageEngine storage) {
            this(comm, storage, LaneHasher::new);
        }

        Rank(Communicator comm, StorageEngine storage, Supplier<LaneHasher> digests) {
            group = new Group(0, 0, comm);
            slabs = new SlabPool(storage, SlabPool.SLABS, SLAB);
            reader = new CheckpointReader(storage, slabs);
            transfer = new VerifiedTransfer(comm, group, storage, slabs, reader, digests);
        }

        Optional<VerifiedTransfer.Outgoing> outgoing(Sent file, int to) {
            return Optional.of(new VerifiedTransfer.Outgoing(
                    to,
                    file.path,
                    true,
                    () -> transfer.plan(file.content.length, file.meta.ckptId(), Optional.of(file.meta))));
        }

        @Override
        public void close() {
            slabs.close();
        }
    }

    /** Each sends to the right while it receives from the left; the first takes no part in every second case. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void filesComeAsTheyWere(long seed) throws IOException {
        int ranks = (int) (seed % 3) + 2;
        boolean open = seed % 2 == 0;
        List<Sent> files = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            files.add(new Sent(sent(rank), new Random(seed * 100 + rank)));
        }
        ThreadCommunicator.run(ranks, comm -> {
            StorageEngine storage = comm.rank() == 1 ? new NioEngine() : StorageEngines.best();
            try (Rank rank = new Rank(comm, storage)) {
                int to = rank.group.right();
                int from = rank.group.left();
                boolean sends = !open || to > 0;
                boolean receives = !open || comm.rank() > 0;
                rank.transfer.transfer(
                        sends ? rank.outgoing(files.get(comm.rank()), to) : Optional.empty(),
                        receives
                                ? Optional.of(new VerifiedTransfer.Incoming(from, received(comm.rank()), true))
                                : Optional.empty());
                assertThat(Files.exists(received(comm.rank()))).isEqualTo(receives);
                if (sends) {
                    assertKnown(rank.reader, files.get(comm.rank()), sent(comm.rank()));
                }
                if (receives) {
                    assertThat(received(comm.rank())).hasBinaryContent(files.get(from).content);
                    assertKnown(rank.reader, files.get(from), received(comm.rank()));
                }
            }
        });
    }

    private static void assertKnown(CheckpointReader reader, Sent file, Path path) throws IOException {
        List<Chunk> chunks = file.meta.chunks();
        assertThat(reader.known().of(path, chunks))
                .contains(
                        chunks.stream().map(chunk -> chunk.md5().orElseThrow()).toList());
        Chunk other = new Chunk(0, 0, 1, 1, Optional.of(""));
        assertThat(reader.known().of(path, List.of(other))).isEmpty();
    }

    @Test
    void digestsAreForgottenWhenTheFileIsWritten() throws IOException {
        Sent file = new Sent(sent(0), new Random(4));
        try (Rank rank = new Rank(new SingleCommunicator(), new NioEngine())) {
            rank.transfer.transfer(
                    rank.outgoing(file, 0), Optional.of(new VerifiedTransfer.Incoming(0, received(0), true)));
            assertKnown(rank.reader, file, received(0));
            FileTime written = Files.getLastModifiedTime(received(0));
            Files.write(received(0), new byte[file.content.length]);
            Files.setLastModifiedTime(received(0), FileTime.fromMillis(written.toMillis() + 1));
            assertThat(rank.reader.known().of(received(0), file.meta.chunks())).isEmpty();
        }
    }

    /** The others get to the end of the transfer, and fail with it. */
    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({
        "READ, 1",
        "READ, 5",
        "READ, 40",
        "WRITE, 1",
        "WRITE, 7",
        "WRITE, 60",
        "OPEN, 1",
        "OPEN, 2",
        "ALLOCATE, 1",
        "TRUNCATE, 1",
        "SYNC, 1",
        "CLOSE, 1",
        "CLOSE, 2"
    })
    void aRankThatFailsLeavesNobodyWaiting(Operation operation, int nth) throws IOException {
        int ranks = 3;
        List<Sent> files = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            files.add(new Sent(sent(rank), new Random(rank)));
        }
        List<String> failures = new ArrayList<>();
        ThreadCommunicator.run(ranks, comm -> {
            FaultyEngine storage = new FaultyEngine(new NioEngine());
            if (comm.rank() == 1) {
                storage.fail(operation, nth, "EIO");
            }
            try (Rank rank = new Rank(comm, storage)) {
                assertThatThrownBy(() -> rank.transfer.transfer(
                                rank.outgoing(files.get(comm.rank()), rank.group.right()),
                                Optional.of(
                                        new VerifiedTransfer.Incoming(rank.group.left(), received(comm.rank()), true))))
                        .isInstanceOf(IOException.class)
                        .satisfies(failure -> {
                            synchronized (failures) {
                                failures.add(failure.getMessage());
                            }
                        });
                if (comm.rank() == 1 && operation != Operation.CLOSE) {
                    boolean read = operation == Operation.READ || (operation == Operation.OPEN && nth == 2);
                    Path path = read ? sent(1) : received(1);
                    List<Chunk> chunks = files.get(read ? 1 : 0).meta.chunks();
                    assertThat(!Files.exists(path)
                                    || rank.reader.known().of(path, chunks).isEmpty())
                            .isTrue();
                }
            }
        });
        assertThat(failures).hasSize(ranks).anyMatch(message -> message.contains("EIO"));
    }

    /** Of the rank in the middle, which receives with the first lanes it makes and sends with the second. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 4", "2, 1", "2, 4"})
    void aDigestThatFailsLeavesNobodyWaiting(int lanes, int nth) throws IOException {
        int ranks = 3;
        List<Sent> files = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            files.add(new Sent(sent(rank), new Random(rank)));
        }
        ThreadCommunicator.run(ranks, comm -> {
            StorageEngine storage = new NioEngine();
            AtomicInteger made = new AtomicInteger();
            Supplier<LaneHasher> digests = () -> comm.rank() == 1 && made.incrementAndGet() == lanes
                    ? new LaneHasher(new FailingLanes(nth))
                    : new LaneHasher();
            try (Rank rank = new Rank(comm, storage, digests)) {
                assertThatThrownBy(() -> rank.transfer.transfer(
                                rank.outgoing(files.get(comm.rank()), rank.group.right()),
                                Optional.of(
                                        new VerifiedTransfer.Incoming(rank.group.left(), received(comm.rank()), true))))
                        .hasStackTraceContaining(comm.rank() == 1 ? FailingLanes.MESSAGE : "sending files");
                boolean sends = lanes == 2;
                Path path = sends ? sent(comm.rank()) : received(comm.rank());
                List<Chunk> chunks =
                        files.get(sends ? comm.rank() : rank.group.left()).meta.chunks();
                boolean known = Files.exists(path)
                        && rank.reader.known().of(path, chunks).isPresent();
                assertThat(known).isEqualTo(comm.rank() != 1);
            }
        });
    }

    /** A file with one digest for all of it is recovered from another read, which is compared with checksums of its blocks. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void checksumsOfBlocksAreTakenOfAFileWithOneDigest(boolean sent) throws IOException {
        byte[] content = new byte[2_000_001];
        new Random(6).nextBytes(content);
        Path path = Files.write(sent(0), content);
        Chunk whole = new Chunk(-1, 0, 0, content.length, Optional.of(md5(content, 0, content.length)));
        StoredFile meta = new StoredFile(1, List.of(), Map.of(), Map.of(), Optional.of(whole), Optional.empty());
        try (Rank rank = new Rank(new SingleCommunicator(), new NioEngine())) {
            rank.transfer.transfer(
                    Optional.of(new VerifiedTransfer.Outgoing(
                            0, path, sent, () -> rank.transfer.plan(content.length, meta.ckptId(), Optional.of(meta)))),
                    Optional.of(new VerifiedTransfer.Incoming(0, received(0), !sent)));
            assertThat(received(0)).hasBinaryContent(content);
            Path own = sent ? path : received(0);
            BlockSums taken = rank.reader.blocks().of(own).orElseThrow().get(0);
            assertThat(taken.sums())
                    .isEqualTo(rank.reader.verifyBlocks(own, meta).get(0).sums());
            assertThat(rank.reader.blocks().of(sent ? received(0) : path)).isEmpty();
        }
    }

    /** In equal parts, which are not hashed: both sides read the file to verify it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4096, 100_001, 3 << 20})
    void aFileWithoutDigestsComesAsItWas(int size) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        Path path = Files.write(sent(0), content);
        Chunk variable = new Chunk(0, 0, 0, size, Optional.empty());
        StoredFile meta = new StoredFile(1, List.of(variable), Map.of(0, (long) size));
        try (Rank rank = new Rank(new SingleCommunicator(), new NioEngine())) {
            rank.transfer.transfer(
                    Optional.of(new VerifiedTransfer.Outgoing(
                            0, path, true, () -> rank.transfer.plan(size, meta.ckptId(), Optional.of(meta)))),
                    Optional.of(new VerifiedTransfer.Incoming(0, received(0), true)));
            assertThat(received(0)).hasBinaryContent(content);
            assertThat(rank.reader.known().of(path, List.of(variable))).isEmpty();
            assertThat(rank.reader.known().of(received(0), List.of(variable))).isEmpty();
        }
    }

    /** Cut after its metadata were read. */
    @Test
    void aFileThatBecameShorterIsTold() throws IOException {
        Sent file = new Sent(sent(0), new Random(3));
        try (Rank rank = new Rank(new SingleCommunicator(), new NioEngine())) {
            Optional<VerifiedTransfer.Outgoing> outgoing = rank.outgoing(file, 0);
            Files.write(file.path, new byte[50_000]);
            assertThatThrownBy(() -> rank.transfer.transfer(
                            outgoing, Optional.of(new VerifiedTransfer.Incoming(0, received(0), true))))
                    .hasMessageContaining("the file ends at 50000")
                    .hasMessageContaining(file.path.toString());
        }
    }

    @Test
    void nothingComesIntoTheMemoryOfATransferThatFailed() throws IOException {
        Sent file = new Sent(sent(0), new Random(5));
        Communicator world = new SingleCommunicator();
        // That of the plan goes well, and some of those of the file.
        try (Rank rank = new Rank(FailingSends.after(3, world), new NioEngine())) {
            assertThatThrownBy(() -> rank.transfer.transfer(
                            rank.outgoing(file, 0), Optional.of(new VerifiedTransfer.Incoming(0, received(0), true))))
                    .hasMessage("no sends here");
        }
        assertThat(FailingSends.anyReceiveWaits(world, VerifiedTransfer.TAG)).isFalse();
    }

    /** Why a file is not sent so. */
    private enum Unfit {
        NOTHING,
        NO_DIGEST,
        NO_HEXADECIMAL_DIGEST,
        SHORT_DIGEST,
        UNFIT_DIGEST_OF_A_PART,
        TOO_SMALL,
        EMPTY_CHUNK,
        BEHIND_THE_END,
        NEGATIVE_OFFSET,
        OVERFLOW
    }

    @ParameterizedTest
    @EnumSource
    void unfitMetadataAreNotSent(Unfit reason) {
        Optional<String> md5 = Optional.of("0".repeat(32));
        long size = 10 * PIECE;
        List<Chunk> chunks = new ArrayList<>();
        Optional<Chunk> whole = Optional.empty();
        switch (reason) {
            case NOTHING -> {}
            case NO_DIGEST -> chunks.add(new Chunk(0, 0, 0, size, Optional.empty()));
            case NO_HEXADECIMAL_DIGEST -> chunks.add(new Chunk(0, 0, 0, size, Optional.of("z".repeat(32))));
            case SHORT_DIGEST -> chunks.add(new Chunk(0, 0, 0, size, Optional.of("0".repeat(30))));
            case UNFIT_DIGEST_OF_A_PART -> {
                chunks.add(new Chunk(0, 0, 0, 1, Optional.of("")));
                whole = Optional.of(new Chunk(-1, 0, 0, size, md5));
            }
            case TOO_SMALL -> {
                for (int i = 0; i < 11; i++) {
                    chunks.add(new Chunk(i, 0, i * 100L, 100, md5));
                }
            }
            case EMPTY_CHUNK -> chunks.add(new Chunk(0, 0, 5, 0, md5));
            case BEHIND_THE_END -> chunks.add(new Chunk(0, 0, 1, size, md5));
            case NEGATIVE_OFFSET -> chunks.add(new Chunk(0, 0, -1, 10, md5));
            case OVERFLOW -> chunks.add(new Chunk(0, 0, 10, Long.MAX_VALUE, md5));
        }
        StoredFile meta = new StoredFile(1, chunks, Map.of(), Map.of(), whole, Optional.empty());
        assertThat(ChunkSchedule.isPossible(size, meta, PIECE)).isFalse();
        chunks.clear();
        chunks.add(new Chunk(0, 0, 0, size, md5));
        assertThat(ChunkSchedule.isPossible(size, new StoredFile(1, chunks, Map.of()), PIECE))
                .isTrue();
    }

    /** What the other rank finds variables with; where the file itself says where they are it finds none. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void thePlanComesAsItWas(boolean located) {
        Optional<String> md5 = Optional.of("0123456789abcdef0123456789abcdef");
        List<Chunk> chunks = List.of(
                new Chunk(7, 0, 10, 20, Optional.empty()),
                new Chunk(-8, 1L << 40, 30, 1L << 33, md5),
                new Chunk(9, 3, (1L << 33) + 100, 1, Optional.empty()));
        Optional<Chunk> whole = Optional.of(new Chunk(-1, 0, 0, 1L << 34, md5));
        Optional<StoredFile.Locator> locator =
                located ? Optional.of((file, path, data) -> List.of()) : Optional.empty();
        StoredFile meta = new StoredFile(3, chunks, Map.of(7, 20L, 9, 4L), Map.of(), whole, locator);
        ChunkSchedule plan = ChunkSchedule.of(1L << 35, meta);
        ChunkSchedule came = ChunkSchedule.of(plan.message(true));
        assertThat(came.size()).isEqualTo(plan.size());
        assertThat(came.chunks()).isEqualTo(plan.chunks()).hasSize(2);
        assertThat(came.meta().chunks()).isEqualTo(chunks);
        assertThat(came.meta().whole()).isEqualTo(whole);
        assertThat(came.meta().sizes()).isEqualTo(located ? Map.of() : meta.sizes());
        assertThat(came.meta().ckptId()).isEqualTo(3);
        ChunkSchedule copy = ChunkSchedule.of(plan.message(false));
        assertThat(copy.chunks()).isEqualTo(plan.chunks());
        assertThat(copy.meta().sizes()).isEmpty();
    }
}
