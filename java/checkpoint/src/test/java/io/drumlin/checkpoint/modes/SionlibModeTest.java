package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SionlibModeTest extends IoModeContract
        implements OtherRanksContract, SeparateMetadataContract, SharedFileContract {

    @Override
    public int ioMode() {
        return 4;
    }

    @Override
    String nameOfMode() {
        return "SIONlib";
    }

    @Override
    public Path lastFileOfLevel4(RunFixture run, int ckptId) throws IOException {
        return run.file("Ckpt" + ckptId + "-sionlib.fti");
    }

    @Override
    public int placeOfData(Path file) throws IOException {
        try (SionInput input = SionFile.openTask(file, RANKS - 1, SionOptions.defaults())) {
            return (int) input.reader().position(Long.MAX_VALUE).fileOffset() - 1;
        }
    }

    /** As the mapped interface of C SIONlib has it. */
    @Test
    void theSharedFileOfSionlibHasATaskForEachRank() throws IOException {
        RunFixture run = make(Map.of());
        take(run, 1, Level.L4);
        assertThat(SeparateMetadataContract.metadata(run, "l4/sector0-group0.fti"))
                .content()
                .doesNotContain("Rank");
        try (SionInput input = SionFile.open(lastFileOfLevel4(run, 1), SionOptions.defaults())) {
            assertThat(input.tasks()).containsExactly(0, 1, 2, 3);
            int block = input.header().fsBlockSize();
            for (int rank : input.tasks()) {
                int bytes = 1001 * rank * Integer.BYTES;
                assertThat(input.globalRank(rank)).isEqualTo(rank);
                assertThat(input.chunkSize(rank)).isEqualTo((bytes + block - 1) / block * (long) block);
                assertThat(input.reader(rank).blocks()).isOne();
                assertThat(input.reader(rank).size()).isEqualTo(bytes);
            }
        }
    }
}
