package io.drumlin.checkpoint.costs;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.fixture.CountedCommunicator;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In a split MPI tells every rank about every other rank. What docs/scale.md says of how many there are. */
class SplitsTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "0, aabbccdd, 0, aabbccdd, 0",
        "0, aabbccdd, 0, bbaaddcc, 1",
        "1, aabbccdd, 1, bbaaddcc, 2",
        "0, abcdabcd, 2, abcdabcd, 2",
        "0, ababcdcd, 2, babadcdc, 3",
        "0, abbaccdd, 3, abbaccdd, 3"
    })
    void aStartSplitsRarely(int heads, String hostOfRank, int splits, String hostThen, int splitsThen)
            throws IOException {
        RunFixture run = new RunFixture(directory, "head=" + heads + ", group_size=2, advanced.local_test=0");
        start(run, hostOfRank, splits, false);
        start(run, hostThen, splitsThen, true);
    }

    private static void start(RunFixture run, String hostOfRank, int splits, boolean restart) throws IOException {
        List<String> hosts = List.of(hostOfRank.split(""));
        ThreadCommunicator.run(hosts.size(), comm -> {
            AtomicInteger calls = new AtomicInteger();
            try (Checkpoints checkpoints = run.on(hosts, CountedCommunicator.of(comm, "split"::equals, calls))
                    .open()) {
                if (!checkpoints.isHead()) {
                    assertThat(calls).hasValue(splits);
                    assertThat(checkpoints.status() != Status.FRESH).isEqualTo(restart);
                    byte[] data = {(byte) comm.rank()};
                    checkpoints.protect(0, data);
                    if (restart) {
                        checkpoints.recover();
                        assertThat(data).containsExactly(comm.rank());
                    }
                    checkpoints.checkpoint(restart ? 2 : 1, Level.L2);
                    assertThat(calls).hasValue(splits);
                }
            }
        });
    }
}
