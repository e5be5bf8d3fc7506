package io.drumlin.checkpoint.heads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.HeadCallback;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Stash;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.RefusingEngine;
import io.drumlin.storage.RefusingEngine.Trouble;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stashes that heads make for the application: 2 nodes of a head and 2 ranks of the application. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HeadStashTest {

    private static final int RANKS = 6;

    @TempDir
    Path directory;

    private final Heads heads = new Heads();

    /** Work of a head. */
    @FunctionalInterface
    private interface Work {
        void on(Checkpoints head) throws IOException;
    }

    /** The heads do what the application asks for, each of them once. */
    private static final class Heads implements HeadCallback {

        private final List<Queue<Work>> asked = List.of(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
        private final Queue<Exception> failures = new ConcurrentLinkedQueue<>();
        private final Semaphore done = new Semaphore(0);

        @Override
        public void call(Checkpoints head) {
            Work work = asked.get(((FtiCheckpoints) head).node()).poll();
            if (work == null) {
                return;
            }
            try {
                work.on(head);
            } catch (IOException | RuntimeException e) {
                failures.add(e);
            } finally {
                done.release();
            }
        }

        void ask(int node, Work work) {
            asked.get(node).add(work);
        }

        /** Waits until heads have done what they were asked for, and returns their failures. */
        List<Exception> await(int count) {
            acquire(done, count);
            List<Exception> failed = new ArrayList<>();
            for (Exception e = failures.poll(); e != null; e = failures.poll()) {
                failed.add(e);
            }
            return failed;
        }

        /** Both heads do something while the application waits. Collective among its ranks. */
        void all(Checkpoints app, Work work, Consumer<List<Exception>> outcome) throws IOException {
            app.communicator().barrier();
            if (app.communicator().rank() == 0) {
                ask(0, work);
                ask(1, work);
                outcome.accept(await(2));
            }
            app.communicator().barrier();
        }

        void all(Checkpoints app, Work work) throws IOException {
            all(app, work, failed -> assertThat(failed).isEmpty());
        }

        void fail(Checkpoints app, Work work, String words) throws IOException {
            all(app, work, failed -> assertThat(failed).hasSize(2).allSatisfy(each -> assertThat(each.getMessage())
                    .contains(words)));
        }
    }

    private static void acquire(Semaphore semaphore, int permits) {
        try {
            assertThat(semaphore.tryAcquire(permits, 30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private RunFixture configure(String ioMode, String... more) throws IOException {
        String all = "head=1, node_size=3, group_size=2, inline_l2=0, ckpt_io=" + ioMode;
        return new RunFixture(directory, RunFixture.settings(all, RunFixture.settings(more)));
    }

    /** What a rank of the application does with the data that it protects. */
    @FunctionalInterface
    private interface Body {
        void run(Checkpoints checkpoints, int[] values) throws IOException;
    }

    private void run(RunFixture run, Body body) throws IOException {
        run(run, new NioEngine(), body);
    }

    /** @param second storage of the second node's head */
    private void run(RunFixture run, StorageEngine second, Body body) throws IOException {
        ThreadCommunicator.run(
                RANKS,
                comm -> open(
                        Checkpoints.builder(run.config())
                                .communicator(comm)
                                .storage(comm.rank() == 3 ? second : new NioEngine()),
                        body));
    }

    private void open(Checkpoints.Builder builder, Body body) throws IOException {
        try (Checkpoints checkpoints = builder.headCallback(heads).open()) {
            if (!checkpoints.isHead()) {
                int[] values = new int[3000];
                checkpoints.protect(0, values);
                body.run(checkpoints, values);
            }
        }
    }

    private static void take(Checkpoints checkpoints, int[] values, int ckptId, int seed) throws IOException {
        System.arraycopy(data(checkpoints, seed), 0, values, 0, values.length);
        checkpoints.checkpoint(ckptId, Level.L1);
    }

    private static int[] data(Checkpoints checkpoints, int seed) {
        int[] data = new int[3000];
        Communicator comm = checkpoints.communicator();
        Arrays.setAll(data, i -> seed * 1_000_000 + comm.rank() * 10_000 + i);
        return data;
    }

    private static void load(Checkpoints checkpoints, int[] values, long stashId, int ckptId, int seed)
            throws IOException {
        Arrays.fill(values, 0);
        assertThat(checkpoints.stash().load(stashId)).isEqualTo(ckptId);
        assertThat(values).isEqualTo(data(checkpoints, seed));
    }

    private static Work put(int ckptId, long stashId) {
        return head -> head.stash().put(ckptId, stashId);
    }

    /** The files below a directory of a name, by node and name. */
    private Map<String, byte[]> filesOf(String name) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        for (Path file : find(name + "/")) {
            Path node = directory.relativize(file).getName(1);
            files.put(node + "/" + file.getFileName(), Files.readAllBytes(file));
        }
        return files;
    }

    /** The files with a part of a path. */
    private List<Path> find(String part) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.toString().contains("/" + part))
                    .toList();
        } catch (UncheckedIOException vanished) {
            return List.of();
        }
    }

    /** Node of a head in the first place, and ranks that are dealt out in turn. */
    @ParameterizedTest
    @CsvSource({"1, AAABBB", "2, AAABBB", "3, AAABBB", "4, AAABBB", "5, AAABBB", "1, ABABAB", "3, ABABAB"})
    void theApplicationLoadsWhatHeadsHavePutAside(String ioMode, String hosts) throws IOException {
        RunFixture run = configure(ioMode, "advanced.local_test=0");
        List<String> ofRank = Stream.of(hosts.split("")).toList();
        ThreadCommunicator.run(
                RANKS,
                comm -> open(run.on(ofRank, comm), (checkpoints, values) -> {
                    take(checkpoints, values, 1, 1);
                    heads.all(checkpoints, put(1, 7));
                    checkpoints.stash().put(1, 6);
                    if (checkpoints.communicator().rank() == 0) {
                        Map<String, byte[]> byHeads = filesOf("stash/7");
                        Map<String, byte[]> byApplication = filesOf("stash/6");
                        assertThat(byHeads.keySet()).isEqualTo(byApplication.keySet());
                        assertThat(byHeads).hasSizeGreaterThanOrEqualTo(4);
                        byHeads.forEach(
                                (name, bytes) -> assertThat(bytes).as(name).isEqualTo(byApplication.get(name)));
                    }
                    take(checkpoints, values, 2, 2);
                    load(checkpoints, values, 7, 1, 1);
                    heads.fail(
                            checkpoints, put(1, 8), "this rank has no file of it; the application may have replaced");
                    heads.all(checkpoints, put(2, 7));
                    load(checkpoints, values, 7, 2, 2);
                    load(checkpoints, values, 6, 1, 1);
                }));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void headsPushPullAndDrop(String ioMode) throws IOException {
        run(configure(ioMode), (checkpoints, values) -> {
            take(checkpoints, values, 1, 1);
            heads.all(checkpoints, put(1, 7));
            heads.all(checkpoints, head -> head.stash().push(7));
            heads.all(checkpoints, head -> head.stash().push(7));
            checkpoints.stash().push(7);
            heads.all(checkpoints, head -> head.stash().drop(7, Stash.Layer.LOCAL));
            assertThatThrownBy(() -> checkpoints.stash().load(7)).hasMessageContaining("stash 7");
            take(checkpoints, values, 2, 2);
            heads.all(checkpoints, head -> head.stash().pull(7));
            load(checkpoints, values, 7, 1, 1);
            heads.all(checkpoints, put(2, 7));
            heads.fail(checkpoints, head -> head.stash().push(7), "another stash has this id");
            heads.all(checkpoints, head -> head.stash().drop(7, Stash.Layer.GLOBAL));
            assertThat(find("Global/stash/")).isEmpty();
            load(checkpoints, values, 7, 2, 2);
            heads.fail(checkpoints, head -> head.stash().load(7), "only ranks of the application load stash 7");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "1, OPEN, 3",
        "3, OPEN, 5",
        "1, WRITE, 1",
        "3, SYNC, 2",
        "3, CREATE_DIRECTORIES, 1",
        "1, SYNC_DIRECTORY, 1",
        "1, RENAME, 1",
        "3, RENAME, 2"
    })
    void ifOneHeadFailsTheOldOneStaysOnAllNodesAndNoNodeHasTheNewOne(String ioMode, Operation operation, int nth)
            throws IOException {
        FaultyEngine engine = new FaultyEngine(new NioEngine());
        run(configure(ioMode), engine, (checkpoints, values) -> {
            take(checkpoints, values, 1, 1);
            heads.all(checkpoints, put(1, 7));
            take(checkpoints, values, 1, 2);
            heads.all(
                    checkpoints,
                    head -> {
                        if (((FtiCheckpoints) head).node() == 1) {
                            engine.fail(operation, nth, "EIO");
                        }
                        try {
                            put(1, 7).on(head);
                        } finally {
                            engine.heal();
                        }
                    },
                    failed -> assertThat(failed).hasSize(2).allSatisfy(each -> assertThat(each.getMessage())
                            .contains("EIO")));
            assertThat(find("stash/7.drumlin")).isEmpty();
            load(checkpoints, values, 7, 1, 1);
            heads.fail(
                    checkpoints,
                    head -> {
                        if (((FtiCheckpoints) head).node() == 1) {
                            engine.fail(Operation.RENAME, 1, "EIO");
                        }
                        put(1, 8).on(head);
                    },
                    "EIO");
            assertThat(find("stash/8")).isEmpty();
            heads.all(checkpoints, put(1, 7));
            load(checkpoints, values, 7, 1, 2);
        });
    }

    /** With the same id the next checkpoint has files of the same names. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "3, 1", "3, 2", "5, 1"})
    void aCheckpointThatTheApplicationTakesMeanwhileIsNotMixedIn(String ioMode, int nextId) throws IOException {
        Semaphore copying = new Semaphore(0);
        Semaphore taken = new Semaphore(0);
        StorageEngine second = new RefusingEngine(new NioEngine(), Trouble.EIO, path -> {
            if (path.toString().contains("/stash/7.drumlin-part-heads/Ckpt1-Rank4")) {
                awaitFile("stash/7.drumlin-part-heads/Ckpt1-Rank2");
                copying.release();
                acquire(taken, 1);
            }
            return false;
        });
        run(configure(ioMode), second, (checkpoints, values) -> {
            take(checkpoints, values, 1, 1);
            checkpoints.stash().put(1, 7);
            boolean first = checkpoints.communicator().rank() == 0;
            if (first) {
                heads.ask(0, put(1, 7));
                heads.ask(1, put(1, 7));
                acquire(copying, 1);
            }
            checkpoints.communicator().barrier();
            take(checkpoints, values, nextId, 2);
            if (first) {
                taken.release();
                assertThat(heads.await(2)).hasSize(2);
            }
            checkpoints.communicator().barrier();
            assertThat(find("stash/7.drumlin")).isEmpty();
            load(checkpoints, values, 7, 1, 1);
        });
    }

    private void awaitFile(String part) {
        try {
            while (find(part).isEmpty()) {
                Thread.sleep(1);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Nodes that have files of different checkpoints with one id, in whatever way they came there. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void aMixedStashIsNotLoaded(String ioMode) throws IOException {
        run(configure(ioMode), (checkpoints, values) -> {
            take(checkpoints, values, 1, 1);
            heads.all(checkpoints, put(1, 7));
            take(checkpoints, values, 1, 2);
            heads.all(checkpoints, put(1, 8));
            if (checkpoints.communicator().rank() == 0) {
                for (Path file : find("node1/" + checkpoints.execId() + "/stash/8/")) {
                    Path mixed = file.getParent().resolveSibling("7").resolve(file.getFileName());
                    assertThat(mixed).exists();
                    Files.copy(file, mixed, StandardCopyOption.REPLACE_EXISTING);
                }
            }
            checkpoints.communicator().barrier();
            Arrays.fill(values, 4);
            assertThatThrownBy(() -> checkpoints.stash().load(7)).isInstanceOf(IOException.class);
            assertThat(values).containsOnly(4);
            heads.all(checkpoints, head -> head.stash().push(8));
            heads.all(checkpoints, head -> head.stash().push(7), failed -> assertThat(failed)
                    .hasSize(2));
            load(checkpoints, values, 8, 1, 2);
        });
    }

    @Test
    void headsAndTheApplicationDoNotMakeOneTogether() throws IOException {
        run(configure("1"), (checkpoints, values) -> {
            take(checkpoints, values, 1, 1);
            heads.all(checkpoints, put(1, 7));
            boolean first = checkpoints.communicator().rank() == 0;
            Path stashes = first ? find("stash/7/").get(0).getParent().getParent() : directory;
            if (first) {
                Files.createDirectory(stashes.resolve("7.drumlin-part"));
            }
            heads.fail(checkpoints, put(1, 7), "the application is making a stash with this id");
            if (first) {
                assertThat(stashes.resolve("7.drumlin-part")).exists();
                assertThat(stashes.resolve("7.drumlin-part-heads")).doesNotExist();
                Files.move(stashes.resolve("7.drumlin-part"), stashes.resolve("7.drumlin-part-heads"));
            }
            checkpoints.communicator().barrier();
            assertThatThrownBy(() -> checkpoints.stash().put(1, 7))
                    .hasMessageContaining("heads are making a stash with this id");
            load(checkpoints, values, 7, 1, 1);
            checkpoints.stash().drop(7, Stash.Layer.LOCAL);
            checkpoints.stash().put(1, 7);
            load(checkpoints, values, 7, 1, 1);
        });
    }

    /** A head that waits for the other one works on checkpoints meanwhile. */
    @Test
    void checkpointsDoNotWaitUntilAllHeadsCall() throws IOException {
        run(configure("3"), (checkpoints, values) -> {
            boolean first = checkpoints.communicator().rank() == 0;
            Semaphore called = new Semaphore(0);
            take(checkpoints, values, 1, 1);
            if (first) {
                heads.ask(1, head -> {
                    called.release();
                    put(1, 7).on(head);
                });
                acquire(called, 1);
            }
            checkpoints.communicator().barrier();
            checkpoints.checkpoint(2, Level.L2);
            checkpoints.await();
            assertThat(checkpoints.lastLevel()).contains(Level.L2);
            take(checkpoints, values, 3, 3);
            if (first) {
                heads.ask(0, put(3, 7));
                assertThat(heads.await(2)).hasSize(2).anySatisfy(each -> assertThat(each)
                        .hasMessageContaining("the first head calls another one"));
                heads.ask(0, put(3, 7));
                heads.ask(1, put(3, 7));
                assertThat(heads.await(2)).isEmpty();
            }
            checkpoints.communicator().barrier();
            load(checkpoints, values, 7, 3, 3);
        });
    }

    @Test
    void aHeadThatCallsAloneIsToldWhenTheOthersHaveEnded() throws IOException {
        run(configure("3"), (checkpoints, values) -> {
            Semaphore called = new Semaphore(0);
            take(checkpoints, values, 1, 1);
            if (checkpoints.communicator().rank() == 0) {
                heads.ask(1, head -> {
                    called.release();
                    put(1, 7).on(head);
                });
                acquire(called, 1);
                // Whether or not the application has left when the head asks for it.
                heads.ask(1, put(1, 8));
            }
            checkpoints.communicator().barrier();
        });
        assertThat(heads.await(2)).hasSize(2).allSatisfy(each -> assertThat(each)
                .hasMessageContaining("another head has ended without calling it"));
    }

    @Test
    void afterTheRunThereAreNone() throws IOException {
        RunFixture run = configure("3");
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm)) {
                if (checkpoints.isHead()) {
                    assertThatThrownBy(() -> checkpoints.stash().put(1, 7))
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("the run has ended");
                }
            }
        });
    }
}
