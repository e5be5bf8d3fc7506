package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** MPI-IO, checked by plain file access; run on ranks by {@link MpiFileIT}. */
class MpiFileChecks extends SharedFolderChecks {

    private static final Set<OpenMode> ALL =
            EnumSet.of(OpenMode.READ, OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE);

    /** No multiple of any block or stripe. */
    private static final int PIECE = 100_003;

    private static final int ROUNDS = 5;

    private Path path;

    @BeforeEach
    void nameFile() {
        path = folder.resolve("shared.dat");
    }

    /** Nothing is left beside the file. */
    @AfterEach
    void onlyTheFileIsLeft() throws IOException {
        world.barrier();
        if (world.rank() == 0) {
            try (Stream<Path> left = Files.list(folder)) {
                assertThat(left).isSubsetOf(List.of(path));
            }
        }
    }

    private static byte[] piece(int rank, int round) {
        byte[] bytes = new byte[PIECE];
        for (int i = 0; i < PIECE; i++) {
            bytes[i] = (byte) (31 * i + 7 * rank + 11 * round + i / 256);
        }
        return bytes;
    }

    /** Rank r writes pieces r, r + size, r + 2 size ... of the file. */
    private long offset(int rank, int round) {
        return (long) PIECE * (round * world.size() + rank);
    }

    @Test
    void interleavedRegionsArriveByteForByte() throws IOException {
        try (MpiFile file = MpiFile.open(world, path, ALL)) {
            for (int round = 0; round < ROUNDS; round++) {
                byte[] piece = piece(world.rank(), round);
                ByteBuffer source = round % 2 == 0
                        ? ByteBuffer.wrap(piece)
                        : ByteBuffer.allocateDirect(PIECE + 9)
                                .position(4)
                                .put(piece)
                                .flip()
                                .position(4);
                int position = source.position();
                int limit = source.limit();
                file.writeAtAll(source, offset(world.rank(), round));
                assertThat(source.position()).isEqualTo(position);
                assertThat(source.limit()).isEqualTo(limit);
            }
            file.sync();
            world.barrier();
            assertThat(file.size()).isEqualTo((long) PIECE * ROUNDS * world.size());
        }
        world.barrier();
        byte[] plain = Files.readAllBytes(path);
        assertThat(plain).hasSize(PIECE * ROUNDS * world.size());
        for (int round = 0; round < ROUNDS; round++) {
            for (int rank = 0; rank < world.size(); rank++) {
                ByteBuffer region = ByteBuffer.wrap(plain, (int) offset(rank, round), PIECE);
                assertThat(region.mismatch(ByteBuffer.wrap(piece(rank, round))))
                        .as("first wrong byte of rank %d in round %d", rank, round)
                        .isEqualTo(-1);
            }
        }
    }

    @Test
    void everyRankReadsAnotherRanksRegion() throws IOException {
        if (world.rank() == 0) {
            byte[] plain = new byte[PIECE * world.size()];
            for (int rank = 0; rank < world.size(); rank++) {
                System.arraycopy(piece(rank, 0), 0, plain, PIECE * rank, PIECE);
            }
            Files.write(path, plain);
        }
        world.barrier();
        int other = (world.rank() + 1) % world.size();
        try (MpiFile file = MpiFile.open(world, path, EnumSet.of(OpenMode.READ))) {
            for (boolean direct : new boolean[] {true, false}) {
                ByteBuffer target = direct ? ByteBuffer.allocateDirect(PIECE) : ByteBuffer.allocate(PIECE);
                assertThat(file.readAtAll(target, offset(other, 0))).isEqualTo(PIECE);
                assertThat(target.position()).isZero();
                assertThat(target.mismatch(ByteBuffer.wrap(piece(other, 0)))).isEqualTo(-1);
            }
            ByteBuffer tail = ByteBuffer.allocate(PIECE);
            assertThat(file.readAtAll(tail, file.size() - 10)).isEqualTo(10);
            assertThat(file.readAtAll(tail, file.size() + 10)).isZero();
        }
    }

    @Test
    void hintsThatMpiDoesNotTakeAreRefused() throws IOException {
        Map<String, String> hints = Map.of("striping_unit", "65536", "romio_ds_write", "disable", "nobody", "knows");
        try (MpiFile file = MpiFile.open(world, path, ALL, hints)) {
            file.writeAtAll(ByteBuffer.wrap(piece(world.rank(), 0)), offset(world.rank(), 0));
        }
        world.barrier();
        assertThat(Files.size(path)).isEqualTo((long) PIECE * world.size());
        assertThatThrownBy(() -> MpiFile.open(world, path, ALL, Map.of("k".repeat(1000), "v")))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("EINVAL");
    }

