package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.comm.Communicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.RangeDigester.Range;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.StripedDigester;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of the mode POSIX have a striped digest beside that of C FTI, where it costs little. */
@Tag("native")
class StripesBesideTest {

    private static final int RANKS = 2;

    /** Of a rank: no whole block of a digest, nor of a device. */
    private static final int BYTES = (1 << 20) + 70_001;

    @TempDir
    private Path folder;

    @BeforeEach
    void stripesAreWritten() {
        assumeTrue(DigestEngine.stripesPay(BYTES), "the processor or the build hashes no 8 lanes at once");
    }

    private RunFixture make() throws IOException {
        Path own = Files.createTempDirectory(folder, "run");
        return new RunFixture(own, Map.of("basic.ckpt_io", "1", "basic.node_size", "1", "basic.group_size", "2"));
    }

    private static byte[] data(int rank, int bytes) {
        byte[] data = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            data[i] = (byte) (i * 31 + (i >> 9) + rank);
        }
        return data;
    }

    private static void take(RunFixture run, Level level, int bytes) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, data(comm.rank(), bytes));
            checkpoints.checkpoint(1, level);
        });
    }

    private static void recover(Checkpoints checkpoints, Communicator comm) throws IOException {
        byte[] found = new byte[BYTES];
        checkpoints.protect(0, found);
        checkpoints.recover();
        assertThat(found).isEqualTo(data(comm.rank(), BYTES));
    }

    private static List<FileEntry> entries(RunFixture run, Level level) throws IOException {
        Path path = SeparateMetadataContract.metadata(run, "l" + level.number() + "/sector0-group0.fti");
        GroupMetadata read = GroupMetadata.read(new MemoryByteSource(ByteBuffer.wrap(Files.readAllBytes(path))));
        assertThat(read.blocksDigested()).isFalse();
        return read.files();
    }

    @ParameterizedTest
    @CsvSource({"L1", "L2", "L4"})
    void bothDigestsAreThoseOfTheFile(Level level) throws Exception {
        RunFixture run = make();
        take(run, level, BYTES);
        List<FileEntry> files = entries(run, level);
        for (int rank = 0; rank < RANKS; rank++) {
            byte[] bytes = Files.readAllBytes(run.file("Ckpt1-Rank" + rank + ".fti"));
            byte[] md5 = MessageDigest.getInstance("MD5").digest(bytes);
            byte[] striped = new StripedDigester()
                    .digest(new MemoryByteSource(ByteBuffer.wrap(bytes)), List.of(new Range(0, BYTES)))
                    .get(0);
            assertThat(files.get(rank).checksum()).isEqualTo(HexFormat.of().formatHex(md5));
            assertThat(files.get(rank).digest()).isEqualTo(HexFormat.of().formatHex(striped));
        }
        if (level == Level.L2) {
            run.loseNode(1);
        }
        run.run(RANKS, StripesBesideTest::recover);
    }

    @ParameterizedTest
    @CsvSource({"L1, Rank", "L2, Rank", "L2, Pcof", "L4, Rank"})
    void oneChangedBitIsFound(Level level, String kind) throws IOException {
        for (int at : new int[] {0, 700_000, BYTES - 1}) {
            RunFixture run = make();
            take(run, level, BYTES);
            flip(run.file("Ckpt1-" + kind + "0.fti"), at);
            if (level == Level.L2) {
                // The other copy is whole, and makes the file again.
                run.run(RANKS, StripesBesideTest::recover);
                if (kind.equals("Pcof")) {
                    assertThat(Files.readAllBytes(run.file("Ckpt1-Pcof0.fti"))).isEqualTo(data(1, BYTES));
                }
            } else {
                assertThatThrownBy(() -> run.run(RANKS, (checkpoints, comm) -> {}))
                        .hasMessageContaining("at no level the files that are left give one whole checkpoint");
            }
        }
    }

    private static void flip(Path path, long at) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(at);
            int old = file.read();
            file.seek(at);
            file.write(old ^ 1);
        }
    }

    @Test
    void smallFilesAndLevel3HaveThePlainDigestOnly() throws IOException {
        RunFixture small = make();
        take(small, Level.L1, 1000);
        assertThat(entries(small, Level.L1)).noneMatch(FileEntry::isStriped);
        RunFixture encoded = make();
        take(encoded, Level.L3, BYTES);
        assertThat(entries(encoded, Level.L3)).noneMatch(FileEntry::isStriped);
    }
}
