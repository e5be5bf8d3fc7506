package io.drumlin.hdf5;

import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.Repacked;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.format.hdf5.Hdf5File;
import io.drumlin.format.hdf5.StoredDataset;
import io.drumlin.format.hdf5.internal.Hdf5Library;
import io.drumlin.fti.Hdf5Program;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drumlin's own reader and the library find the same in each file that both read. */
@Tag("native")
class LibraryContractTest {

    @TempDir
    private Path directory;

    @BeforeAll
    static void loadLibrary() throws IOException {
        Repacked.requireLibrary();
    }

    private static void assertSame(Path path) throws IOException {
        try (BlockFile file = new NioEngine().open(path, EnumSet.of(OpenMode.READ));
                Hdf5Library.Content library = new NativeHdf5Library().open(path)) {
            Hdf5File own = Hdf5File.read(new BlockFileSource(file));
            assertThat(library.datasets()).as("datasets of %s", path).hasSameSizeAs(own.datasets());
            for (Hdf5Library.Dataset theirs : library.datasets()) {
                StoredDataset ours = own.dataset(theirs.path()).orElseThrow();
                assertThat(theirs.dimensions()).as(theirs.path()).isEqualTo(ours.dimensions());
                assertThat(theirs.type().difference(ours.type()))
                        .as(theirs.path())
                        .isEmpty();
                assertThat(theirs.written()).as(theirs.path()).isEqualTo(ours.storedBytes() == ours.bytes());
            }
            assertThat(Contents.of(library)).as("elements of %s", path).isEqualTo(Contents.of(path));
        }
    }

    @Test
    void filesOfARank() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", "5"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        new Hdf5Program(Hdf5Program.DUMPED_RANK).fill();
        assertThat(FTI_Checkpoint(1, FTI_L4)).isEqualTo(FTI_DONE);
        assertSame(run.file("Ckpt1-Rank0.h5"));
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }

    /** Files of which fuzzing of the reader begins; some are of the library. */
    @Test
    void filesOfOthers() throws IOException {
        for (String name : List.of("chunks.h5", "library-chunked.h5", "library.h5", "named-type.h5")) {
            Path copy = directory.resolve(name);
            Files.write(copy, Hdf5File.class.getResourceAsStream("fuzz/" + name).readAllBytes());
            assertSame(copy);
        }
    }

    /** Each block begins with the element asked for, ends before the next one, and is a box. */
    @Test
    void blocksCoverADatasetInItsOrder() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            long[] dimensions = random.longs(1 + random.nextInt(4), 1, 6).toArray();
            long all = Arrays.stream(dimensions).reduce(1, (a, b) -> a * b);
            long most = 1 + random.nextInt(20);
            long next = random.nextInt((int) all);
            while (next < all) {
                ElementBlock block = new ElementBlock(dimensions, next, most);
                assertThat(block.elements()).as("seed %d", seed).isBetween(1L, most);
                assertThat(elements(dimensions, block))
                        .as("seed %d", seed)
                        .containsExactly(Stream.iterate(next, i -> i + 1)
                                .limit(block.elements())
                                .toArray(Long[]::new));
                next += block.elements();
            }
        }
    }

    /** The numbers of the elements in a box, in their order. */
    private static List<Long> elements(long[] dimensions, ElementBlock block) {
        List<Long> found = List.of(0L);
        for (int i = 0; i < dimensions.length; i++) {
            int along = i;
            found = found.stream()
                    .flatMap(before -> Stream.iterate(block.start()[along], k -> k + 1)
                            .limit(block.count()[along])
                            .map(index -> before * dimensions[along] + index))
                    .toList();
        }
        return found;
    }
}
