package io.drumlin.format.hdf5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.hdf5.internal.Fletcher32;
import io.drumlin.format.hdf5.internal.NewDataset;
import io.drumlin.format.hdf5.internal.NewDataset.NewChunk;
import io.drumlin.format.hdf5.internal.NewDatatype;
import io.drumlin.format.hdf5.internal.NewFile;
import io.drumlin.format.hdf5.internal.NewGroup;
import io.drumlin.storage.internal.IoFailures;
import io.jhdf.HdfFile;
import io.jhdf.api.Group;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written is read by jhdf, a reader of others, and by ours. */
class Hdf5FileTest {

    private static final Datatype INT = Datatype.integer(4, 32, true);

    @TempDir
    Path directory;

    private final NewGroup root = new NewGroup();
    private final Map<NewDataset, byte[]> contents = new HashMap<>();

    /** A dataset whose bytes count up. */
    private NewDataset add(NewGroup group, String name, NewDataset dataset) {
        byte[] content = new byte[(int) dataset.bytes()];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i + contents.size());
        }
        contents.put(dataset, content);
        return group.add(name, dataset);
    }

    private byte[] file() {
        NewFile file = NewFile.of(root);
        ByteBuffer bytes = ByteBuffer.allocate((int) file.size()).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(file.metadata());
        contents.forEach((dataset, content) -> {
            for (NewChunk chunk : dataset.chunks()) {
                bytes.put((int) chunk.offset(), content, (int) chunk.from(), (int) chunk.length());
                Fletcher32 sum = new Fletcher32();
                sum.update(ByteBuffer.wrap(content, (int) chunk.from(), (int) chunk.length()));
                sum.zeros(chunk.padding());
                if (!dataset.isContiguous()) {
                    bytes.putInt((int) (chunk.offset() + chunk.length() + chunk.padding()), sum.value());
                }
            }
        });
        return bytes.array();
    }

    private static ByteSource source(byte[] bytes) {
        return new MemoryByteSource(ByteBuffer.wrap(bytes));
    }

    private HdfFile jhdf(byte[] bytes) throws IOException {
        return new HdfFile(Files.write(directory.resolve("file.h5"), bytes));
    }

    private static byte[] content(byte[] file, StoredDataset dataset) {
        byte[] content = new byte[(int) dataset.bytes()];
        for (StoredDataset.Chunk chunk : dataset.chunks()) {
            System.arraycopy(file, (int) chunk.offset(), content, (int) chunk.from(), (int) chunk.length());
        }
        return content;
    }

    private void assertRead(byte[] file, String path, NewDataset dataset) throws IOException {
        Hdf5File read = Hdf5File.read(source(file));
        read.verify();
        assertThat(read.dataset(path)).get().satisfies(found -> assertThat(content(file, found))
                .isEqualTo(contents.get(dataset)));
    }

    @Test
    void numbersOfAllKindsAreReadByJhdf() throws IOException {
        NewDataset bytes = add(root, "bytes", NewDataset.chunked(Datatype.integer(1, 8, true), none(), List.of(3L)));
        NewDataset ints = add(root, "ints", NewDataset.chunked(INT, none(), List.of(2L, 3L)));
        NewDataset longs =
                add(root, "longs", NewDataset.contiguous(Datatype.integer(8, 64, true), none(), List.of(5L)));
        NewDataset floats = add(root, "floats", NewDataset.chunked(Datatype.ieee32(), none(), List.of(7L)));
        NewDataset doubles = add(root, "doubles", NewDataset.chunked(Datatype.ieee64(), none(), List.of(7L)));
        byte[] file = file();
        try (HdfFile read = jhdf(file)) {
            assertThat(read.getDatasetByPath("/bytes").getData()).isEqualTo(contents.get(bytes));
            int[][] matrix = (int[][]) read.getDatasetByPath("/ints").getData();
            assertThat(matrix).hasDimensions(2, 3);
            assertThat(matrix[1][2]).isEqualTo(little(ints).getInt(20));
            assertThat((long[]) read.getDatasetByPath("/longs").getData())
                    .contains(little(longs).getLong(32));
            assertThat((float[]) read.getDatasetByPath("/floats").getData())
                    .contains(little(floats).getFloat(24));
            assertThat((double[]) read.getDatasetByPath("/doubles").getData())
                    .contains(little(doubles).getDouble(48));
        }
        assertRead(file, "/ints", ints);
        assertRead(file, "/longs", longs);
    }

    private static Optional<NewDatatype> none() {
        return Optional.empty();
    }

    private ByteBuffer little(NewDataset dataset) {
        return ByteBuffer.wrap(contents.get(dataset)).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** A struct with an array in it; jhdf knows no datasets of named types, which those are that h5dump sees. */
    @Test
    void structsAreReadByJhdf() throws IOException {
        Datatype struct = Datatype.compound(
                16,
                List.of(
                        new Datatype.Member("first", 0, INT),
                        new Datatype.Member(
                                "pair of shorts", 4, Datatype.array(Datatype.integer(2, 16, true), List.of(2L))),
                        new Datatype.Member("d", 8, Datatype.ieee64())));
        NewGroup outer = root.add("outer", new NewGroup());
        outer.add("struct", new NewDatatype(struct));
        NewGroup inner = outer.add("inner", new NewGroup());
        NewDataset dataset = add(inner, "structs", NewDataset.chunked(struct, none(), List.of(3L)));
        byte[] file = file();
        try (HdfFile read = jhdf(file)) {
            Map<?, ?> columns =
                    (Map<?, ?>) read.getDatasetByPath("/outer/inner/structs").getData();
            assertThat((int[]) columns.get("first")).contains(little(dataset).getInt(16));
            assertThat((double[]) columns.get("d")).contains(little(dataset).getDouble(40));
            assertThat(columns.keySet().toString()).contains("pair of shorts");
        }
        assertRead(file, "/outer/inner/structs", dataset);
    }

    /** More than one node of symbols, and names that are one another's beginning. */
    @Test
    void manyMembersAreReadByJhdf() throws IOException {
        for (int i = 0; i < 300; i++) {
            add(root, "Dataset_" + i, NewDataset.chunked(INT, none(), List.of(i % 3L)));
        }
        byte[] file = file();
        try (HdfFile read = jhdf(file)) {
            Group group = read;
            assertThat(group.getChildren()).hasSize(300);
            for (int i = 1; i < 300; i += 3) {
                assertThat((int[]) read.getDatasetByPath("/Dataset_" + i).getData())
                        .hasSize(1);
            }
        }
        assertThat(Hdf5File.read(source(file)).datasets()).hasSize(300);
    }

    /** Chunks of fewer bytes than a dataset, cut along any dimension, the last ones not full. */
    @Test
    void datasetsInSeveralChunksAreReadByJhdf() throws IOException {
        List<Long> dimensions = List.of(3L, 5L, 4L);
        for (int most : new int[] {4, 8, 12, 16, 32, 48, 80, 100, 160, 240}) {
            if (most < 16) {
                assertThatThrownBy(() -> NewDataset.chunked(INT, none(), List.of(10L, 5L, 4L), most))
                        .hasMessageContaining("64 chunks");
            }
            if (most > 4) {
                add(root, "most" + most, NewDataset.chunked(INT, none(), dimensions, most));
            }
        }
        byte[] file = file();
        try (HdfFile read = jhdf(file)) {
            for (Map.Entry<NewDataset, byte[]> each : contents.entrySet()) {
                String name = root.members().entrySet().stream()
                        .filter(member -> member.getValue() == each.getKey())
                        .findFirst()
                        .orElseThrow()
                        .getKey();
                int[][][] cube = (int[][][]) read.getDatasetByPath("/" + name).getData();
                for (int i = 0; i < 60; i++) {
                    assertThat(cube[i / 20][i / 4 % 5][i % 4])
                            .as(name)
                            .isEqualTo(little(each.getKey()).getInt(4 * i));
                }
                assertRead(file, "/" + name, each.getKey());
            }
        }
    }

    @Test
    void whatCannotBeIsRefused() {
        root.add("name", new NewGroup());
        assertThatThrownBy(() -> root.add("name", new NewGroup())).hasMessageContaining("twice");
        for (String name : List.of("", ".", "a/b", "a\0")) {
            assertThatThrownBy(() -> root.add(name, new NewGroup())).hasMessageContaining("no name");
        }
        assertThatThrownBy(() -> Datatype.compound(4, List.of())).hasMessageContaining("no fields");
        assertThatThrownBy(() -> Datatype.compound(
                        8, List.of(new Datatype.Member("a", 0, INT), new Datatype.Member("a", 4, INT))))
                .hasMessageContaining("same name");
    }

    private byte[] small() {
        Datatype struct = Datatype.compound(
                8, List.of(new Datatype.Member("a", 0, INT), new Datatype.Member("b", 4, Datatype.ieee32())));
        NewGroup group = root.add("group", new NewGroup());
        NewDatatype named = group.add("struct", new NewDatatype(struct));
        add(group, "structs", NewDataset.chunked(struct, Optional.of(named), List.of(5L)));
        add(root, "ints", NewDataset.chunked(INT, none(), List.of(2L, 3L)));
        return file();
    }

    @Test
    void aFlippedBitOfAnElementOrAChecksumIsFound() throws IOException {
        byte[] file = small();
        for (StoredDataset dataset : Hdf5File.read(source(file)).datasets()) {
            StoredDataset.Chunk chunk = dataset.chunks().get(0);
            for (int i = 0; i < chunk.stored() + 4; i++) {
                byte[] damaged = file.clone();
                damaged[(int) chunk.offset() + i] ^= 4;
                assertThatThrownBy(() -> Hdf5File.read(source(damaged)).verify())
                        .isInstanceOf(FormatException.class)
                        .hasMessageContaining("checksum of " + dataset.path());
            }
        }
    }

    /** Never anything but an error that says where, or the datasets. */
    @Test
    void damagedMetadataAreNoDanger() throws IOException {
        byte[] file = small();
        int metadata = NewFile.of(root).metadata().remaining();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int[] values = {0, 1, 0x7F, 0xFF, random.nextInt(256)};
        for (int i = 0; i < metadata; i++) {
            byte[] damaged = file.clone();
            damaged[i] = (byte) values[random.nextInt(values.length)];
            readWhatIsLeft(damaged, seed);
        }
        for (int length = 0; length < file.length; length += 97) {
            byte[] cut = Arrays.copyOf(file, length);
            assertThatThrownBy(() -> Hdf5File.read(source(cut))).isInstanceOf(FormatException.class);
        }
    }

    private static void readWhatIsLeft(byte[] file, long seed) {
        try {
            Hdf5File.read(source(file)).verify();
        } catch (FormatException expected) {
            assertThat(expected).as("seed %d", seed).hasMessageContaining("HDF5");
        } catch (IOException e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    @Test
    void newerFormatsAreRefusedByName() {
        byte[] file = small();
        file[8] = 4;
        assertThatThrownBy(() -> Hdf5File.read(source(file))).hasMessageContaining("newer format");
    }

    /** Nobody shall look for a library because of a damaged file. */
    @Test
    void aChangedVersionMakesNoNewerFile() {
        byte[] file = small();
        for (byte version = 2; version <= 3; version++) {
            file[8] = version;
            file[9] = 0;
            assertDamaged(file, "size of offsets");
            file[9] = 8;
            assertDamaged(file, "checksum of the superblock");
        }
    }

    private static void assertDamaged(byte[] file, String field) {
        assertThatThrownBy(() -> Hdf5Reader.open(source(file), Path.of("file.h5"), false))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(field);
    }

    /** Its author published these values. */
    @Test
    void checksumsOfMetadataAreThoseOfTheLibrary() {
        assertThat(NewerSuperblock.lookup3(new byte[0])).isEqualTo(0xdeadbeef);
        assertThat(NewerSuperblock.lookup3("Four score and seven years ago".getBytes(StandardCharsets.US_ASCII)))
                .isEqualTo(0x17770551);
    }

    @Test
    void withoutTheLibraryTheArtifactIsNamed() {
        Hdf5Tools.requireNoLibrary();
        byte[] file = small();
        file[8] = 4;
        assertThatThrownBy(() -> Hdf5Reader.open(source(file), Path.of("file.h5"), false))
                .isNotInstanceOf(FormatException.class)
                .satisfies(failure -> assertThat(IoFailures.mayPass(failure)).isTrue())
                .hasMessageContaining("file.h5")
                .hasMessageContaining("version of the superblock")
                .hasMessageContaining("io.drumlin:drumlin-hdf5 is not on the class path");
    }
}
