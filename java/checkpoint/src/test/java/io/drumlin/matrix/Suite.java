package io.drumlin.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.format.hdf5.Hdf5Tools;
import io.drumlin.fti.Hdf5Program;
import io.drumlin.matrix.Matrix.Preset;
import io.drumlin.matrix.MatrixRun.Damage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** The core suites of C FTI's integration tests: what is started, what is damaged in between, what must come of it. */
enum Suite {
    NORMAL_RUN {
        @Override
        List<Case> cases() {
            List<Case> cases = new ArrayList<>();
            for (String sizes : SIZES) {
                for (String how : ALL_OR_ONE_BY_ONE) {
                    for (int level : LEVELS) {
                        for (int keep : List.of(0, 1)) {
                            cases.add(normal(sizes, how, level, keep));
                        }
                    }
                }
            }
            return cases;
        }

        private Case normal(String sizes, String how, int level, int keep) {
            String name = sizes + " L" + how + level + " keep=" + keep;
            return new Case(name, Map.of(KEEP_LAST, "" + keep), run -> {
                run.start("write", sizes, keep == 1 ? "finalize" : "crash", "1:" + how + level);
                assertThat(run.failure()).isEqualTo(keep == 1 ? "2" : "1");
                run.start("read", sizes, "finalize", keep == 1 ? "2" : "1", "1");
            });
        }
    },

    CKPT_DISRUPT {
        @Override
        List<Case> cases() {
            List<Case> cases = new ArrayList<>();
            for (String sizes : SIZES) {
                for (String how : ALL_OR_ONE_BY_ONE) {
                    add(cases, sizes, how);
                }
            }
            return cases;
        }

        private void add(List<Case> cases, String sizes, String how) {
            cases.add(new Case(sizes + " " + how + " kept, l4 erased", Map.of(KEEP_LAST, "1"), run -> {
                run.start("write", sizes, "finalize", "1:" + how + "1");
                run.deleteLevel(-1, 4);
                run.start("refuse");
            }));
            for (Damage damage : Damage.values()) {
                cases.add(disrupted(sizes, how + 1, damage + " Rank", false, run -> spoil(run, damage, "Rank")));
                for (String kind : List.of("Rank", "Pcof")) {
                    cases.add(disrupted(sizes, how + 2, damage + " " + kind, true, run -> spoil(run, damage, kind)));
                }
                for (String kind : List.of("Rank", "RSed")) {
                    cases.add(disrupted(sizes, how + 3, damage + " " + kind, true, run -> spoil(run, damage, kind)));
                }
            }
            for (int level : List.of(2, 3)) {
                for (int second : List.of(1, 2)) {
                    boolean recovers = level == 3 || second == 2;
                    cases.add(disrupted(sizes, how + level, "nodes 0 and " + second + " erased", recovers, run -> {
                        run.deleteLevel(0, level);
                        run.deleteLevel(second, level);
                    }));
                }
            }
            cases.add(disrupted(sizes, how + 4, "l4 erased", false, run -> run.deleteLevel(-1, 4)));
        }

        private Case disrupted(String sizes, String level, String what, boolean recovers, Body disturbance) {
            return new Case(sizes + " L" + level + " " + what, Map.of(), run -> {
                run.start("write", sizes, "crash", "1:" + level);
                disturbance.play(run);
                if (recovers) {
                    run.start("read", sizes, "finalize", "1", "1");
                } else {
                    run.start("refuse");
                }
            });
        }

        private void spoil(MatrixRun run, Damage damage, String kind) throws Exception {
            for (int node : List.of(0, 2)) {
                run.damage(damage, run.files(kind, node).subList(0, 1));
            }
        }
    },

    VERIFY_LOG {
        @Override
        List<Case> cases() {
            return IntStream.of(LEVELS)
                    .mapToObj(level -> new Case("L" + level, Map.of(), run -> {
                        String first = run.start("log", "" + level);
                        checkLog(first, level, 1, 6);
                        assertThat(first).doesNotContain("This is a restart.");
                        String second = run.start("log", "" + level);
                        checkLog(second, level, 7, 11);
                        assertThat(second)
                                .contains("This is a restart.")
                                .contains("Recovering successfully from level " + level + " with Ckpt. 6.");
                    }))
                    .toList();
        }
    },