    /** The last rank opens, writes and reads while the others wait for it. */
    @Test
    void aRankOpensAFileAlone() throws IOException {
        if (world.rank() == world.size() - 1) {
            try (MpiFile file = MpiFile.openAlone(world, path, ALL, Map.of())) {
                file.writeAtAll(ByteBuffer.wrap(piece(3, 0)), 7);
                file.sync();
                ByteBuffer read = ByteBuffer.allocate(PIECE);
                assertThat(file.readAtAll(read, 7)).isEqualTo(PIECE);
                assertThat(read).isEqualTo(ByteBuffer.wrap(piece(3, 0)));
            }
        }
        world.barrier();
        assertThat(Files.size(path)).isEqualTo(PIECE + 7);
    }

    @Test
    void ranksMayHaveNothingToWrite() throws IOException {
        try (MpiFile file = MpiFile.open(world, path, ALL)) {
            int length = world.rank() == world.size() - 1 ? PIECE : 0;
            file.writeAtAll(ByteBuffer.wrap(piece(0, 0), 0, length), 0);
        }
        world.barrier();
        assertThat(Files.readAllBytes(path)).isEqualTo(piece(0, 0));
    }

    @Test
    void truncateAndSetSizeCutAndExtend() throws IOException {
        if (world.rank() == 0) {
            Files.write(path, new byte[1000]);
        }
        world.barrier();
        try (MpiFile file = MpiFile.open(world, path, ALL)) {
            assertThat(file.size()).isZero();
            world.barrier();
            file.setSize(77);
            assertThat(file.size()).isEqualTo(77);
        }
        world.barrier();
        assertThat(Files.size(path)).isEqualTo(77);
    }

    @Test
    void errorsNameTheFile() throws IOException {
        assertThatThrownBy(() -> MpiFile.open(world, folder.resolve("missing"), EnumSet.of(OpenMode.READ)))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("MPI_File_open")
                .hasMessageContaining("missing")
                .hasMessageContaining("rank 0: ")
                .hasMessageContaining("ENOENT");
        try (MpiFile file = MpiFile.open(world, path, ALL)) {
            assertThatThrownBy(() -> file.writeAtAll(ByteBuffer.allocate(5), -1))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("MPI_File_write_at of 5 bytes")
                    .hasMessageContaining("EINVAL");
        }
    }

    @Test
    void aFailureOfOneRankIsOneOfAll() throws IOException {
        try (MpiFile file = MpiFile.open(world, path, ALL)) {
            long offset = world.rank() == world.size() - 1 ? -1 : (long) PIECE * world.rank();
            assertThatThrownBy(() -> file.writeAtAll(ByteBuffer.allocate(PIECE), offset))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("EINVAL");
        }
    }

    @Test
    void aFullFileSystemIsAnError() throws IOException {
        try (MpiFile file = MpiFile.open(world, Path.of("/dev/full"), EnumSet.of(OpenMode.WRITE))) {
            assertThatThrownBy(() -> file.writeAtAll(ByteBuffer.allocate(PIECE), (long) PIECE * world.rank()))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("MPI_File_write_at of " + PIECE + " bytes")
                    .hasMessageContaining("/dev/full");
        }
    }

    @Test
    void aClosedFileRefusesCalls() throws IOException {
        MpiFile file = MpiFile.open(world, path, ALL);
        file.close();
        file.close();
        assertThatIllegalStateException().isThrownBy(file::size);
        assertThatIllegalStateException().isThrownBy(() -> file.writeAtAll(ByteBuffer.allocate(1), 0));
    }

    @Test
    void senselessRequestsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpiFile.open(new SingleCommunicator(), path, ALL))
                .withMessageContaining("SingleCommunicator");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpiFile.open(world, path, EnumSet.of(OpenMode.READ, OpenMode.DIRECT)));
        for (Set<OpenMode> senseless : List.of(
                EnumSet.noneOf(OpenMode.class),
                EnumSet.of(OpenMode.READ, OpenMode.TRUNCATE),
                EnumSet.of(OpenMode.READ, OpenMode.CREATE))) {
            assertThatIllegalArgumentException().isThrownBy(() -> MpiFile.open(world, path, senseless));
        }
    }
}
