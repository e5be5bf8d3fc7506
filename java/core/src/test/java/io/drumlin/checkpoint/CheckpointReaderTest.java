package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.drumlin.DrumlinException;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CheckpointReaderTest {

    @TempDir
    private Path directory;

    /** A run would go on in layout F, and C FTI of that release could not read it. */
    @ParameterizedTest
    @EnumSource(names = {"D", "E", "F"})
    void onlyFilesOfLayoutFAreRestartedFrom(Layout layout) throws IOException {
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT)
                .next(List.of(new VariableSize(3, 4)))
                .withHashes(List.of(HexFormat.of().parseHex("f1d3ff8443297732862df21dc4e57262"))); // of four zeros
        ByteBuffer bytes = ByteBuffer.allocate((int) (4 + layout.metaSize(plan.blocks())));
        layout.put(bytes.position(4), plan.blocks(), layout.seal(plan.blocks(), 1, 0, -1, -1));
        Path file = Files.write(directory.resolve("file"), bytes.array());

        StorageEngine storage = StorageEngines.best();
        try (SlabPool slabs = new SlabPool(storage, 2)) {
            CheckpointReader reader = new CheckpointReader(storage, slabs);
            if (layout == Layout.F) {
                assertThat(reader.metadata(file).blocks()).isEqualTo(plan.blocks());
                return;
            }
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> reader.metadata(file))
                    .withMessageContaining("layout " + layout)
                    .withMessageContaining(file.toString());
        }
    }
}