    VERIFY_LOG_DISRUPT {
        @Override
        List<Case> cases() {
            List<Case> cases = new ArrayList<>();
            for (Damage damage : Damage.values()) {
                cases.add(disrupted(1, damage + " one", false, run -> run.damage(damage, one(run.files("Rank")))));
                cases.add(disrupted(4, damage + " one", false, run -> run.damage(damage, one(run.globalFiles()))));
                for (int level : List.of(2, 3)) {
                    String other = level == 2 ? "Pcof" : "RSed";
                    for (String kind : List.of("Rank", other)) {
                        cases.add(disrupted(level, damage + " one " + kind, true, run -> {
                            run.damage(damage, one(run.files(kind)));
                        }));
                        cases.add(disrupted(level, damage + " all " + kind, true, run -> {
                            run.damage(damage, run.files(kind));
                        }));
                    }
                    for (int node : List.of(1, 2)) {
                        boolean recovers = level == 3 || node == 2;
                        String what = damage + " Rank of node 0 and " + other + " of node " + node;
                        cases.add(disrupted(level, what, recovers, run -> {
                            run.damage(damage, run.files("Rank", 0));
                            run.damage(damage, run.files(other, node));
                        }));
                    }
                }
            }
            return cases;
        }

        private Case disrupted(int level, String what, boolean recovers, Body disturbance) {
            return new Case("L" + level + " " + what, Map.of(), run -> {
                run.start("log", "" + level);
                disturbance.play(run);
                if (recovers) {
                    checkLog(run.start("log", "" + level), level, 7, 11);
                } else {
                    assertThat(run.start("refuse")).contains("Error");
                }
            });
        }

        private List<Path> one(List<Path> files) {
            return files.subList(0, 1);
        }
    },

    CORNER_CASES {
        @Override
        List<Case> cases() {
            List<Case> cases = new ArrayList<>();
            for (int level : LEVELS) {
                cases.add(consistency(level));
                cases.add(new Case("L" + level + " kept, recovered twice", Map.of(KEEP_LAST, "1"), run -> {
                    run.start("write", "different", "finalize", "3:" + level);
                    run.start("read", "different", "crash", "2", "3");
                    run.start("read", "different", "finalize", "2", "3");
                }));
                cases.add(new Case("L" + level + " two runs in a process", Map.of(), run -> {
                    run.keepHeadsAlive();
                    Path other = Files.createDirectory(run.config().resolveSibling("other"));
                    RunFixture another = new RunFixture(
                            other,
                            "node_size=4, group_size=4, head=" + run.head() + ", keep_heads_alive=" + run.head());
                    checkCalm(run.start("twice", "" + level, another.config().toString()));
                }));
                cases.add(new Case("L" + level + " recovered inside a process", Map.of(), run -> {
                    checkCalm(run.start("recoverInside", "" + level));
                }));
                cases.add(new Case("L" + level + " four times", Map.of(), run -> {
                    run.start("write", "different", "crash", "1:" + level, "2:" + level, "3:" + level, "4:" + level);
                    assertThat(levels(run)).isEqualTo(level == 4 ? run.levelsOfL4() : List.of(level));
                    assertThat(run.files()).noneMatch(file -> file.matches(".*Ckpt[123]-.*"));
                    run.start("read", "different", "finalize", "1", "4");
                    assertThat(run.files()).isEmpty();
                }));
            }
            cases.add(new Case("L4 L3 L2 L1", Map.of(), run -> {
                run.start("write", "different", "crash", "1:4", "2:3", "3:2", "4:1");
                assertThat(levels(run)).containsExactly(1, 2, 3, 4);
                run.start("read", "different", "finalize", "1", "4");
                assertThat(run.files()).isEmpty();
            }));
            cases.add(new Case("L1 L2 L3 L4", Map.of(), run -> {
                run.start("write", "different", "crash", "1:1", "2:2", "3:3", "4:4");
                assertThat(levels(run)).isEqualTo(run.levelsOfL4());
                run.start("read", "different", "finalize", "1", "4");
            }));
            for (int lost = 1; lost <= 3; lost++) {
                int levels = lost;
                cases.add(new Case("L4 L3 L2 L1, the lowest " + lost + " erased", Map.of(), run -> {
                    run.start("write", "different", "crash", "1:4", "2:3", "3:2", "4:1");
                    for (int level = 1; level <= levels; level++) {
                        for (int node = 0; node < 4; node++) {
                            run.deleteLevel(node, level);
                        }
                    }
                    run.start("read", "different", "finalize", "1", "" + (4 - levels));
                }));
            }
            return cases;
        }

        /** What a restart has made again is used by the next. */
        private Case consistency(int level) {
            return new Case("L" + level + " redundancy is made again", Map.of(), run -> {
                run.start("write", "different", "crash", "2:" + level);
                if (level == 2 || level == 3) {
                    run.damage(Damage.ERASE, run.files(level == 2 ? "Pcof" : "RSed"));
                }
                run.start("read", "different", "crash", "1", "2");
                if (level == 4) {
                    run.deleteLevel(-1, 4);
                    for (int node = 0; node < 4; node++) {
                        run.deleteLevel(node, 1);
                    }
                } else {
                    run.damage(Damage.ERASE, run.files("Rank"));
                }
                if (level == 2 || level == 3) {
                    run.start("read", "different", "finalize", "1", "2");
                } else {
                    run.start("refuse");
                }
            });
        }
    },

