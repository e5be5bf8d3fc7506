package io.drumlin.checkpoint.elastic;

import static io.drumlin.checkpoint.fixture.DistributedState.BLOCK;
import static io.drumlin.checkpoint.fixture.DistributedState.BY_COLUMN;
import static io.drumlin.checkpoint.fixture.DistributedState.CELLS;
import static io.drumlin.checkpoint.fixture.DistributedState.COLUMNS;
import static io.drumlin.checkpoint.fixture.DistributedState.ROWS;
import static io.drumlin.checkpoint.fixture.DistributedState.goOn;
import static io.drumlin.checkpoint.fixture.DistributedState.recover;
import static io.drumlin.checkpoint.fixture.DistributedState.setNodeSize;
import static io.drumlin.checkpoint.fixture.DistributedState.start;
import static io.drumlin.checkpoint.fixture.DistributedState.store;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.checkpoint.Codec;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.IndexFunction;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.fixture.Agents;
import io.drumlin.checkpoint.fixture.DistributedState;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Restarts on another number of ranks than took the checkpoint. */
class OtherRanksTest {

    @TempDir
    private Path directory;

    private RunFixture run;

    private void make(Map<String, String> changes) throws IOException {
        Map<String, String> all = RunFixture.settings("node_size=1", changes);
        run = new RunFixture(directory, all);
    }

    @Test
    void differentialCheckpointsAreFoundToo() throws IOException {
        make(Map.of("basic.enable_dcp", "1", "basic.dcp_mode", "1", "basic.dcp_block_size", "512"));
        goOn(run, 4, 0, 0, 3, Level.L4, Level.L4_DCP, Level.L4_DCP);
        goOn(run, 3, 3, 4, 5, Level.L4, Level.L4_DCP);
        goOn(run, 3, 5, 3, 6, Level.L4);
        goOn(run, 5, 6, 3, 7, Level.L4_DCP);
        goOn(run, 5, 7, 5, 7);
    }

    /** A kill in the midst of a commit leaves two of them, and the disk one whole. */
    @Test
    void aDamagedDifferentialCheckpointDoesNotHideTheOther() throws IOException {
        make(Map.of("basic.enable_dcp", "1", "basic.dcp_mode", "1", "basic.dcp_block_size", "512"));
        goOn(run, 4, 0, 0, 2, Level.L4_DCP, Level.L4_DCP);
        Path global = directory.resolve("Global").resolve(run.restartValue("exec_id"));
        Path replaced = Files.createDirectory(global.resolve("drumlin-replaced-dCP"));
        for (int rank = 0; rank < 4; rank++) {
            Path file = global.resolve("dCP/dCPFile-Rank" + rank + ".fti");
            Files.copy(file, replaced.resolve(file.getFileName()));
            if (rank == 0) {
                Files.write(file, new byte[100]);
            }
        }
        goOn(run, 3, 2, 4, 3, Level.L4);
    }

