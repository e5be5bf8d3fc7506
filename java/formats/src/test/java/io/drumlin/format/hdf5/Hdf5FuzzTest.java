package io.drumlin.format.hdf5;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.hdf5.internal.NewDataset;
import io.drumlin.format.hdf5.internal.NewDatatype;
import io.drumlin.format.hdf5.internal.NewFile;
import io.drumlin.format.hdf5.internal.NewGroup;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files that fuzzing starts from, and all that it ever tripped over. */
class Hdf5FuzzTest {

    static List<Path> files() throws IOException, URISyntaxException {
        Path folder = Path.of(
                Objects.requireNonNull(Hdf5FuzzTest.class.getResource("fuzz")).toURI());
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    /** A file with a group, a named type and a dataset in it. */
    static byte[] small() {
        NewGroup root = new NewGroup();
        NewGroup group = root.add("group", new NewGroup());
        Datatype number = Datatype.integer(4, 32, true);
        Datatype struct = Datatype.compound(
                8,
                List.of(
                        new Datatype.Member("a", 0, number),
                        new Datatype.Member("b", 4, Datatype.array(Datatype.integer(2, 16, false), List.of(2L)))));
        NewDatatype named = group.add("struct", new NewDatatype(struct));
        NewDataset dataset = group.add("structs", NewDataset.contiguous(struct, Optional.of(named), List.of(2L, 3L)));
        NewFile file = NewFile.of(root);
        ByteBuffer bytes = ByteBuffer.allocate((int) file.size()).put(file.metadata());
        dataset.chunks().forEach(chunk -> bytes.put((int) chunk.offset(), (byte) 7));
        return bytes.array();
    }

    /** What bytes of a few KiB do not show: work that grows faster than the file. */
    @Test
    void structuresThatLieOverEachOtherAreRefused() throws IOException {
        int symbols = 2000;
        NewGroup root = new NewGroup();
        NewDatatype named = root.add("type", new NewDatatype(Datatype.integer(4, 32, true)));
        for (int i = 0; i < symbols; i++) {
            root.add("d" + i, NewDataset.contiguous(Datatype.integer(4, 32, true), Optional.of(named), List.of(1L)));
        }
        NewFile file = NewFile.of(root);
        ByteBuffer bytes = ByteBuffer.allocate((int) file.size()).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(file.metadata());
        assertThat(Hdf5Fuzz.isDamaged(bytes.array())).isFalse();

        // Object headers that say they reach to the end of the file.
        byte[] headers = bytes.array().clone();
        ByteBuffer each = ByteBuffer.wrap(headers).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 96; at + 16 < headers.length; at += 8) {
            // Version 1, one reference.
            if (headers[at] == 1 && headers[at + 1] == 0 && each.getInt(at + 4) == 1) {
                each.putInt(at + 8, headers.length - at - 16);
            }
        }
        assertThat(Hdf5Fuzz.isDamaged(headers)).isTrue();
    }

    /** The same of elements, which are read for their checksums. */
    @Test
    void elementsThatLieOverEachOtherAreRefused() throws IOException {
        int length = 100_000;
        NewGroup root = new NewGroup();
        List<NewDataset> datasets = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            datasets.add(root.add(
                    "d" + i,
                    NewDataset.contiguous(Datatype.integer(1, 8, true), Optional.empty(), List.of((long) length))));
        }
        NewFile file = NewFile.of(root);
        ByteBuffer bytes = ByteBuffer.allocate((int) file.size()).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(file.metadata());
        assertThat(Hdf5Fuzz.isDamaged(bytes.array())).isFalse();

        int metadata = bytes.position();
        long first = datasets.get(0).chunks().get(0).offset();
        for (NewDataset dataset : datasets) {
            long offset = dataset.chunks().get(0).offset();
            for (int at = 0; at + 8 < metadata; at++) {
                if (bytes.getLong(at) == offset) {
                    bytes.putLong(at, first);
                }
            }
        }
        // End of file address.
        bytes.putLong(40, first + length);
        assertThat(Hdf5Fuzz.isDamaged(Arrays.copyOf(bytes.array(), (int) first + length)))
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("files")
    void readsEveryFile(Path file) throws IOException {
        Hdf5Fuzz.fuzzerTestOneInput(Files.readAllBytes(file));
    }

    @Test
    void startsFromWholeFiles() throws IOException, URISyntaxException {
        List<Path> whole = files().stream()
                .filter(file -> file.getFileName().toString().endsWith(".h5"))
                .toList();
        assertThat(whole).hasSizeGreaterThanOrEqualTo(3);
        for (Path file : whole) {
            assertThat(Hdf5Fuzz.isDamaged(Files.readAllBytes(file)))
                    .as(file.toString())
                    .isFalse();
        }
    }
}
