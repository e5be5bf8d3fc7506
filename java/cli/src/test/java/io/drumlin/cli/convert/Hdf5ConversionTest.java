package io.drumlin.cli.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.file.ValueType;
import io.drumlin.cli.format.Formats;
import io.drumlin.cli.inspect.ShowCommandTest;
import io.drumlin.format.hdf5.Datatype;
import io.drumlin.format.hdf5.Hdf5File;
import io.drumlin.format.hdf5.Hdf5Tools;
import io.drumlin.format.hdf5.StoredDataset;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code drumlin convert CHECKPOINT OUT.h5}: each of the data is in the HDF5 file, byte by byte. */
class Hdf5ConversionTest {

    @TempDir
    private Path directory;

    private final CommandRun command = new CommandRun();

    /** The bytes of all data, by the paths that their datasets have. */
    private static Map<String, List<Byte>> data(Path file) throws IOException {
        Map<String, List<Byte>> all = new TreeMap<>();
        try (FileSource source = FileSource.open(file)) {
            for (StoredData data : Formats.of(source).data()) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                data.copyTo(data.source(), bytes);
                String path = "/" + String.join("/", Hdf5Conversion.path(data.name(), data.rank()));
                all.put(path, list(bytes.toByteArray()));
            }
        }
        return all;
    }

    private static Map<String, List<Byte>> datasets(Path file) throws IOException {
        Map<String, List<Byte>> all = new TreeMap<>();
        try (FileSource source = FileSource.open(file)) {
            for (StoredDataset dataset : Hdf5File.read(source).datasets()) {
                ByteBuffer bytes = ByteBuffer.allocate((int) dataset.bytes());
                if (bytes.capacity() > 0) {
                    source.readFully(dataset.chunks().get(0).offset(), bytes);
                }
                all.put(dataset.path(), list(bytes.array()));
            }
        }
        return all;
    }

    private static List<Byte> list(byte[] bytes) {
        Byte[] boxed = new Byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            boxed[i] = bytes[i];
        }
        return List.of(boxed);
    }

    @ParameterizedTest
    @CsvSource({
        "fti-posix/types-4r, Ckpt12-Rank3.fti",
        "fti-ff/types-l1, Ckpt1-Rank0.fti",
        "sion/s02_serial_4task_unequal, four.sion",
        "sion/s08_keyval_serial, kv.sion",
        "gsd/hoomd_v341_full, file.gsd"
    })
    void holdsTheDataOfAFile(String folder, String name) throws IOException {
        Path source = ShowCommandTest.golden(folder, name);
        Path target = directory.resolve("out.h5");
        assertThat(command.run("convert", source, target)).as(command.err()).isZero();
        Map<String, List<Byte>> expected = data(source);
        assertThat(expected).isNotEmpty();
        assertThat(datasets(target)).isEqualTo(expected);
        assertThat(command.out()).contains(target + ": HDF5, " + expected.size() + " datasets of " + source);
    }

    /** The headers of records between the values of a key are not in it. */
    @Test
    void recordsWithKeysBecomeADatasetForEachKey() throws IOException {
        Path source = ShowCommandTest.golden("sion/s08_keyval_serial", "kv.sion");
        Path target = directory.resolve("out.h5");
        assertThat(command.run("convert", source, target)).as(command.err()).isZero();
        Map<String, List<Byte>> found = datasets(target);
        assertThat(found).hasSizeGreaterThan(1);
        for (String path : found.keySet()) {
            assertThat(path).matches("/rank(\\d+)/task\\1/key\\d+");
            String name = path.replaceFirst("/rank.*/task(.*)/key(.*)", "task=$1,key=$2");
            Path value = directory.resolve("value");
            assertThat(command.run("extract", source, "--select", name, "-o", value))
                    .isZero();
            assertThat(list(Files.readAllBytes(value))).isEqualTo(found.get(path));
        }
        Path folder = directory.resolve("all");
        assertThat(command.run("extract", source, "--all", "-o", folder)).isZero();
        assertThat(folder.toFile().list()).hasSize(found.size());
    }

    /** Types, dimensions and provenance are what others see. */
    @Test
    void isReadByTheLibrary() throws IOException {
        // h5dump writes other letters than those of ASCII as numbers.
        Path source =
                Files.copy(ShowCommandTest.golden("gsd/hoomd_v341_full", "file.gsd"), directory.resolve("file.gsd"));
        Path target = directory.resolve("out.h5");
        assertThat(command.run("convert", source, target)).isZero();
        String dump = Hdf5Tools.run("h5dump", "-H", target.toString());
        assertThat(dump)
                .contains("GROUP \"frame0\"", "GROUP \"particles\"", "DATASET \"position\"", "H5T_IEEE_F32LE")
                .contains("DATASPACE  SIMPLE { ( 2, 3 ) / ( 2, 3 ) }");
        String provenance = Hdf5Tools.run("h5dump", "-a", "/drumlin_source", target.toString());
        assertThat(provenance).contains("\"" + source.toAbsolutePath() + "\"");
        String name = Hdf5Tools.run("h5dump", "-a", "/frame0/particles/position/drumlin_name", target.toString());
        assertThat(name).contains("\"chunk=particles/position,frame=0\"");
    }

    @Test
    void holdsTheDataOfAllRanksOfARun() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        run.run(3, (checkpoints, comm) -> {
            checkpoints.protect(4, new double[] {comm.rank(), 0.5});
            checkpoints.protect(1, new int[2][3]);
            checkpoints.checkpoint(1, Level.L1);
        });
        Path target = directory.resolve("out.h5");
        assertThat(command.run("convert", run.config(), target, "--type", "double"))
                .as(command.err())
                .isZero();
        try (FileSource source = FileSource.open(target)) {
            Hdf5File file = Hdf5File.read(source);
            assertThat(file.datasets()).hasSize(6);
            StoredDataset dataset = file.dataset("/rank2/var4").orElseThrow();
            assertThat(dataset.type().difference(Datatype.ieee64())).isEmpty();
            assertThat(file.dataset("/rank0/var1").orElseThrow().bytes()).isEqualTo(24);
            ByteBuffer first = ValueType.littleEndian(new byte[Double.BYTES]);
            source.readFully(dataset.chunks().get(0).offset(), first);
            assertThat(first.getDouble(0)).isEqualTo(2);
        }
    }

    @Test
    void replacesNothing() throws IOException {
        Path source = ShowCommandTest.golden("sion/s02_serial_4task_unequal", "four.sion");
        Path target = Files.writeString(directory.resolve("out.h5"), "mine");
        assertThat(command.run("convert", source, target)).isEqualTo(ExitCode.IO_ERROR);
        assertThat(command.err()).contains("is there already");
        assertThat(target).hasContent("mine");
        assertThat(command.run("convert", source, directory.resolve("out"))).isEqualTo(ExitCode.USAGE);
        assertThat(command.err()).contains("--to is missing");
    }

    @Test
    void leavesNothingOfADamagedFile() throws IOException {
        Path golden = ShowCommandTest.golden("fti-ff/types-l1", "Ckpt1-Rank0.fti");
        byte[] bytes = Files.readAllBytes(golden);
        bytes[100] ^= 1;
        Path damaged = Files.write(directory.resolve("Ckpt1-Rank0.fti"), bytes);
        assertThat(command.run("convert", damaged, directory.resolve("out.h5"))).isEqualTo(ExitCode.DAMAGED);
        assertThat(directory).isDirectoryNotContaining("glob:**out.h5*");
    }

    @Test
    void namesBecomeGroups() {
        assertThat(Hdf5Conversion.path("var=3", OptionalInt.of(2))).containsExactly("rank2", "var3");
        assertThat(Hdf5Conversion.path("task=1,key=7", OptionalInt.empty())).containsExactly("task1", "key7");
        assertThat(Hdf5Conversion.path("dataset=/a/b", OptionalInt.empty())).containsExactly("a", "b");
        assertThat(Hdf5Conversion.path("chunk=a,b//./c,frame=9", OptionalInt.empty()))
                .containsExactly("frame9", "a,b", "_", "_", "c");
    }
}
