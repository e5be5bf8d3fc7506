package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.CompositeType;
import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.DatasetGroup;
import io.drumlin.checkpoint.Dimensions;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.OpaqueType;
import io.drumlin.checkpoint.RecordLayout;
import io.drumlin.checkpoint.fixture.DistributedState;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.internal.data.RunGroup;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.Communicator;
import io.drumlin.format.hdf5.Hdf5File;
import io.drumlin.format.hdf5.Hdf5Tools;
import io.drumlin.format.hdf5.StoredDataset;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The mode HDF5: what its files hold comes back, from those of the library too, and what is damaged does not. */
class Hdf5ModeTest extends IoModeContract implements SeparateMetadataContract {

    private record Particle(double x, @Dimensions(3) int[] cell, byte kind) {}

    private static final RecordLayout<Particle> PARTICLE = RecordLayout.of(Particle.class);

    @Override
    public int ioMode() {
        return 5;
    }

    @Override
    String nameOfMode() {
        return "HDF5";
    }

    @Override
    protected String suffix() {
        return ".h5";
    }

    /** Groups are of all ranks. */
    private RunFixture run(Map<String, String> changes) throws IOException {
        Map<String, String> all = RunFixture.settings("group_size=4", changes);
        return make(all);
    }

    /** Data of a rank: a matrix in a group, structs, an opaque type and nothing. */
    private static final class Data {
        private final int[] matrix = new int[12];
        private final ByteBuffer particles = ByteBuffer.allocateDirect(5 * PARTICLE.size());
        private final long[] opaque;

        Data(Checkpoints checkpoints, Communicator comm) {
            opaque = new long[3 * (comm.rank() + 1)];
            checkpoints.protect(4, matrix);
            checkpoints.protect(1, particles, 5, PARTICLE.type());
            checkpoints.protect(7, opaque, comm.rank() + 1, new OpaqueType("three", 24));
            checkpoints.protect(3, new double[0]);
            DatasetGroup group = ((FtiCheckpoints) checkpoints).datasets().group("fields");
            ((FtiCheckpoints) checkpoints).defineDataset(4, "matrix", List.of(3L, 4L), group);
        }

        void fill(int seed) {
            for (int i = 0; i < matrix.length; i++) {
                matrix[i] = seed * i;
            }
            PARTICLE.put(particles, 4, new Particle(seed, new int[] {1, 2, seed}, (byte) 9));
            opaque[2] = seed;
        }

        void assertFilled(int seed) {
            assertThat(matrix[11]).isEqualTo(seed * 11);
            assertThat(PARTICLE.get(particles, 4))
                    .usingRecursiveComparison()
                    .isEqualTo(new Particle(seed, new int[] {1, 2, seed}, (byte) 9));
            assertThat(opaque[2]).isEqualTo(seed);
        }
    }

