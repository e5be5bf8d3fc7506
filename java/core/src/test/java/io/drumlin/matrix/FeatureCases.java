package io.drumlin.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.fti.IniFile;
import io.drumlin.matrix.Suite.Case;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/** Cases of C FTI's suites of features. */
final class FeatureCases {

    private static final int RANKS = 16;
    private static final int NODE_SIZE = 4;

    private FeatureCases() {}

    /** What switches differential checkpoints on, with a hash by its number in the configuration. */
    static Map<String, String> differential(int hash) {
        return Map.of(
                "basic.enable_dcp",
                "1",
                "basic.dcp_mode",
                "" + hash,
                "basic.dcp_block_size",
                "512",
                "basic.dcp_stack_size",
                "10");
    }

    /** Six starts; after each but the last, the file of some rank loses its end. */
    static List<Case> corruptCheck() {
        return Stream.of("all", "one by one")
                .map(how -> new Case("recovered " + how, differential(1), run -> corruptCheck(run, how)))
                .toList();
    }

    private static void corruptCheck(MatrixRun run, String how) throws Exception {
        long seed = new Random().nextLong();
        System.out.println("corrupt_check, recovered " + how + ": seed " + seed);
        Random random = new Random(seed);
        run.start("layers", how, "crash", "0", "-1");
        int found = 0;
        for (int last = 1; last <= Applications.STEPS; last++) {
            run.start("layers", how, "crash", "" + last, "" + found);
            found = cut(run, random.nextInt(RANKS), random) - 1;
        }
        run.start("layers", how, "finalize", "" + Applications.STEPS, "" + found);
        assertThat(run.files()).isEmpty();
    }

    /** Cuts the file of a rank somewhere behind its first layer; gives the number of layers that are left. */
    private static int cut(MatrixRun run, int rank, Random random) throws IOException {
        Path directory =
                run.config().resolveSibling("Global").resolve(run.execId()).resolve("dCP");
        List<Long> ends = layerEnds(run, rank);
        long first = ends.get(0);
        long last = ends.get(ends.size() - 1);
        try (FileChannel file =
                FileChannel.open(directory.resolve("dcp-id0-rank" + rank + ".fti"), StandardOpenOption.WRITE)) {
            assertThat(file.size()).isEqualTo(last);
            file.truncate(first + (long) (random.nextDouble() * (last - first)));
            long left = file.size();
            return (int) ends.stream().filter(end -> end <= left).count();
        }
    }

    /** Where the layers in the file of a rank end, by the metadata. */
    private static List<Long> layerEnds(MatrixRun run, int rank) throws IOException {
        Path path = run.config()
                .resolveSibling("Meta")
                .resolve(run.execId())
                .resolve("l4/sector0-group" + rank % NODE_SIZE + ".fti");
        IniFile metadata = IniFile.parse(Files.readString(path), path.toString());
        List<Long> ends = new ArrayList<>();
        long end = 0;
        while (true) {
            Optional<String> size = metadata.get("" + rank / NODE_SIZE, "dcp_layer" + ends.size() + "_size");
            if (size.isEmpty()) {
                return ends;
            }
            end += Long.parseLong(size.get());
            ends.add(end);
        }
    }
}