    NODEFLAG {
        @Override
        List<Case> cases() {
            return List.of(
                    new Case("one process per node works on directories", Map.of("basic.verbosity", "1"), run -> {
                        String printed = run.start("write", "equal", "finalize", "1:1", "2:2", "3:3", "4:4");
                        for (int level : LEVELS) {
                            List<String> nodes = printed.lines()
                                    .filter(line -> line.contains("Has nodeFlag = 1")
                                            && line.endsWith("CkptLvel = " + level + "."))
                                    .map(line -> line.replaceAll(".*nodeID = (\\d+)\\..*", "$1"))
                                    .sorted()
                                    .toList();
                            assertThat(nodes).containsExactly("0", "1", "2", "3");
                        }
                    }));
        }
    },

    GETCONFIG {
        @Override
        List<Case> cases() {
            return List.of(new Case("what the configuration came to", Map.of(), run -> run.start("config")));
        }
    },

    RECOVERVAR {
        @Override
        List<Case> cases() {
            return IntStream.of(LEVELS)
                    .mapToObj(level -> new Case("L" + level, Map.of(), run -> {
                        long seed = new Random().nextLong();
                        System.out.println("recovervar L" + level + ": seed " + seed);
                        run.start("arrays", "" + level);
                        run.start("recoverArrays", "" + seed);
                    }))
                    .toList();
        }
    },

    RECOVERNAME {
        @Override
        List<Case> cases() {
            return IntStream.of(LEVELS)
                    .mapToObj(level -> new Case("L" + level, Map.of(), run -> {
                        long seed = new Random().nextLong();
                        System.out.println("recovername L" + level + ": seed " + seed);
                        run.start("names", "" + level, "" + seed);
                        // FTI-FF has no place for names; C FTI fails its own cases.
                        if (run.mode() == FTI_FF) {
                            run.start("forgetNames");
                        } else {
                            run.start("recoverNames", "" + seed);
                        }
                    }))
                    .toList();
        }
    },

    KEEPL4 {
        @Override
        List<Case> cases() {
            return IntStream.of(0, 1)
                    .mapToObj(keep -> new Case("keep_l4_ckpt=" + keep, Map.of("basic.keep_l4_ckpt", "" + keep), run -> {
                        run.start(
                                "write", "different", "crash", "1:1", "2:1", "3:4", "4:2", "5:2", "6:4", "7:3", "8:3");
                        run.start("write", "different", "finalize", "9:4", "10:1", "11:4");
                        List<Integer> archived = run.files().stream()
                                .filter(file -> file.matches("Global/.*/l4_archive/Ckpt.*"))
                                .map(file -> Integer.valueOf(file.replaceAll(".*Ckpt(\\d+)-.*", "$1")))
                                .distinct()
                                .sorted()
                                .toList();
                        assertThat(archived).isEqualTo(keep == 1 ? List.of(3, 6, 9, 11) : List.of());
                        assertThat(run.failure()).isEqualTo("0");
                    }))
                    .toList();
        }
    },