    private static void takeData(RunFixture run, Level... levels) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            Data data = new Data(checkpoints, comm);
            for (int i = 0; i < levels.length; i++) {
                data.fill(comm.rank() + 10 * (i + 1));
                checkpoints.checkpoint(i + 1, levels[i]);
            }
        });
    }

    private static void assertRecovers(RunFixture run, int ckptId, Level level) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(level);
            assertThat(checkpoints.lastCheckpoint()).contains(ckptId);
            Data data = new Data(checkpoints, comm);
            checkpoints.recover(7);
            assertThat(data.opaque[2]).isEqualTo(comm.rank() + 10L * ckptId);
            checkpoints.recover();
            data.assertFilled(comm.rank() + 10 * ckptId);
        });
    }

    @ParameterizedTest
    @CsvSource({"L1, 0", "L2, 1", "L3, 2", "L4, 4"})
    void comesBackAtEachLevel(Level level, int lostNodes) throws IOException {
        RunFixture run = run(Map.of());
        takeData(run, level);
        for (int node = 0; node < lostNodes; node++) {
            DirectoryTree.delete(directory.resolve("Local/node" + node), new NioEngine());
        }
        assertRecovers(run, 1, level);
        assertRecovers(run, 1, level == Level.L4 ? Level.L1 : level);
    }

    @Test
    void isKeptAtTheEnd() throws IOException {
        RunFixture run = run(Map.of("basic.keep_last_ckpt", "1"));
        run.run(RANKS, (checkpoints, comm) -> {
            new Data(checkpoints, comm).fill(comm.rank() + 10);
            checkpoints.checkpoint(1, Level.L2);
            checkpoints.complete();
        });
        assertThat(run.files()).contains("Global/X/l4/Ckpt1-Rank2.h5").noneMatch(file -> file.startsWith("Local"));
        assertRecovers(run, 1, Level.L4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"L1", "L3", "L4"})
    void incrementalCheckpointsComeBack(Level level) throws IOException {
        RunFixture run = run(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            Data data = new Data(checkpoints, comm);
            data.fill(comm.rank() + 10);
            try (IncrementalCheckpoint checkpoint = checkpoints.incremental(1, level)) {
                for (int id : List.of(7, 3, 4, 1)) {
                    checkpoint.add(id);
                }
                data.fill(99);
                checkpoint.commit();
            }
        });
        if (level == Level.L3) {
            DirectoryTree.delete(directory.resolve("Local/node2"), new NioEngine());
        }
        assertRecovers(run, 1, level);
    }

    @Test
    void aRankThatProtectsNothingHasAFileOfHdf5() throws IOException {
        RunFixture run = run(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            if (comm.rank() != 2) {
                checkpoints.protect(0, new int[] {1, 2, 3});
            }
            try (IncrementalCheckpoint checkpoint = checkpoints.incremental(1, Level.L1)) {
                if (comm.rank() != 2) {
                    checkpoint.add(0);
                }
                checkpoint.commit();
            }
        });
        assertThat(read(run.file("Ckpt1-Rank2.h5")).datasets()).isEmpty();
        // Without the digests it is the file itself that tells whether it is whole.
        withoutDigests(run);
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = new int[3];
            if (comm.rank() != 2) {
                checkpoints.protect(0, values);
            }
            checkpoints.recover();
            assertThat(values[2]).isEqualTo(comm.rank() != 2 ? 3 : 0);
        });
    }

    /** Datasets have checksums, but those do not tell of which checkpoint they are. */
    @Test
    void aFileOfAnotherIncrementalCheckpointOfTheSameNameAndSizeIsNotTaken() throws IOException {
        RunFixture run = run(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            Data data = new Data(checkpoints, comm);
            data.fill(comm.rank() + 10);
            checkpoints.checkpoint(1, Level.L4);
            for (int seed : new int[] {20, 30}) {
                data.fill(seed);
                Path old = directory.resolve("old" + comm.rank());
                if (seed == 30) {
                    Files.copy(run.file("Ckpt2-Rank" + comm.rank() + ".h5"), old);
                }
                comm.barrier();
                try (IncrementalCheckpoint checkpoint = checkpoints.incremental(2, Level.L1)) {
                    List.of(1, 3, 4, 7).forEach(checkpoint::add);
                    checkpoint.commit();
                }
            }
        });
        Files.copy(directory.resolve("old2"), run.file("Ckpt2-Rank2.h5"), StandardCopyOption.REPLACE_EXISTING);
        assertRecovers(run, 1, Level.L4);
    }

    @Test
    void anIncrementalCheckpointOfWhatHasChangedIsRefused() throws IOException {
        RunFixture run = run(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[3]);
            checkpoints.protect(1, new int[3]);
            try (IncrementalCheckpoint checkpoint = checkpoints.incremental(1, Level.L1)) {
                checkpoint.add(0);
                checkpoints.protect(1, new int[4]);
                checkpoint.add(1);
                assertThatThrownBy(checkpoint::commit).hasMessageContaining("has changed");
            }
            checkpoints.checkpoint(2, Level.L1);
        });
    }

    /** As C FTI leaves them: without our digest. */
    private void withoutDigests(RunFixture run) throws IOException {
        Path metadata = run.file("l1/sector0-group0.fti");
        String text = Files.readString(metadata);
        assertThat(text).contains("drumlin_checksum");
        SeparateMetadataContract.unseal(metadata);
    }

    private static Hdf5File read(Path path) throws IOException {
        try (BlockFile file = new NioEngine().open(path, EnumSet.of(OpenMode.READ))) {
            return Hdf5File.read(new BlockFileSource(file));
        }
    }

    /** C FTI only opens the file: damage shows in FTI_Recover, on one rank, and no other level is tried. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFlippedByteSendsAllRanksToTheNextLevel(boolean digests) throws IOException {
        RunFixture run = run(Map.of());
        takeData(run, Level.L4, Level.L1);
        if (!digests) {
            withoutDigests(run);
        }
        Path file = run.file("Ckpt2-Rank2.h5");
        StoredDataset dataset = read(file).dataset("/fields/matrix").orElseThrow();
        Tamper.flip(file, dataset.chunks().get(0).offset() + 5);
        assertRecovers(run, 1, Level.L4);
    }

    /** Makes a file as the library leaves it when the opaque data of rank 2 were never written. */
    private static void withoutChunks(Path path) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
        int layout = 0;
        // Version 3, chunks, of rank 2 with the bytes of an element; after the address of the B-tree 3 elements of 24
        // bytes.
        while ((bytes.getInt(layout) & 0xFFFFFF) != 0x020203
                || bytes.getInt(layout + 11) != 3
                || bytes.getInt(layout + 15) != 24) {
            layout++;
        }
        Files.write(path, bytes.putLong(layout + 3, -1).array());
        StoredDataset dataset = read(path).dataset("/Dataset_7").orElseThrow();
        assertThat(dataset.bytes()).isEqualTo(72);
        assertThat(dataset.chunks()).isEmpty();
    }

    @Test
    void aDatasetThatWasNeverWrittenSendsAllRanksToTheNextLevel() throws IOException {
        RunFixture run = run(Map.of());
        takeData(run, Level.L4, Level.L1);
        withoutDigests(run);
        withoutChunks(run.file("Ckpt2-Rank2.h5"));
        assertRecovers(run, 1, Level.L4);
    }

    @Test
    void aDatasetThatWasNeverWrittenIsNotRecovered() throws IOException {
        RunFixture run = run(Map.of());
        takeData(run, Level.L1);
        withoutDigests(run);
        run.run(RANKS, (checkpoints, comm) -> {
            Data data = new Data(checkpoints, comm);
            if (comm.rank() == 2) {
                withoutChunks(run.file("Ckpt1-Rank2.h5"));
                checkpoints.recover(4);
                assertThat(data.matrix[11]).isEqualTo(12 * 11);
                assertThatThrownBy(() -> checkpoints.recover(7))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("Ckpt1-Rank2.h5")
                        .hasMessageContaining("dataset /Dataset_7 has 0 of 72 bytes");
            }
        });
    }

    /** Written by the library, as those of C FTI are. */
    @Test
    void filesOfTheLibraryAreRecovered() throws IOException {
        RunFixture run = run(Map.of());
        takeData(run, Level.L1);
        withoutDigests(run);
        Path metadata = run.file("l1/sector0-group0.fti");
        for (int rank = 0; rank < RANKS; rank++) {
            Path file = run.file("Ckpt1-Rank" + rank + ".h5");
            Path packed = directory.resolve("packed.h5");
            Hdf5Tools.run("h5repack", file.toString(), packed.toString());
            String text = Files.readString(metadata);
            long size = Files.size(packed);
            assertThat(size).isNotEqualTo(Files.size(file));
            text = text.replaceAll("(ckpt_file_name += Ckpt1-Rank" + rank + ".h5\nckpt_file_size +=).*", "$1 " + size)
                    .replaceAll("(ckpt_file_maxs +=).*", "$1 1000000");
            Files.writeString(metadata, text);
            Files.move(packed, file, StandardCopyOption.REPLACE_EXISTING);
        }
        assertRecovers(run, 1, Level.L1);
    }

    /** The file may be whole: an older checkpoint is taken only if the user says so. */
    @Test
    void aFileForTheLibraryIsNoReasonToTakeAnOlderCheckpoint() throws IOException {
        Hdf5Tools.requireNoLibrary();
        RunFixture run = run(Map.of());
        takeData(run, Level.L4, Level.L1);
        withoutDigests(run);
        Path file = run.file("Ckpt2-Rank2.h5");
        Path packed = directory.resolve("packed.h5");
        Hdf5Tools.run("h5repack", "-f", "/fields/matrix:GZIP=6", file.toString(), packed.toString());
        Path metadata = run.file("l1/sector0-group0.fti");
        Files.writeString(
                metadata,
                Files.readString(metadata)
                        .replaceAll("(Ckpt2-Rank2.h5\nckpt_file_size +=).*", "$1 " + Files.size(packed))
                        .replaceAll("(ckpt_file_maxs +=).*", "$1 1000000"));
        Files.move(packed, file, StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> run.run(RANKS, (checkpoints, comm) -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Ckpt2-Rank2.h5")
                .hasMessageContaining("io.drumlin:drumlin-hdf5 is not on the class path")
                .hasMessageContaining("on_unreadable = older");
        Files.writeString(run.config(), Files.readString(run.config()) + "\n[drumlin]\non_unreadable = older\n");
        assertRecovers(run, 1, Level.L4);
    }

    @Test
    void theDatasetMustBeDefinedAsItWas() throws IOException {
        RunFixture run = run(Map.of());
        takeData(run, Level.L1);
        run.run(RANKS, (checkpoints, comm) -> {
            Data data = new Data(checkpoints, comm);
            ((FtiCheckpoints) checkpoints).defineDataset(4, "other", List.of(), null);
            assertThatThrownBy(() -> checkpoints.recover(4)).hasMessageContaining("no dataset /fields/other");
            ((FtiCheckpoints) checkpoints).defineDataset(4, "matrix", List.of(), null);
            checkpoints.recover();
            data.assertFilled(comm.rank() + 10);
        });
    }

    private static CompositeType struct(String first, DataType type, int at, String second, int otherAt) {
        CompositeType made = new CompositeType("struct", 24);
        made.addScalar(first, type, at);
        made.addVector(second, ElementType.INTG, otherAt, List.of(2L, 2L));
        return made;
    }

    private static CompositeType nested(DataType inner) {
        CompositeType made = new CompositeType("nested", 24);
        made.addScalar("inner", inner, 0);
        return made;
    }

    private static CompositeType vector(DataType element, Long... dimensions) {
        CompositeType made = new CompositeType("vector", 24);
        made.addVector("v", element, 0, List.of(dimensions));
        return made;
    }

    private static final CompositeType STRUCT = struct("x", ElementType.DBLE, 0, "k", 8);

    static Stream<Arguments> typesOfTheSameSize() {
        return Stream.of(
                arguments(ElementType.LONG, ElementType.DBLE, "signed integer of 64 bits", "floating point of 64 bits"),
                arguments(ElementType.SFLT, ElementType.INTG, "floating point of 32 bits", "signed integer of 32 bits"),
                arguments(ElementType.USHT, ElementType.SHRT, "unsigned integer of 16 bits", "signed integer of 16"),
                arguments(ElementType.CHAR, ElementType.UCHR, "signed integer of 8 bits", "unsigned integer of 8"),
                // Where only the number of bytes is the same.
                arguments(ElementType.CHAR, ElementType.INTG, "signed integer of 8 bits", "signed integer of 32 bits"),
                arguments(
                        new OpaqueType("o", 8),
                        ElementType.LONG,
                        "signed integer of 8 bits in 8 bytes",
                        "signed integer of 64 bits"),
                arguments(new OpaqueType("o", 24), STRUCT, "8 bits in 24 bytes", "compound of 24 bytes with 2 members"),
                arguments(STRUCT, ElementType.DBLE, "compound of 24 bytes with 2 members", "floating point of 64 bits"),
                arguments(
                        struct("x", ElementType.DBLE, 16, "k", 0),
                        STRUCT,
                        "member k at 0, array [2, 2] of signed integer of 32 bits there",
                        "member x at 0, floating point of 64 bits here"),
                arguments(
                        struct("y", ElementType.DBLE, 0, "k", 8),
                        STRUCT,
                        "member y at 0, floating point of 64 bits there",
                        "member x at 0, floating point of 64 bits here"),
                arguments(
                        struct("x", ElementType.SFLT, 0, "k", 8),
                        struct("x", ElementType.SFLT, 4, "k", 8),
                        "member x at 0, floating",
                        "member x at 4, floating"),
                arguments(
                        struct("x", ElementType.LONG, 0, "k", 8),
                        STRUCT,
                        "member x: signed integer of 64 bits there",
                        "floating point of 64 bits here"),
                arguments(
                        nested(struct("x", ElementType.LONG, 0, "k", 8)),
                        nested(STRUCT),
                        "member inner: member x: signed integer of 64 bits there",
                        "floating point of 64 bits here"),
                arguments(
                        vector(ElementType.INTG, 2L, 3L),
                        vector(ElementType.INTG, 3L, 2L),
                        "member v: array [2, 3] of signed integer of 32 bits there",
                        "array [3, 2] of signed"),
                arguments(
                        vector(ElementType.INTG, 2L, 3L),
                        vector(ElementType.UINT, 2L, 3L),
                        "member v: signed integer of 32 bits there",
                        "unsigned integer of 32 bits here"),
                arguments(
                        vector(ElementType.INTG, 4L),
                        STRUCT,
                        "compound of 24 bytes with 1 members",
                        "compound of 24 bytes with 2 members"));
    }

    @ParameterizedTest
    @MethodSource("typesOfTheSameSize")
    void elementsOfAnotherTypeAreNotRecovered(DataType stored, DataType here, String there, String asked)
            throws IOException {
        int bytes = 48;
        RunFixture run = run(Map.of("basic.group_size", "1"));
        run.run(1, (checkpoints, comm) -> {
            checkpoints.protect(3, new int[] {7, 8});
            checkpoints.protect(5, ByteBuffer.allocateDirect(bytes), bytes / stored.size(), stored);
            checkpoints.checkpoint(1, Level.L1);
        });
        run.run(1, (checkpoints, comm) -> {
            int[] before = new int[2];
            checkpoints.protect(3, before);
            checkpoints.protect(5, ByteBuffer.allocateDirect(bytes), bytes / here.size(), here);
            for (ThrowingCallable recovery :
                    List.<ThrowingCallable>of(checkpoints::recover, () -> checkpoints.recover(5))) {
                assertThatThrownBy(recovery)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("recovery of variable 5")
                        .hasMessageContaining("Ckpt1-Rank0.h5")
                        .hasMessageContaining("dataset /Dataset_5")
                        .hasMessageContaining(there)
                        .hasMessageContaining(asked)
                        .hasMessageContaining("protect");
            }
            assertThat(before).containsOnly(0);
            checkpoints.protect(5, ByteBuffer.allocateDirect(bytes), bytes / stored.size(), stored);
            checkpoints.recover();
            assertThat(before).containsExactly(7, 8);
        });
    }

    /** The order in which a program adds fields is nothing that the bytes know of. */
    @Test
    void fieldsMayBeAddedInAnotherOrder() throws IOException {
        RunFixture run = run(Map.of("basic.group_size", "1"));
        CompositeType other = new CompositeType("renamed", 24);
        other.addVector("k", ElementType.INTG, 8, List.of(2L, 2L));
        other.addScalar("x", ElementType.DBLE, 0);
        run.run(1, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {1, 2, 3, 4, 5, 6}, 1, STRUCT);
            checkpoints.checkpoint(1, Level.L1);
        });
        run.run(1, (checkpoints, comm) -> {
            int[] values = new int[6];
            checkpoints.protect(0, values, 1, other);
            checkpoints.recover();
            assertThat(values).containsExactly(1, 2, 3, 4, 5, 6);
        });
    }

    @Test
    void whatCannotBeInAFileLeavesTheCheckpointBefore() throws IOException {
        RunFixture run = run(Map.of());
        takeData(run, Level.L1);
        run.run(RANKS, (checkpoints, comm) -> {
            new Data(checkpoints, comm);
            ((FtiCheckpoints) checkpoints).defineDataset(3, "Dataset_7", List.of(), null);
            checkpoints.discardRestart();
            assertThatThrownBy(() -> checkpoints.checkpoint(2, Level.L1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("variable 3: the name Dataset_7 is used twice");
            CompositeType empty = new CompositeType("empty", 4);
            checkpoints.protect(3, new int[1], 1, empty);
            assertThatThrownBy(() -> checkpoints.checkpoint(2, Level.L1)).hasMessageContaining("no fields");
        });
        assertRecovers(run, 1, Level.L1);
    }

    @Test
    void shapesFollowTheNumberOfElements() throws IOException {
        RunFixture run = run(Map.of("basic.group_size", "1"));
        run.run(1, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[6]);
            ((FtiCheckpoints) checkpoints).defineDataset(0, null, List.of(2L, 3L), null);
            checkpoints.protect(0, new short[6]);
            checkpoints.checkpoint(1, Level.L1);
            assertThat(dimensions(run, 1)).isEqualTo(List.of(2L, 3L));
            checkpoints.protect(0, new short[7]);
            checkpoints.checkpoint(2, Level.L1);
            assertThat(dimensions(run, 2)).isEqualTo(List.of(7L));
            checkpoints.protect(0, new short[3][4][5]);
            checkpoints.checkpoint(3, Level.L1);
            assertThat(dimensions(run, 3)).isEqualTo(List.of(3L, 4L, 5L));
            ((FtiCheckpoints) checkpoints).defineDataset(0, null, List.of(12L, 5L), null);
            checkpoints.checkpoint(4, Level.L1);
            assertThat(dimensions(run, 4)).isEqualTo(List.of(12L, 5L));
            assertThatThrownBy(() -> ((FtiCheckpoints) checkpoints).defineDataset(0, null, List.of(2L, 3L), null))
                    .hasMessageContaining("product is 60");
            assertThatThrownBy(() -> ((FtiCheckpoints) checkpoints).defineDataset(0, null, List.of(), new RunGroup()))
                    .hasMessageContaining("another run");
        });
    }

    private static List<Long> dimensions(RunFixture run, int ckptId) throws IOException {
        Path file = run.file("Ckpt" + ckptId + "-Rank0.h5");
        return read(file).dataset("/Dataset_0").orElseThrow().dimensions();
    }

    /** How data are distributed is nothing that these files are read by. */
    @Test
    void anotherNumberOfRanksIsRefusedAlsoWhereItIsAskedFor() throws IOException {
        RunFixture run = make(Map.of("basic.group_size", "1"));
        take(run, 1, Level.L4);
        assertThatThrownBy(() -> DistributedState.start(run, 6, (checkpoints, comm) -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("at no level");
        recover(run, 1, Level.L4);
    }
}
