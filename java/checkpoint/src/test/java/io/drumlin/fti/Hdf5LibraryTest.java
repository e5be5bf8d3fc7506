package io.drumlin.fti;

import static hdf.hdf5lib.HDF5Constants.*;
import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hdf.hdf5lib.H5;
import hdf.hdf5lib.exceptions.HDF5Exception;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.GlobalDataset;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.Datatype;
import io.drumlin.format.hdf5.Hdf5File;
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
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bytedeco.hdf5.hdf5_java;
import org.bytedeco.javacpp.Loader;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The C library of HDF5, called from Java: it reads what Drumlin writes, and Drumlin what it writes. */
class Hdf5LibraryTest {

    @TempDir
    private static Path cache;

    @TempDir
    private Path directory;

    /** JavaCPP unpacks the library; the dependency is the one for Linux on x86_64. */
    @BeforeAll
    static void loadLibrary() {
        System.setProperty("org.bytedeco.javacpp.cachedir", cache.toString());
        assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "there is no library for this platform");
        Path glue = Path.of(Loader.load(hdf5_java.class));
        System.setProperty(
                H5.H5PATH_PROPERTY_KEY, glue.resolveSibling("libhdf5_java.so").toString());
        H5.H5open();
    }

    /** What is done with an identifier of the library. */
    @FunctionalInterface
    private interface Use {
        void of(long id) throws Exception;
    }

    private static void withFile(Path file, Use use) throws Exception {
        long id = H5.H5Fopen(file.toString(), H5F_ACC_RDONLY, H5P_DEFAULT);
        try {
            use.of(id);
        } finally {
            H5.H5Fclose(id);
        }
    }

    private static void read(long file, String path, long type, Object values, long... dimensions) throws Exception {
        long dataset = H5.H5Dopen(file, path, H5P_DEFAULT);
        long space = H5.H5Dget_space(dataset);
        long[] found = new long[H5.H5Sget_simple_extent_ndims(space)];
        H5.H5Sget_simple_extent_dims(space, found, null);
        assertThat(found).as(path).containsExactly(dimensions);
        assertThat(H5.H5Oget_info(dataset).num_attrs)
                .as("attributes of %s", path)
                .isZero();
        assertThat(H5.H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values))
                .isNotNegative();
        H5.H5Sclose(space);
        H5.H5Dclose(dataset);
    }

    @Test
    void theLibraryReadsACheckpoint() throws Exception {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", "5"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        new Hdf5Program(7).fill();
        assertThat(FTI_Checkpoint(1, FTI_L4)).isEqualTo(FTI_DONE);
        withFile(run.file("Ckpt1-Rank0.h5"), file -> {
            double[] cube = new double[24];
            read(file, "/outer/inner/cube", H5T_NATIVE_DOUBLE, cube, 2, 3, 4);
            assertThat(cube)
                    .isEqualTo(IntStream.range(700, 724).asDoubleStream().toArray());
            int[] matrix = new int[6];
            read(file, "/outer/matrix", H5T_NATIVE_INT, matrix, 3, 2);
            assertThat(matrix).containsExactly(1, 2, 3, 4, 5, -6);
            long[] unsigned = new long[2];
            read(file, "/Dataset_6", H5T_NATIVE_INT64, unsigned, 2);
            assertThat(unsigned).containsExactly(4_000_000_000L, 7);
            double[] longDoubles = new double[2];
            read(file, "/Dataset_10", H5T_NATIVE_DOUBLE, longDoubles, 2);
            assertThat(longDoubles).containsExactly(1.25, 3);
            assertPoints(file);
        });
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }

    /** The library takes the members of a structure by their names. */
    private static void assertPoints(long file) throws Exception {
        long members = H5.H5Tcreate(H5T_COMPOUND, 12);
        H5.H5Tinsert(members, "id", 0, H5T_STD_I32LE);
        H5.H5Tinsert(members, "y", 4, H5T_IEEE_F64LE);
        byte[] bytes = new byte[24];
        read(file, "/Dataset_12", members, bytes, 2);
        H5.H5Tclose(members);
        ByteBuffer points = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(points.getInt(0)).isZero();
        assertThat(points.getInt(12)).isEqualTo(10);
        assertThat(points.getDouble(16)).isEqualTo(7);
    }

    private RunFixture shared(String failure) throws IOException {
        return new RunFixture(directory, "ckpt_io=5, node_size=1, h5_single_file_enable=1, restart.failure=" + failure);
    }

    @Test
    void theLibraryReadsASharedFile() throws Exception {
        RunFixture run = shared("0");
        ThreadCommunicator.run(
                4, comm -> SingleFileProgram.run(comm, run.config().toString(), "5"));
        withFile(run.file("VPR-h5-ID00000005.h5"), file -> {
            int[] grid = new int[12 * 24];
            read(file, "/grid", H5T_NATIVE_INT, grid, 12, 24);
            assertThat(grid).isEqualTo(IntStream.range(0, grid.length).toArray());
            double[] line = new double[grid.length];
            read(file, "/outer/line", H5T_NATIVE_DOUBLE, line, line.length);
            assertThat(line)
                    .isEqualTo(IntStream.range(0, line.length)
                            .mapToDouble(i -> i * 0.5)
                            .toArray());
        });
    }

    /** Makes a dataset of doubles, in two chunks with checksums or contiguous. */
    private static void write(long parent, String name, double[] values, boolean chunked, long... dimensions)
            throws Exception {
        long space = H5.H5Screate_simple(dimensions.length, dimensions, null);
        long properties = H5.H5Pcreate(H5P_DATASET_CREATE);
        if (chunked) {
            long[] chunk = dimensions.clone();
            chunk[0] = (chunk[0] + 1) / 2;
            H5.H5Pset_chunk(properties, chunk.length, chunk);
            H5.H5Pset_fletcher32(properties);
        }
        long dataset = H5.H5Dcreate(parent, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
        assertThat(H5.H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values))
                .isNotNegative();
        H5.H5Dclose(dataset);
        H5.H5Pclose(properties);
        H5.H5Sclose(space);
    }

    private static double[] counted(int count) {
        return IntStream.range(0, count).asDoubleStream().toArray();
    }

    @Test
    void filesOfTheLibraryAreRead() throws Exception {
        Path path = directory.resolve("library.h5");
        long file = H5.H5Fcreate(path.toString(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        long group = H5.H5Gcreate(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        write(group, "chunked", counted(35), true, 7, 5);
        write(file, "contiguous", counted(6), false, 6);
        H5.H5Gclose(group);
        H5.H5Fclose(file);
        byte[] bytes = Files.readAllBytes(path);
        try (BlockFile opened = new NioEngine().open(path, EnumSet.of(OpenMode.READ))) {
            Hdf5File read = Hdf5File.read(new BlockFileSource(opened));
            read.verify();
            assertThat(doubles(bytes, read.dataset("/group/chunked").orElseThrow()))
                    .isEqualTo(counted(35));
            assertThat(doubles(bytes, read.dataset("/contiguous").orElseThrow()))
                    .isEqualTo(counted(6));
        }
    }

    /** A dataset of doubles that can grow, in chunks of any size. */
    private Path extendible(long[] chunk, long... dimensions) throws Exception {
        Path path = directory.resolve("extendible" + chunk[0] + chunk[1] + ".h5");
        long file = H5.H5Fcreate(path.toString(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        long[] most = new long[dimensions.length];
        Arrays.fill(most, H5S_UNLIMITED);
        long space = H5.H5Screate_simple(dimensions.length, dimensions, most);
        long properties = H5.H5Pcreate(H5P_DATASET_CREATE);
        H5.H5Pset_chunk(properties, chunk.length, chunk);
        long dataset = H5.H5Dcreate(file, "grown", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
        double[] values = counted((int) Arrays.stream(dimensions).reduce(1, Math::multiplyExact));
        assertThat(H5.H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values))
                .isNotNegative();
        H5.H5Dclose(dataset);
        H5.H5Pclose(properties);
        H5.H5Sclose(space);
        H5.H5Fclose(file);
        return path;
    }

    private static double[] grown(Path path) throws IOException {
        try (BlockFile opened = new NioEngine().open(path, EnumSet.of(OpenMode.READ))) {
            StoredDataset dataset =
                    Hdf5File.read(new BlockFileSource(opened)).dataset("/grown").orElseThrow();
            return doubles(Files.readAllBytes(path), dataset);
        }
    }

    /** A chunk that is larger than the dataset has padding: behind the rows it is harmless. */
    @Test
    void chunksWithPaddingBetweenTheRowsAreRefused() throws Exception {
        assertThat(grown(extendible(new long[] {1, 4}, 2, 3))).isEqualTo(counted(6));
        assertThat(grown(extendible(new long[] {4, 3}, 2, 3))).isEqualTo(counted(6));
        assertThat(grown(extendible(new long[] {5, 4}, 1, 3))).isEqualTo(counted(3));
        assertThat(grown(extendible(new long[] {2, 5}, 2, 0))).isEmpty();
        Path padded = extendible(new long[] {2, 4}, 2, 3);
        assertThatThrownBy(() -> grown(padded))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("of /grown are [2, 4] of [2, 3], which do not leave the elements in their order");
    }

    private static double[] doubles(byte[] file, StoredDataset dataset) {
        ByteBuffer elements = ByteBuffer.allocate((int) dataset.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        dataset.chunks()
                .forEach(chunk -> elements.put((int) chunk.from(), file, (int) chunk.offset(), (int) chunk.length()));
        double[] values = new double[elements.capacity() / 8];
        elements.asDoubleBuffer().get(values);
        return values;
    }

    @Test
    void aRunBeginsWithAFileOfTheLibrary() throws Exception {
        RunFixture run = shared("3");
        Path path = Files.createDirectory(directory.resolve("Global")).resolve("VPR-h5-ID00000009.h5");
        long file = H5.H5Fcreate(path.toString(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        write(file, "field", counted(24), false, 6, 4);
        H5.H5Fclose(file);
        run.run(2, (checkpoints, comm) -> {
            GlobalDataset field = checkpoints.singleFile().globalDataset("field", List.of(6L, 4L), ElementType.DBLE);
            double[] rows = new double[12];
            checkpoints.protect(0, rows);
            checkpoints.singleFile().subset(0, field, List.of(3L * comm.rank(), 0L), List.of(3L, 4L));
            checkpoints.recover();
            assertThat(rows).isEqualTo(Arrays.copyOfRange(counted(24), 12 * comm.rank(), 12 * comm.rank() + 12));
        });
    }

    /** It gives contiguous datasets their places then, too; the others of the file are read. */
    @Test
    void aContiguousDatasetThatWasNeverWrittenIsNoneOfTheOthers() throws Exception {
        Path path = directory.resolve("never.h5");
        long file = H5.H5Fcreate(path.toString(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        long space = H5.H5Screate_simple(1, new long[] {6}, null);
        H5.H5Dclose(H5.H5Dcreate(file, "never", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5.H5Sclose(space);
        write(file, "written", counted(6), false, 6);
        H5.H5Fclose(file);
        Hdf5File read = opened(path);
        read.verify();
        assertThat(doubles(Files.readAllBytes(path), read.dataset("/written").orElseThrow()))
                .isEqualTo(counted(6));
        StoredDataset never = read.dataset("/never").orElseThrow();
        assertThat(never.bytes()).isEqualTo(48);
        assertThat(never.storedBytes()).isZero();
    }

    private static Hdf5File opened(Path path) throws IOException {
        try (BlockFile opened = new NioEngine().open(path, EnumSet.of(OpenMode.READ))) {
            return Hdf5File.read(new BlockFileSource(opened));
        }
    }

    private static void addEmpty(long file, String name, long type) throws Exception {
        long space = H5.H5Screate_simple(1, new long[] {2}, null);
        H5.H5Dclose(H5.H5Dcreate(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5.H5Sclose(space);
    }

    /** The types as C FTI makes them with the library, by the ids of {@link Hdf5Program}'s variables. */
    private static long[] typesOfCFti() throws Exception {
        long opaque = H5.H5Tcopy(H5T_NATIVE_CHAR);
        H5.H5Tset_size(opaque, 12);
        long point = H5.H5Tcreate(H5T_COMPOUND, 32);
        H5.H5Tinsert(point, "x", 0, H5T_NATIVE_DOUBLE);
        H5.H5Tinsert(point, "y", 8, H5T_NATIVE_DOUBLE);
        H5.H5Tinsert(point, "z", 16, H5T_NATIVE_DOUBLE);
        H5.H5Tinsert(point, "id", 24, H5T_NATIVE_INT);
        long pair = H5.H5Tcreate(H5T_COMPOUND, 96);
        H5.H5Tinsert(pair, "p", 0, H5.H5Tarray_create(point, 1, new long[] {2}));
        H5.H5Tinsert(pair, "tag", 64, H5T_NATIVE_CHAR);
        H5.H5Tinsert(pair, "m", 66, H5.H5Tarray_create(H5T_NATIVE_SHORT, 2, new long[] {2, 3}));
        H5.H5Tinsert(pair, "ld", 80, H5T_NATIVE_LDOUBLE);
        return new long[] {
            H5T_NATIVE_CHAR,
            H5T_NATIVE_SHORT,
            H5T_NATIVE_INT,
            H5T_NATIVE_LONG,
            H5T_NATIVE_UCHAR,
            H5T_NATIVE_USHORT,
            H5T_NATIVE_UINT,
            H5T_NATIVE_ULONG,
            H5T_NATIVE_FLOAT,
            H5T_NATIVE_DOUBLE,
            H5T_NATIVE_LDOUBLE,
            opaque,
            point,
            pair
        };
    }

    @Test
    void typesOfCFtiAreThoseThatAreProtected() throws Exception {
        Path path = directory.resolve("types.h5");
        long[] types = typesOfCFti();
        long file = H5.H5Fcreate(path.toString(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        for (int id = 0; id < types.length; id++) {
            addEmpty(file, "t" + id, types[id]);
        }
        for (int id = 11; id < types.length; id++) {
            H5.H5Tcommit(file, "named" + id, types[id], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
            addEmpty(file, "n" + id, types[id]);
            // A file with an open type in it stays open.
            H5.H5Tclose(types[id]);
        }
        H5.H5Fclose(file);
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", "5"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        new Hdf5Program(7).fill();
        assertThat(FTI_Checkpoint(1, FTI_L4)).isEqualTo(FTI_DONE);
        Hdf5File ours = opened(run.file("Ckpt1-Rank0.h5"));
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        for (StoredDataset theirs : opened(path).datasets()) {
            int id = Integer.parseInt(theirs.path().substring(2));
            String name = Map.of(2, "/outer/matrix", 9, "/outer/inner/cube").getOrDefault(id, "/Dataset_" + id);
            Datatype type = ours.dataset(name).orElseThrow().type();
            assertThat(theirs.type().difference(type)).as(name).isEmpty();
        }
    }

    /** C FTI goes on without them: a union, or a name that is used twice. */
    @Test
    void fieldsThatTheLibraryRefusesAreNotDescribed() throws Exception {
        long theirs = H5.H5Tcreate(H5T_COMPOUND, 24);
        H5.H5Tinsert(theirs, "a", 0, H5T_NATIVE_LONG);
        assertThatThrownBy(() -> H5.H5Tinsert(theirs, "b", 4, H5T_NATIVE_INT)).isInstanceOf(HDF5Exception.class);
        assertThatThrownBy(() -> H5.H5Tinsert(theirs, "a", 8, H5T_NATIVE_INT)).isInstanceOf(HDF5Exception.class);
        H5.H5Tinsert(theirs, "c", 8, H5T_NATIVE_DOUBLE);
        Path path = directory.resolve("union.h5");
        long file = H5.H5Fcreate(path.toString(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        addEmpty(file, "union", theirs);
        H5.H5Fclose(file);

        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", "5"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        int ours = FTI_InitCompositeType("union", 24, null);
        FTI_AddScalarField(ours, "a", FTI_LONG, 0);
        FTI_AddScalarField(ours, "b", FTI_INTG, 4);
        FTI_AddScalarField(ours, "a", FTI_INTG, 8);
        FTI_AddScalarField(ours, "c", FTI_DBLE, 8);
        byte[] values = new byte[24];
        Arrays.fill(values, (byte) 5);
        assertThat(FTI_Protect(0, values, 1, ours)).isEqualTo(FTI_SCES);
        assertThat(FTI_Checkpoint(1, FTI_L4)).isEqualTo(FTI_DONE);
        Arrays.fill(values, (byte) 0);
        assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
        assertThat(values).containsOnly(5);
        Datatype written = opened(run.file("Ckpt1-Rank0.h5"))
                .dataset("/Dataset_0")
                .orElseThrow()
                .type();
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        assertThat(opened(path).dataset("/union").orElseThrow().type().difference(written))
                .isEmpty();
    }

    @Test
    void typesOfOthersAreToldApart() throws Exception {
        Path path = directory.resolve("types.h5");
        long file = H5.H5Fcreate(path.toString(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        addEmpty(file, "i", H5T_STD_I64BE);
        addEmpty(file, "f", H5T_IEEE_F64BE);
        long shifted = H5.H5Tcopy(H5T_STD_U32LE);
        H5.H5Tset_precision(shifted, 16);
        H5.H5Tset_offset(shifted, 8);
        addEmpty(file, "shifted", shifted);
        long biased = H5.H5Tcopy(H5T_IEEE_F64LE);
        H5.H5Tset_ebias(biased, 1000);
        addEmpty(file, "biased", biased);
        long string = H5.H5Tcopy(H5T_C_S1);
        H5.H5Tset_size(string, 8);
        addEmpty(file, "string", string);
        long opaque = H5.H5Tcreate(H5T_OPAQUE, 8);
        H5.H5Tset_tag(opaque, "anything");
        addEmpty(file, "opaque", opaque);
        H5.H5Fclose(file);
        Hdf5File read = opened(path);
        Map<String, String> expected = Map.of(
                "/i", "signed integer of 64 bits, big endian",
                "/f", "floating point of 64 bits, big endian",
                "/shifted", "unsigned integer of 16 bits in 4 bytes from bit 8 on",
                "/biased", "floating point of 64 bits, encoded as",
                "/string", "string of 8 bytes",
                "/opaque", "opaque of 8 bytes");
        expected.forEach((name, text) -> assertThat(
                        read.dataset(name).orElseThrow().type().difference(Datatype.ieee64()))
                .hasValueSatisfying(difference -> assertThat(difference)
                        .startsWith(text)
                        .endsWith(" there, and floating point of 64 bits here")));
    }

    /** The library gives chunks their places when elements are written. */
    @Test
    void aDatasetThatWasNeverWrittenIsNotRecovered() throws Exception {
        RunFixture run = shared("3");
        Path path = Files.createDirectory(directory.resolve("Global")).resolve("VPR-h5-ID00000009.h5");
        long file = H5.H5Fcreate(path.toString(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        long space = H5.H5Screate_simple(1, new long[] {6}, null);
        long properties = H5.H5Pcreate(H5P_DATASET_CREATE);
        H5.H5Pset_chunk(properties, 1, new long[] {3});
        H5.H5Dclose(H5.H5Dcreate(file, "never", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
        H5.H5Pclose(properties);
        H5.H5Sclose(space);
        write(file, "field", counted(6), false, 6);
        H5.H5Fclose(file);
        run.run(1, (checkpoints, comm) -> {
            List<String> names = List.of("field", "never");
            for (int id = 0; id < names.size(); id++) {
                GlobalDataset dataset =
                        checkpoints.singleFile().globalDataset(names.get(id), List.of(6L), ElementType.DBLE);
                checkpoints.protect(id, new double[6]);
                checkpoints.singleFile().subset(id, dataset, List.of(0L), List.of(6L));
            }
            checkpoints.recover(0);
            assertThatThrownBy(checkpoints::recover)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(path.toString())
                    .hasMessageContaining("dataset /never has 0 of 48 bytes");
        });
    }
}