    DCP {
        @Override
        List<Case> cases() {
            List<Case> cases = new ArrayList<>();
            for (String how : ALL_OR_ONE_BY_ONE) {
                for (int hash : List.of(1, 2)) {
                    Map<String, String> changes = FeatureCases.differential(hash);
                    cases.add(new Case("hash " + hash + " " + how, changes, run -> standard(run, how)));
                }
            }
            return cases;
        }

        private void standard(MatrixRun run, String how) throws Exception {
            String printed = run.start("changes", how + 8);
            List<Double> shares = Pattern.compile("dCP share: ([0-9.]+)%")
                    .matcher(printed)
                    .results()
                    .map(found -> Double.valueOf(found.group(1)))
                    .toList();
            assertThat(shares).hasSize(Programs.CHANGED_PERCENT.size());
            for (int i = 0; i < shares.size(); i++) {
                assertThat(shares.get(i)).isCloseTo(Programs.CHANGED_PERCENT.get(i), within(2.0));
            }
            run.start("recoverChanges");
        }

        @Override
        boolean hasMode(int mode) {
            return mode == POSIX || mode == FTI_FF;
        }
    },

    /** A part of {@code dCP} in C FTI, without heads. */
    CORRUPT_CHECK {
        @Override
        List<Case> cases() {
            return FeatureCases.corruptCheck();
        }

        @Override
        boolean hasMode(int mode) {
            return mode == POSIX;
        }

        @Override
        boolean hasPreset(Preset preset) {
            return preset == Preset.H0I1;
        }
    },

    USE_CASES {
        @Override
        List<Case> cases() {
            return FeatureCases.useCases();
        }

        @Override
        boolean hasMode(int mode) {
            return mode == POSIX;
        }
    },

    SYNC_INTV {
        @Override
        List<Case> cases() {
            return FeatureCases.syncIntv();
        }

        @Override
        boolean hasMode(int mode) {
            return mode == POSIX;
        }

        @Override
        boolean hasPreset(Preset preset) {
            return preset == Preset.H1I0;
        }
    },

    STAGING {
        @Override
        List<Case> cases() {
            return FeatureCases.staging();
        }

        @Override
        boolean hasMode(int mode) {
            return mode == POSIX;
        }

        @Override
        boolean hasPreset(Preset preset) {
            return preset == Preset.H0I1 || preset == Preset.H1I1;
        }
    },

    /** Restarts on other numbers of ranks, from the shared HDF5 file. */
    VPR {
        @Override
        List<Case> cases() {
            List<Case> cases = new ArrayList<>();
            for (String taken : ALL_OR_ONE_BY_ONE) {
                for (String recovered : ALL_OR_ONE_BY_ONE) {
                    String name = "taken " + name(taken) + ", recovered " + name(recovered);
                    Map<String, String> changes = Map.of("basic.h5_single_file_enable", "1");
                    cases.add(new Case(name, changes, run -> restartOnOthers(run, taken, recovered)));
                }
            }
            return cases;
        }

        private String name(String how) {
            return how.isEmpty() ? "at once" : "one by one";
        }

        private void restartOnOthers(MatrixRun run, String taken, String recovered) throws Exception {
            String seed = "" + new Random().nextLong();
            System.out.println("vpr: seed " + seed);
            run.setApplicationRanksPerNode(4);
            run.start("grid", taken, seed);
            assertThat(run.files()).filteredOn(file -> file.contains("VPR")).containsExactly(SHARED_FILE);
            run.start("recoverGrid", "1", "6", recovered, seed);
            for (int ranks : run.otherRanksPerNode()) {
                run.setApplicationRanksPerNode(ranks);
                run.restartFromSingleFile();
                run.start("recoverGrid", "3", "7", recovered, seed);
            }
            assertThat(run.files()).containsExactly(SHARED_FILE);
        }

        @Override
        boolean hasMode(int mode) {
            return mode == HDF5_FILES;
        }
    },

