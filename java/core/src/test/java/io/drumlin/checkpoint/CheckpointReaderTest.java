package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.DrumlinException;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CheckpointReaderTest {

    @TempDir
    private Path directory;

    /** Variable 1 once had more than 4 GiB, which are a hole now; 2 lies behind it. */
    @ParameterizedTest
    @MethodSource("engines")
    void readsWhatLiesBehindFourGiB(StorageEngine storage) throws IOException {
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT)
                .next(List.of(new VariableSize(1, (4L << 30) + 1000), new VariableSize(2, 5)))
                .next(List.of(new VariableSize(1, 5), new VariableSize(2, 5)));
        byte[] content = {1, 2, 3, 4, 5};
        byte[] hash = HexFormat.of().parseHex("7cfdd07889b3295d6a550914ab35e068"); // of the content
        ContainerPlan hashed = plan.withHashes(List.of(hash, hash));
        ByteBuffer end = ByteBuffer.allocate((int) (5 + plan.metaSize())).put(content);
        Layout.F.put(end, hashed.blocks(), Layout.F.seal(hashed.blocks(), 1, 0, -1, -1));
        Path file = directory.resolve("file");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(content), 0);
            channel.write(end.flip(), plan.dataSize() - 5);
        }
        try (SlabPool slabs = new SlabPool(storage, 2)) {
            CheckpointReader reader = new CheckpointReader(storage, slabs);
            StoredFile stored;
            try (BlockFile opened = storage.open(file, EnumSet.of(OpenMode.READ))) {
                stored = FtiFfDraft.stored(
                        1, FtiFfFile.read(new BlockFileSource(opened)).blocks());
            }
            reader.verify(file, stored);
            byte[] first = new byte[5];
            byte[] second = new byte[5];
            reader.recover(file, stored, Map.of(1, ProtectedData.of(first), 2, ProtectedData.of(second)));
            assertThat(first).isEqualTo(content);
            assertThat(second).isEqualTo(content);
        }
    }

    static Stream<StorageEngine> engines() throws DrumlinException {
        return Stream.of(StorageEngines.best(), StorageEngines.byName("nio"));
    }
}
