package io.drumlin.checkpoint.internal.redundancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.file.PosixEncoding;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.io.StreamDigest;
import io.drumlin.checkpoint.internal.redundancy.ReedSolomonGroup.Digests;
import io.drumlin.checkpoint.internal.redundancy.WindowHasher.Passing;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.FileIdentity;
import io.drumlin.checkpoint.internal.verify.RecoveryPass;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A rank whose digest fails takes part to the end, so that the files of the others are made. */
@Timeout(60)
class ReedSolomonGroupTest {

    private static final int RANKS = 3;
    private static final int SLAB = 16 << 10;
    private static final int WINDOWS = 10;
    private static final int BYTES = WINDOWS * SLAB - 100;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"1, true", "4, true", "9, true", "10, true", "1, false", "4, false", "9, false", "10, false"})
    void aDigestThatFailsLeavesNobodyWaiting(int window, boolean thread) throws IOException {
        Consumer<Runnable> threads = thread ? ReedSolomonGroupTest::start : ReedSolomonGroupTest::refuse;
        ThreadCommunicator.run(RANKS, comm -> {
            Group group = new Group(0, 0, comm);
            Supplier<StreamDigest> digests = comm.rank() == 1
                    ? () -> new StreamDigest(1, new FailingLanes(window), threads)
                    : () -> new StreamDigest(1);
            NioEngine storage = new NioEngine();
            try (SlabPool slabs = new SlabPool(storage, SlabPool.SLABS, SLAB)) {
                ReedSolomonGroup code = new ReedSolomonGroup(group, storage, slabs, digests);
                if (comm.rank() == 1) {
                    assertThatThrownBy(() -> encode(code, 1))
                            .isInstanceOf(RuntimeException.class)
                            .hasStackTraceContaining(FailingLanes.MESSAGE);
                } else {
                    assertThat(encode(code, comm.rank())).isEqualTo(md5(Files.readAllBytes(encoded(comm.rank()))));
                }
            }
        });
    }

    /** All plain files but the largest end before the encoded part does. */
    @ParameterizedTest
    @ValueSource(ints = {1, SLAB - 1, SLAB, SLAB + 1, 3 * SLAB - 7, BYTES - 1, BYTES})
    void thePlainFileIsDigestedOnTheWay(int size) throws IOException {
        ThreadCommunicator.run(RANKS, comm -> {
            int rank = comm.rank();
            byte[] plain = rank == 0 ? plain(0) : Arrays.copyOf(plain(rank), size);
            NioEngine storage = new NioEngine();
            try (SlabPool slabs = new SlabPool(storage, SlabPool.SLABS, SLAB)) {
                ReedSolomonGroup code = new ReedSolomonGroup(new Group(0, 0, comm), storage, slabs);
                MemoryByteSource source = new MemoryByteSource(ByteBuffer.wrap(plain));
                Digests digests = code.encodeAndDigest(source, BYTES, new PosixEncoding(), encoded(rank));
                assertThat(digests.encoded()).isEqualTo(md5(Files.readAllBytes(encoded(rank))));
                assertThat(digests.plain()).isEqualTo(md5(plain));
            }
        });
    }

    /** Of its own files, on the way to who has lost some. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 10, 100})
    void hashesThatFailLeaveNobodyWaiting(int window) throws IOException {
        ThreadCommunicator.run(RANKS, comm -> {
            int rank = comm.rank();
            Group group = new Group(0, 0, comm);
            NioEngine storage = new NioEngine();
            byte[] plain = plain(rank);
            Path path = Files.write(folder.resolve("plain" + rank), plain);
            Passing file = Passing.of(FileIdentity.of(path), StoredFile.of(1, BYTES, md5(plain)), RecoveryPass.none())
                    .orElseThrow();
            Md5Lanes lanes = rank == 1 ? new FailingLanes(window) : DigestEngine.md5();
            try (SlabPool slabs = new SlabPool(storage, SlabPool.SLABS, SLAB);
                    WindowHasher hashes = new WindowHasher(Map.of(FileKind.PLAIN, file), lanes)) {
                CheckpointReader reader = new CheckpointReader(storage, slabs);
                ReedSolomonGroup code = new ReedSolomonGroup(group, storage, slabs);
                if (rank == 1 && window <= WINDOWS) {
                    assertThatThrownBy(() -> encode(code, 1, Optional.of(hashes)))
                            .isInstanceOf(RuntimeException.class)
                            .hasStackTraceContaining(FailingLanes.MESSAGE);
                } else {
                    assertThat(encode(code, rank, Optional.of(hashes)))
                            .isEqualTo(md5(Files.readAllBytes(encoded(rank))));
                    hashes.done(reader);
                    Chunk whole = new Chunk(-1, 0, 0, BYTES, Optional.empty());
                    assertThat(reader.known().of(path, List.of(whole))).hasValue(List.of(md5(plain)));
                }
            }
        });
    }

    private String encode(ReedSolomonGroup code, int rank, Optional<WindowHasher> hashes) throws IOException {
        BitSet present = new BitSet();
        present.set(0, RANKS);
        BitSet wanted = new BitSet();
        wanted.set(RANKS, 2 * RANKS);
        return code.rebuild(
                present,
                wanted,
                Map.of(FileKind.PLAIN, new MemoryByteSource(ByteBuffer.wrap(plain(rank)))),
                BYTES,
                new PosixEncoding(),
                Map.of(FileKind.ENCODED, encoded(rank)),
                () -> BYTES,
                hashes);
    }

    private static byte[] plain(int rank) {
        byte[] plain = new byte[BYTES];
        new Random(rank).nextBytes(plain);
        return plain;
    }

    private String encode(ReedSolomonGroup code, int rank) throws IOException {
        return code.encode(
                new MemoryByteSource(ByteBuffer.wrap(plain(rank))), BYTES, new PosixEncoding(), encoded(rank));
    }

    private Path encoded(int rank) {
        return folder.resolve("encoded" + rank);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    private static void refuse(Runnable work) {
        throw new OutOfMemoryError("unable to create native thread");
    }

    private static String md5(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