    @Test
    @Tag("exhaustive")
    void aKeptCheckpointServesAnyNumberOfRanks() throws IOException {
        make(Map.of("basic.keep_last_ckpt", "1", "basic.keep_l4_ckpt", "1"));
        goOn(run, 4, 0, 0, 2, Level.L4, Level.L1);
        start(run, 4, (checkpoints, comm) -> checkpoints.complete());
        start(run, 3, (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART_FROM_KEPT);
            checkpoints.complete();
        });
        assertThat(run.restartValue("failure")).isEqualTo("2");
        goOn(run, 6, 2, 4, 4, Level.L4, Level.L4);
        goOn(run, 3, 4, 6, 4);
    }

    @Test
    void aRunThatIsNotPreparedForItIsRefused() throws IOException {
        make(Map.of());
        goOn(run, 4, 0, 0, 1, Level.L4);
        for (int ranks : new int[] {3, 6}) {
            assertThatThrownBy(() -> run.run(ranks, (checkpoints, comm) -> {}))
                    .hasMessageContaining("4 nodes, this run has " + ranks);
        }
        setNodeSize(run, 2);
        assertThatThrownBy(() -> run.run(8, (checkpoints, comm) -> {})).isInstanceOf(IOException.class);
    }

    private void refuses(int id, Distribution distribution, String... words) throws IOException {
        start(run, 3, (checkpoints, comm) -> {
            DistributedState state = new DistributedState(comm.rank(), comm.size());
            state.protect(checkpoints);
            state.distribute(checkpoints);
            checkpoints.distribute(id, distribution);
            assertThatThrownBy(checkpoints::recover)
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(words);
        });
    }

    @Test
    void wrongDistributionsAreRefused() throws IOException {
        make(Map.of());
        goOn(run, 4, 0, 0, 1, Level.L4);
        refuses(1, Distribution.block(ROWS), "variable 1", "block(11)");
        refuses(1, Distribution.block(ROWS + 3).withGhosts(1, 1), "variable 1");
        refuses(2, Distribution.block(CELLS), "variable 2", "rank 0 of the former run stored");
        refuses(2, Distribution.blockCyclic(CELLS, 8), "variable 2");
        refuses(2, Distribution.blockCyclic(CELLS + 1, BLOCK), "variable 2");
        refuses(4, Distribution.block(1000), "variable 4");
        refuses(4, Distribution.replicated(), "variable 4", "replicated()");
        refuses(5, Distribution.contiguous(), "variable 5", "20000 elements and this one protects 15000");
        refuses(3, Distribution.of(ROWS * COLUMNS - 1L, BY_COLUMN), "variable 3", "gives element 186");
        refuses(3, Distribution.of(ROWS * COLUMNS, by((rank) -> 0)), "variable 3", "in two places");
        refuses(
                3,
                Distribution.of(ROWS * COLUMNS, new IndexFunction() {
                    @Override
                    public long places(int rank, int ranks) {
                        return BY_COLUMN.places(rank, ranks);
                    }

                    @Override
                    public long index(int rank, int ranks, long place) {
                        return ranks == 4 && place == 2 ? NONE : BY_COLUMN.index(rank, ranks, place);
                    }
                }),
                "variable 3",
                "of which the former run had");
    }

    private static IndexFunction by(IntToLongFunction element) {
        return new IndexFunction() {
            @Override
            public long places(int rank, int ranks) {
                return BY_COLUMN.places(rank, ranks);
            }

            @Override
            public long index(int rank, int ranks, long place) {
                return element.applyAsLong(rank);
            }
        };
    }

    @Test
    void aVariableWithoutADistributionIsRefused() throws IOException {
        make(Map.of());
        goOn(run, 4, 0, 0, 1, Level.L4);
        start(run, 3, (checkpoints, comm) -> {
            DistributedState state = new DistributedState(comm.rank(), comm.size());
            state.protect(checkpoints);
            assertThatThrownBy(checkpoints::recover)
                    .hasMessageContaining("variable 0")
                    .hasMessageContaining("4 ranks")
                    .hasMessageContaining("distribute(0, ...)");
            state.distribute(checkpoints);
            checkpoints.protect(9, new int[1]);
            assertThatThrownBy(checkpoints::recover).hasMessageContaining("[0, 1, 2, 3, 4, 5]");
            // One by one, in the order in which the program comes to need them.
            checkpoints.recover(0);
            assertThat(state.step()).isEqualTo(1);
            checkpoints.recover(2);
            assertThatThrownBy(() -> checkpoints.recover(9)).hasMessageContaining("[9]");
        });
    }

    @Test
    void aRankThatHasNotProtectedTheVariableLetsNoOtherWait() throws IOException {
        make(Map.of());
        goOn(run, 4, 0, 0, 1, Level.L4);
        assertTimeoutPreemptively(
                Duration.ofSeconds(30),
                () -> start(run, 3, (checkpoints, comm) -> {
                    DistributedState state = new DistributedState(comm.rank(), comm.size());
                    state.protect(checkpoints);
                    state.distribute(checkpoints);
                    checkpoints.protect(20 + comm.rank(), new int[1]);
                    assertThatThrownBy(() -> checkpoints.recover(20))
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("variable 20 is not protected");
                    checkpoints.recover(0);
                    assertThat(state.step()).isEqualTo(1);
                }));
    }

    @Test
    void ranksThatDifferAreNotReplicated() throws IOException {
        make(Map.of());
        run.run(4, (checkpoints, comm) -> {
            checkpoints.protect(0, new long[] {7, comm.rank() / 3});
            checkpoints.checkpoint(1, Level.L4);
        });
        start(run, 2, (checkpoints, comm) -> {
            checkpoints.protect(0, new long[2]);
            checkpoints.distribute(0, Distribution.replicated());
            assertThatThrownBy(checkpoints::recover)
                    .hasMessageContaining("rank 3")
                    .hasMessageContaining("from byte 8 on");
        });
    }

    /** What all ranks have comes to all, and what each has of its own only to as many. */
    @Test
    void objectsComeToOtherRanks() throws IOException {
        make(Map.of());
        run.run(4, (checkpoints, comm) -> {
            new Agents(checkpoints).set(1, 5, 300);
            checkpoints.protect(8, () -> "rank " + comm.rank(), text -> {}, Codec.of(String.class));
            checkpoints.checkpoint(1, Level.L4);
        });
        start(run, 3, (checkpoints, comm) -> {
            Agents agents = new Agents(checkpoints);
            checkpoints.distribute(7, Distribution.replicated());
            checkpoints.recover(7);
            assertThat(agents.all).isEqualTo(new Agents().set(1, 5, 300).all);
            checkpoints.protect(8, () -> "", text -> {}, Codec.of(String.class));
            assertThatThrownBy(() -> checkpoints.recover(8)).hasMessageContaining("does not say how it is distributed");
            checkpoints.distribute(8, Distribution.replicated());
            assertThatThrownBy(() -> checkpoints.recover(8)).hasMessageContaining("something else than rank 0");
        });
        setNodeSize(run, 2);
        start(run, 4, (checkpoints, comm) -> {
            String[] own = new String[1];
            checkpoints.protect(8, () -> "", text -> own[0] = text, Codec.of(String.class));
            checkpoints.recover(8);
            assertThat(own[0]).isEqualTo("rank " + comm.rank());
        });
    }

    /** A job on as many ranks, on other nodes than before: each rank has its own. */
    @Test
    void onAsManyRanksNothingNeedBeSaid() throws IOException {
        make(Map.of());
        run.run(4, (checkpoints, comm) -> {
            checkpoints.protect(0, new long[comm.rank()]);
            checkpoints.protect(1, new long[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L4);
        });
        setNodeSize(run, 2);
        start(run, 4, (checkpoints, comm) -> {
            long[] own = {-1};
            checkpoints.protect(0, new long[comm.rank()]);
            checkpoints.protect(1, own);
            checkpoints.recover();
            assertThat(own).containsExactly(comm.rank());
        });
    }

    /** The number of nodes, one here, tells nothing. */
    @Test
    void theTopologyOfRealNodesTellsTheNumber() throws IOException {
        make(Map.of("advanced.local_test", "0", "basic.node_size", "4", "basic.group_size", "1"));
        store(run, 4, 1, Level.L4);
        setNodeSize(run, 2);
        start(run, 2, (checkpoints, comm) -> {});
        Files.delete(run.file("Ckpt1-Rank3.fti"));
        assertThatThrownBy(() -> start(run, 2, (checkpoints, comm) -> {}))
                .hasMessageContaining("Ckpt1-Rank3.fti")
                .hasMessageContaining("of 3 ranks, and 4 ranks wrote");
    }

    @Test
    void aMissingFileOfARankInTheMidstIsNoticed() throws IOException {
        make(Map.of());
        store(run, 4, 1, Level.L4);
        Files.delete(run.file("Ckpt1-Rank1.fti"));
        assertThatThrownBy(() -> start(run, 2, (checkpoints, comm) -> {})).hasMessageContaining("no level");
    }

    @Test
    void aMissingFileOfADifferentialCheckpointIsRefused() throws IOException {
        make(Map.of("basic.enable_dcp", "1", "basic.dcp_mode", "1", "basic.dcp_block_size", "512"));
        store(run, 4, 1, Level.L4_DCP);
        Files.delete(run.file("dCPFile-Rank3.fti"));
        assertThatThrownBy(() -> start(run, 3, (checkpoints, comm) -> {})).hasMessageContaining("4 ranks wrote");
    }

    @Test
    void whereAHeadIsFirstTheMissingFileIsNotTakenForItsOwn() throws IOException {
        make(Map.of("basic.head", "1", "basic.node_size", "3"));
        start(run, 6, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[1]);
            checkpoints.checkpoint(1, Level.L4);
        });
        Files.delete(run.file("Ckpt1-Rank5.fti"));
        assertThatThrownBy(() -> start(run, 9, (checkpoints, comm) -> {})).hasMessageContaining("Ckpt1-Rank5.fti");
        make(Map.of());
        store(run, 4, 1, Level.L4);
        Files.delete(directory.resolve("Global/" + run.restartValue("exec_id") + "/l4/Ckpt1-Rank0.fti"));
        assertThatThrownBy(() -> start(run, 3, (checkpoints, comm) -> {})).hasMessageContaining("Ckpt1-Rank0.fti");
    }

    @Test
    void aDamagedListKeepsNoRunFromGoingOn() throws IOException {
        make(Map.of());
        store(run, 4, 1, Level.L4);
        Path list = directory.resolve("Meta/" + run.restartValue("exec_id") + "/Checkpoint.fti");
        Files.writeString(list, "[checkpoint_id.1");
        store(run, 6, 2, Level.L4);
        recover(run, 6, 2);
        assertThat(list.resolveSibling("Checkpoint.fti.damaged")).hasContent("[checkpoint_id.1");
    }

    /** A run that was killed before it could replace the checkpoint, whose id it used again. */
    @Test
    void theNumberOfACheckpointThatWasToBeReplacedIsKnown() throws IOException {
        make(Map.of());
        store(run, 4, 1, Level.L4);
        Path global = directory.resolve("Global").resolve(run.restartValue("exec_id"));
        store(run, 6, 1, Level.L4);
        IniFile list = IniFile.parse(Files.readString(run.file("Checkpoint.fti")), "list");
        assertThat(list.sections()).containsExactly("checkpoint_id.1", "checkpoint_id.1.of4");
        assertThat(list.get("checkpoint_id.1", "nb_procs")).hasValue("6");
        // The files of the six have replaced the four; without what an interrupted commit leaves they must be six.
        Files.delete(run.file("Ckpt1-Rank5.fti"));
        Files.delete(run.file("Ckpt1-Rank4.fti"));
        DirectoryTree.delete(global.resolve("tmp"), new NioEngine());
        DirectoryTree.delete(global.resolve("drumlin-replaced-l4"), new NioEngine());
        assertThatThrownBy(() -> start(run, 4, (checkpoints, comm) -> {})).hasMessageContaining("6 ranks wrote");
        Files.createDirectories(global.resolve("tmp"));
        recover(run, 4, 1);
        store(run, 4, 2, Level.L4);
        list = IniFile.parse(Files.readString(run.file("Checkpoint.fti")), "list");
        assertThat(list.sections()).containsExactly("checkpoint_id.1", "checkpoint_id.2");
    }

    @Test
    void namesAreKnownWhateverTheOrder() throws IOException {
        make(Map.of("basic.ckpt_io", "1"));
        run.run(4, (checkpoints, comm) -> {
            checkpoints.protect(((FtiCheckpoints) checkpoints).idFor("a"), new int[] {comm.rank()});
            checkpoints.protect(((FtiCheckpoints) checkpoints).idFor("b"), new int[] {10 + comm.rank()});
            checkpoints.checkpoint(1, Level.L4);
        });
        start(run, 2, (checkpoints, comm) -> {
            int[] b = new int[2];
            int[] a = new int[2];
            int idOfB = ((FtiCheckpoints) checkpoints).idFor("b");
            checkpoints.protect(idOfB, b);
            checkpoints.distribute(idOfB, Distribution.block(4));
            int idOfA = ((FtiCheckpoints) checkpoints).idOf("a").orElseThrow();
            // What another number of ranks has stored has no size here.
            assertThat(checkpoints.storedSize(idOfA)).isZero();
            assertThatThrownBy(() -> checkpoints.reallocate(idOfA, a))
                    .hasMessageContaining("not in the last checkpoint");
            checkpoints.protect(idOfA, a);
            checkpoints.distribute(idOfA, Distribution.block(4));
            checkpoints.recover();
            int first = 2 * comm.rank();
            assertThat(a).containsExactly(first, first + 1);
            assertThat(b).containsExactly(10 + first, 11 + first);
        });
    }

    /** The mode FTI-FF stores no names: they have the ids again that they had, if they come in the same order. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void whereNoNamesAreStoredTheirOrderCounts(int ranks) throws IOException {
        make(Map.of());
        start(run, 4, (checkpoints, comm) -> {
            checkpoints.protect(((FtiCheckpoints) checkpoints).idFor("a"), new int[] {comm.rank()});
            checkpoints.protect(((FtiCheckpoints) checkpoints).idFor("b"), new long[] {10 + comm.rank()});
            checkpoints.checkpoint(1, Level.L4);
        });
        start(run, ranks, (checkpoints, comm) -> {
            int count = 4 / ranks;
            int[] a = new int[count];
            long[] b = new long[count];
            assertThat(((FtiCheckpoints) checkpoints).idOf("a")).isEmpty();
            checkpoints.protect(((FtiCheckpoints) checkpoints).idFor("a"), a);
            checkpoints.protect(((FtiCheckpoints) checkpoints).idFor("b"), b);
            assertThat(((FtiCheckpoints) checkpoints).idOf("b")).hasValue(1);
            checkpoints.distribute(0, Distribution.block(4));
            checkpoints.distribute(1, Distribution.block(4));
            checkpoints.recover();
            assertThat(a[count - 1]).isEqualTo(count * (comm.rank() + 1) - 1);
            assertThat(b[0]).isEqualTo(10 + count * comm.rank());
            checkpoints.protect(((FtiCheckpoints) checkpoints).idFor("c"), new int[1]);
            checkpoints.checkpoint(2, Level.L4);
            assertThat(((FtiCheckpoints) checkpoints).idFor("d")).isEqualTo(3);
        });
    }

    /** What nothing could be found of does not keep a run of another number of ranks from being restarted. */
    @Test
    void aRunOfAnotherNumberOfRanksThatBeginsAfreshCanBeRestarted() throws IOException {
        make(Map.of());
        store(run, 4, 1, Level.L1);
        run.run(3, (builder, rank) -> builder.anyNumberOfRanks().freshStartIfUnrecoverable(), (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.FRESH);
            checkpoints.protect(0, new int[] {20 + comm.rank()});
            checkpoints.checkpoint(2, Level.L1);
        });
        recover(run, 3, 2);
    }
}
