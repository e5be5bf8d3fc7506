package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.comm.Communicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.internal.RangeDigester.Range;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.StripedDigester;
import java.io.IOException;
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

/** Files of the modes POSIX and HDF5 have a striped digest beside the plain one, where it costs little. */
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

    private RunFixture make(Mode mode) throws IOException {
        Path own = Files.createTempDirectory(folder, "run");
        return new RunFixture(own, Map.of("basic.ckpt_io", mode.key, "basic.node_size", "1", "basic.group_size", "2"));
    }

    enum Mode {
        POSIX("1", "fti"),
        HDF5("5", "h5");

        private final String key;
        private final String suffix;

        Mode(String key, String suffix) {
            this.key = key;
            this.suffix = suffix;
        }

        String name(String kind, int rank) {
            return "Ckpt1-" + kind + rank + "." + suffix;
        }
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
    @CsvSource({"POSIX, L1", "POSIX, L2", "POSIX, L3", "POSIX, L4", "HDF5, L1", "HDF5, L2", "HDF5, L3", "HDF5, L4"})
    void bothDigestsAreThoseOfTheFile(Mode mode, Level level) throws Exception {
        RunFixture run = make(mode);
        take(run, level, BYTES);
        List<FileEntry> files = entries(run, level);
        for (int rank = 0; rank < RANKS; rank++) {
            byte[] bytes = Files.readAllBytes(run.file(mode.name("Rank", rank)));
            byte[] md5 = MessageDigest.getInstance("MD5").digest(bytes);
            byte[] striped = new StripedDigester()
                    .digest(new MemoryByteSource(ByteBuffer.wrap(bytes)), List.of(new Range(0, bytes.length)))
                    .get(0);
            assertThat(files.get(rank).plainDigest()).isEqualTo(HexFormat.of().formatHex(md5));
            assertThat(files.get(rank).digest()).isEqualTo(HexFormat.of().formatHex(striped));
        }
        run.run(RANKS, StripesBesideTest::recover);
        if (level == Level.L2 || level == Level.L3) {
            run.loseNode(1);
            run.run(RANKS, StripesBesideTest::recover);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POSIX, L1, Rank",
        "POSIX, L2, Rank",
        "POSIX, L2, Pcof",
        "POSIX, L3, Rank",
        "POSIX, L3, RSed",
        "POSIX, L4, Rank",
        "HDF5, L1, Rank",
        "HDF5, L2, Pcof",
        "HDF5, L3, Rank",
        "HDF5, L3, RSed",
        "HDF5, L4, Rank"
    })
    void oneChangedBitIsFound(Mode mode, Level level, String kind) throws IOException {
        RunFixture run = make(mode);
        take(run, level, BYTES);
        Path changed = run.file(mode.name(kind, 0));
        byte[] written = Files.readAllBytes(changed);
        for (int at : new int[] {0, 700_000, BYTES - 1}) {
            Tamper.flip(changed, at);
            if (level == Level.L2 || level == Level.L3) {
                // The files that are whole make this one again.
                run.run(RANKS, StripesBesideTest::recover);
                assertThat(run.file(mode.name(kind, 0))).hasBinaryContent(written);
            } else {
                assertThatThrownBy(() -> run.run(RANKS, (checkpoints, comm) -> {}))
                        .hasMessageContaining("at no level the files that are left give one whole checkpoint");
                Tamper.flip(changed, at);
            }
        }
    }

    @Test
    void smallFilesHaveThePlainDigestOnly() throws IOException {
        RunFixture small = make(Mode.POSIX);
        take(small, Level.L1, 1000);
        assertThat(entries(small, Level.L1)).noneMatch(FileEntry::isStriped);
    }
}
