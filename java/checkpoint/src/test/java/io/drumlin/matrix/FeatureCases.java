package io.drumlin.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.format.fti.IniFile;
import io.drumlin.matrix.Suite.Case;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Cases of C FTI's suites of features. */
final class FeatureCases {

    private static final int RANKS = 16;
    private static final int NODE_SIZE = 4;

    private static final Pattern PLAN = Pattern.compile(
            "Current iter : (\\d+) ckpt intv\\. : (\\d+) \\. Next ckpt\\. at iter\\. (\\d+) \\. Sync\\. intv\\. :"
                    + " (\\d+)");
    private static final Pattern MADE = Pattern.compile("Checkpoint made in call (\\d+)");

    private FeatureCases() {}

    /** Stopped and started again with the last checkpoint kept; heatdis runs in real time, its minutes last 6 s. */
    static List<Case> useCases() {
        List<Case> cases = new ArrayList<>();
        for (int level = 1; level <= 4; level++) {
            String number = "" + level;
            cases.add(new Case("addInArray L" + level, Map.of("basic.keep_last_ckpt", "1"), run -> {
                run.start("addInArray", number);
                assertThat(run.failure()).isEqualTo("2");
                run.start("addInArray", number);
            }));
        }
        cases.add(new Case("heatdis", snapshots(), run -> {
            String printed = run.start("heatdis", "4");
            assertThat(printed)
                    .contains("Ckpt. ID 1 (L1)")
                    .contains("Ckpt. ID 2 (L2)")
                    .contains("Ckpt. ID 3 (L3)")
                    .contains("Ckpt. ID 4 (L4)");
            assertThat(run.start("heatdis", "4")).contains("Recovering successfully from level 4 with Ckpt. 4.");
        }));
        return cases;
    }

    private static Map<String, String> snapshots() {
        Map<String, String> changes = new HashMap<>(
                Map.of("basic.keep_last_ckpt", "1", "advanced.fast_forward", "10", "basic.max_sync_intv", "64"));
        for (int level = 1; level <= 4; level++) {
            changes.put("basic.ckpt_l" + level, "" + level);
        }
        return changes;
    }

    /** Checkpoints come when the log says so. */
    static List<Case> syncIntv() {
        Map<String, String> changes = new HashMap<>(snapshots());
        changes.put("basic.verbosity", "1");
        return List.of(new Case("checkpoint_interval", changes, run -> {
            List<Integer> due = new ArrayList<>();
            int longest = 0;
            int last = 0;
            int interval = 0;
            for (String line : run.start("syncIntv", "4").lines().toList()) {
                Matcher plan = PLAN.matcher(line);
                Matcher made = MADE.matcher(line);
                if (plan.find()) {
                    int sync = Integer.parseInt(plan.group(4));
                    assertThat(Integer.parseInt(plan.group(1)) % sync).as(line).isZero();
                    longest = Math.max(longest, sync);
                    interval = Integer.parseInt(plan.group(2));
                    due.add(Integer.valueOf(plan.group(3)));
                } else if (made.find()) {
                    int call = Integer.parseInt(made.group(1));
                    // Without an agreement since the last checkpoint nothing new was announced.
                    assertThat(List.of(due.get(due.size() - 1), last + interval))
                            .as(line)
                            .contains(call);
                    last = call;
                }
            }
            assertThat(last).isPositive();
            assertThat(longest).isEqualTo(64);
        }));
    }

    /** Many small files. */
    static List<Case> staging() {
        return List.of(new Case("standard", Map.of("basic.enable_staging", "1"), run -> {
            Path remote = Files.createDirectory(run.config().resolveSibling("remote"));
            run.start("massive", remote.toString());
            assertThat(run.files())
                    .hasSize(run.applicationRanks() * Applications.ROUNDS * Applications.FILES_PER_ROUND);
            for (String file : run.files()) {
                Path path = run.config().resolveSibling(file);
                assertThat(path)
                        .hasBinaryContent(
                                Applications.content(path.getFileName().toString()));
            }
        }));
    }

    /** What switches differential checkpoints on, with a hash by its number in the configuration. */
    static Map<String, String> differential(int hash) {
        return RunFixture.settings("enable_dcp=1, dcp_mode=" + ("" + hash) + ", dcp_block_size=512, dcp_stack_size=10");
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
        String file = "";
        int begins = 0;
        for (int last = 1; last <= Applications.STEPS; last++) {
            run.start("layers", how, "crash", "" + last, "" + found);
            String now = differentialFile(run);
            // After layers that were lost another file begins, with the first checkpoint of that start.
            begins = file.isEmpty() || now.equals(file) ? begins : found + 1;
            file = now;
            found = begins + cut(run, file, random.nextInt(RANKS), random) - 1;
        }
        run.start("layers", how, "finalize", "" + Applications.STEPS, "" + found);
        assertThat(run.files()).isEmpty();
    }

    /** What the files of the ranks have in common, such as {@code dcp-id0}. */
    private static String differentialFile(MatrixRun run) throws IOException {
        List<String> names = run.files().stream()
                .map(file -> Path.of(file).getFileName().toString())
                .filter(name -> name.startsWith("dcp-id"))
                .map(name -> name.substring(0, name.indexOf("-rank")))
                .distinct()
                .toList();
        assertThat(names).hasSize(1);
        return names.get(0);
    }

    /** Cuts the file of a rank somewhere behind its first layer; gives the number of layers that are left. */
    private static int cut(MatrixRun run, String name, int rank, Random random) throws IOException {
        Path directory =
                run.config().resolveSibling("Global").resolve(run.execId()).resolve("dCP");
        List<Long> ends = layerEnds(run, rank);
        long first = ends.get(0);
        long last = ends.get(ends.size() - 1);
        try (FileChannel file =
                FileChannel.open(directory.resolve(name + "-rank" + rank + ".fti"), StandardOpenOption.WRITE)) {
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