    /** What h5dump tells of the files. */
    HDF5 {
        @Override
        List<Case> cases() {
            return IntStream.of(LEVELS)
                    .mapToObj(level -> new Case("L" + level, Map.of(KEEP_LAST, "1"), run -> {
                        run.start("structures", "" + level);
                        checkDump(run);
                        run.start("recoverStructures", "1");
                        assertThat(run.failure()).isEqualTo("2");
                        assertThat(levels(run)).containsExactly(4);
                        checkDump(run);
                        run.start("recoverStructures", "2");
                    }))
                    .toList();
        }

        /** Of the one file, or of two: what heads have copied to level 4 stays on the nodes, too. */
        private void checkDump(MatrixRun run) throws IOException {
            List<Path> files = run.files("Rank").stream()
                    .filter(file -> file.endsWith("Ckpt2-Rank" + Hdf5Program.DUMPED_RANK + ".h5"))
                    .toList();
            assertThat(files).isNotEmpty();
            for (Path file : files) {
                String dump = Hdf5Tools.run("h5dump", "-p", file.toString());
                assertThat(dump.substring(dump.indexOf('\n') + 1)).isEqualTo(Hdf5Program.expectedDump());
            }
        }

        @Override
        boolean hasMode(int mode) {
            return mode == HDF5_FILES;
        }
    };

    private static final List<String> SIZES = List.of("equal", "different");

    /** What is before the level of a checkpoint: {@code i} says that it is incremental. */
    private static final List<String> ALL_OR_ONE_BY_ONE = List.of("", "i");

    private static final String SHARED_FILE = "Global/VPR-h5-ID00000007.h5";
    private static final int POSIX = 1;
    private static final int FTI_FF = 3;
    private static final int HDF5_FILES = 5;
    private static final int[] LEVELS = {1, 2, 3, 4};
    private static final String KEEP_LAST = "basic.keep_last_ckpt";

    /** What is done with a run directory. */
    @FunctionalInterface
    interface Body {
        void play(MatrixRun run) throws Exception;
    }

    /**
     * A case of a suite.
     *
     * @param name what is special about it
     * @param changes of the configuration
     * @param body starts, damage, expectations
     */
    record Case(String name, Map<String, String> changes, Body body) {}

    /** All cases, the same in each I/O mode. */
    abstract List<Case> cases();

    /** Whether the suite is for an I/O mode. */
    boolean hasMode(int mode) {
        return true;
    }

    /** Whether C FTI has the suite with a preset. */
    boolean hasPreset(Preset preset) {
        return preset == Preset.H0I1 || this != GETCONFIG && this != RECOVERVAR && this != RECOVERNAME;
    }

    private static void checkLog(String printed, int level, int firstId, int lastId) {
        checkCalm(printed);
        assertThat(printed).contains("FTI has been initialized.");
        for (int id = firstId; id <= lastId; id++) {
            assertThat(printed)
                    .containsPattern(
                            "Ckpt\\. ID " + id + " \\(L" + level + "\\) \\(\\d+\\.\\d\\d MB/proc\\) taken in ");
        }
        assertThat(printed)
                .doesNotContain("Ckpt. ID " + (firstId - 1) + " (")
                .doesNotContain("Ckpt. ID " + (lastId + 1));
    }

    private static void checkCalm(String printed) {
        assertThat(printed).doesNotContain("Error").doesNotContain("Warning");
    }

    /** The levels that have checkpoint files. */
    private static List<Integer> levels(MatrixRun run) throws Exception {
        return run.files().stream()
                .filter(file -> file.matches(".*/l[1-4]/Ckpt.*"))
                .map(file -> Integer.valueOf(file.replaceAll(".*/l([1-4])/Ckpt.*", "$1")))
                .distinct()
                .sorted()
                .toList();
    }
}
