package io.drumlin.checkpoint.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Mpirun;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two jobs that are started with one configuration. */
// It waits for seconds, so one run has it.
@Tag("exhaustive")
class LeaseTest {

    private static final Duration SHORT = Duration.ofMillis(400);

    @TempDir
    Path directory;

    private static LeaseHolder here(Map<String, String> environment) throws IOException {
        return LeaseHolder.here(environment::get);
    }

    /** A process that may be alive. */
    private static LeaseHolder of(Process process) throws IOException {
        LeaseHolder here = here(Map.of());
        return new LeaseHolder(
                "other", here.host(), here.machine(), process.pid(), LeaseHolder.startOf(process.pid()), "");
    }

    private static LeaseHolder elsewhere(String job) {
        return new LeaseHolder("other", "n7", "n7 boot pid:[1]", 17, "4711", job);
    }

    /** The text of a lease that is taken over at once, because its process was told to end. */
    private static String told(LeaseHolder other) {
        return other.toText().replaceAll("renewed = .*\\n", "renewed = " + LeaseHolder.TOLD);
    }

    private static Process sleeping() throws IOException {
        return new ProcessBuilder("sleep", "600").start();
    }

    private Path lease(LeaseHolder other) throws IOException {
        return Files.writeString(directory.resolve("drumlin-lease"), other.toText());
    }

    @Test
    void aSecondJobIsRefusedWhileTheFirstRuns() throws IOException, InterruptedException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(2, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {7});
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.checkpoint(2, Level.L4);
            checkpoints.checkpoint(3, Level.L1);
        });
        Path meta = directory.resolve("Meta").resolve(run.restartValue("exec_id"));
        assertThat(meta.resolve("drumlin-lease")).doesNotExist();
        Process first = sleeping();
        try {
            Files.writeString(meta.resolve("drumlin-lease"), of(first).toText());
            String config = Files.readString(run.config());
            var files = run.files();
            assertThatThrownBy(() -> run.run(2, (checkpoints, comm) -> {}))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("another job is running with this run's directories: process " + first.pid())
                    .hasMessageContaining("give each job a configuration file of its own")
                    .hasMessageContaining("if there is no such job, delete this file");
            assertThat(run.files()).isEqualTo(files);
            assertThat(Files.readString(run.config())).isEqualTo(config);
        } finally {
            first.destroyForcibly().waitFor();
        }
        run.run(2, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(7);
            assertThat(meta.resolve("drumlin-lease")).exists();
            checkpoints.complete();
        });
        assertThat(meta).doesNotExist();
    }

    /** What the second start read before it waited is no longer so. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "2"})
    void aRunThatWasCompletedWhileAStartWaitedIsNotRepeated(String failure) throws Exception {
        RunFixture run = new RunFixture(directory, Map.of("basic.keep_l4_ckpt", "1"));
        run.run(2, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {7});
            checkpoints.checkpoint(1, Level.L4);
            checkpoints.checkpoint(2, Level.L4);
        });
        Path lease = Files.writeString(leaseOf(run), elsewhere("").toText());
        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> {
            try {
                run.run(2, (checkpoints, comm) -> {});
            } catch (IOException refused) {
                throw new UncheckedIOException(refused);
            }
        });
        while (!second.isDone() && !waits(lease)) {
            Thread.onSpinWait();
        }
        run.setRestart(failure, run.restartValue("exec_id"));
        Files.delete(lease);
        assertThatThrownBy(second::join)
                .hasRootCauseInstanceOf(DrumlinException.class)
                .rootCause()
                .hasMessageContaining("it says failure = " + failure + " now");
        assertThat(lease).doesNotExist();
        assertThat(run.restartValue("failure")).isEqualTo(failure);
    }

    /** A start makes its own lease beside the one that it waits for. */
    private static boolean waits(Path lease) throws IOException {
        try (var entries = Files.list(lease.getParent())) {
            return entries.anyMatch(each -> each.getFileName().toString().startsWith(lease.getFileName() + "."));
        }
    }

    @Test
    void whoHasLostTheLeaseChangesNothing() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.head", "1", "basic.node_size", "3"));
        run.run(3, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {7});
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.await();
            Path lease = run.file("Topology.fti").resolveSibling("drumlin-lease");
            assertThat(lease).exists();
            checkpoints.communicator().barrier();
            Path tmp = directory.resolve("Local/node0/" + checkpoints.execId() + "/tmp");
            Files.createDirectories(tmp);
            Files.writeString(tmp.resolve("of the other job"), "");
            Files.writeString(lease, elsewhere("").toText());
            checkpoints.communicator().barrier();
            var files = run.files();
            for (Level level : new Level[] {Level.L1, Level.L4}) {
                assertThatThrownBy(() -> checkpoints.checkpoint(2, level))
                        .hasMessageContaining("another job has taken");
            }
            assertThatThrownBy(checkpoints::complete).hasMessageContaining("another job has taken");
            assertThat(run.files()).isEqualTo(files);
            checkpoints.communicator().barrier();
        });
        assertThat(run.file("of the other job")).exists();
        assertThat(Files.readString(leaseOf(run))).contains("n7");
    }

    /** The rank that has the lease is the first in the order of nodes, and no head: not that with the number 0. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "n1 n2 n2 n1 n1 n2; n1 n2 n2 n1 n1 n2; 1; false",
                "n1 n1 n1 n2 n2 n2; n2 n2 n2 n1 n1 n1; 1; false",
                "n1 n1 n2 n2; n2 n1 n1 n2; 0; false",
                "n1 n1 n2 n2; n2 n2 n1 n1; 0; true",
                "n1 n2 n2 n1 n1 n2; n2 n1 n1 n2 n2 n1; 1; true",
            })
    void theHolderNeedsNotBeTheFirstRank(String before, String now, int heads, boolean orderOfNodes)
            throws IOException {
        RunFixture run =
                new RunFixture(directory, "advanced.local_test=0, head=" + heads + ", node_size=" + (2 + heads));
        RunFixture.Opening opening = builder -> (orderOfNodes ? builder.orderOfNodes() : builder).open();
        run.runOn(List.of(before.split(" ", -1)), opening, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {7});
            checkpoints.checkpoint(1, Level.L4);
        });
        Path file = leaseOf(run);
        assertThat(file).doesNotExist();
        List<String> hosts = List.of(now.split(" ", -1));
        run.runOn(hosts, opening, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(7);
            checkpoints.checkpoint(2, Level.L1);
            checkpoints.communicator().barrier();
            Files.writeString(file, elsewhere("").toText());
            checkpoints.communicator().barrier();
            assertThatThrownBy(() -> checkpoints.checkpoint(3, Level.L1)).hasMessageContaining("another job has taken");
            assertThatThrownBy(checkpoints::complete).hasMessageContaining("another job has taken");
            assertThat(run.restartValue("failure")).isEqualTo("1");
            checkpoints.communicator().barrier();
        });
        assertThat(Files.readString(file)).contains("n7");
        Files.writeString(file, told(elsewhere("")));
        run.runOn(hosts, opening, (checkpoints, comm) -> {
            assertThat(checkpoints.lastCheckpoint()).contains(2);
            assertThat(Files.readString(file)).doesNotContain("n7");
            checkpoints.complete();
        });
        assertThat(file).doesNotExist();
    }

    /** So late that only the first rank of the run notices, before it says that the next start is a restart. */
    @ParameterizedTest
    @CsvSource({"n1 n2 n2 n1 n1 n2, 1", "n1 n2 n2 n1, 0", "n1 n1 n2 n2, 0"})
    void aLeaseThatIsLostWithinTheFirstCheckpoint(String hosts, int heads) throws IOException {
        RunFixture run =
                new RunFixture(directory, "advanced.local_test=0, head=" + heads + ", node_size=" + (2 + heads));
        AtomicBoolean opened = new AtomicBoolean();
        StorageEngine storage = before("syncDirectory", path -> {
            if (opened.get()) {
                Files.writeString(leaseOf(run), elsewhere("").toText());
            }
        });
        run.runOn(
                List.of(hosts.split(" ", -1)),
                builder -> builder.storage(storage).open(),
                (checkpoints, comm) -> {
                    checkpoints.protect(0, new int[] {7});
                    checkpoints.communicator().barrier();
                    opened.set(true);
                    assertThatThrownBy(() -> checkpoints.checkpoint(1, Level.L1))
                            .hasMessageContaining("another job has taken");
                    assertThat(run.restartValue("failure")).isEqualTo("0");
                    checkpoints.communicator().barrier();
                });
        assertThat(Files.readString(leaseOf(run))).contains("n7");
    }

    /** Until nothing of this job changes the run's directories any more. */
    @Test
    void theLeaseOutlivesTheLastDeletion() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        AtomicBoolean opened = new AtomicBoolean();
        List<Path> late = new ArrayList<>();
        StorageEngine storage = before("delete", path -> {
            if (opened.get() && path.toString().contains("drumlin-replaced-")) {
                LockSupport.parkNanos(Duration.ofMillis(30).toNanos());
                if (Files.notExists(leaseOf(run))) {
                    late.add(path);
                }
            }
        });
        try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                .communicator(new SingleCommunicator())
                .storage(storage)
                .open()) {
            opened.set(true);
            checkpoints.protect(0, new int[] {7});
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.checkpoint(2, Level.L1);
        }
        assertThat(late).isEmpty();
        assertThat(leaseOf(run)).doesNotExist();
    }

    /** What happens before a call of an engine. */
    @FunctionalInterface
    private interface Event {
        void at(Path path) throws IOException;
    }

    private static StorageEngine before(String call, Event event) {
        StorageEngine real = new NioEngine();
        return (StorageEngine) Proxy.newProxyInstance(
                LeaseTest.class.getClassLoader(), new Class<?>[] {StorageEngine.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(call)) {
                        event.at((Path) arguments[0]);
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Path leaseOf(RunFixture run) throws IOException {
        return directory.resolve("Meta").resolve(run.restartValue("exec_id")).resolve("drumlin-lease");
    }

    /** As a kill leaves it. */
    @Test
    void aProcessOfThisHostThatHasEndedIsSucceededAtOnce() throws IOException, InterruptedException {
        Process first = sleeping();
        LeaseHolder other = of(first);
        first.destroyForcibly().waitFor();
        take(lease(other), Map.of(), Duration.ofDays(1));
    }

    @Test
    void anotherProcessWithTheSameNumberIsNotTheOne() throws IOException {
        Process first = sleeping();
        try {
            LeaseHolder now = of(first);
            LeaseHolder other = new LeaseHolder("other", now.host(), now.machine(), now.pid(), now.start() + "1", "");
            take(lease(other), Map.of(), Duration.ofDays(1));
        } finally {
            first.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SLURM_JOB_ID=5, SLURM_JOB_ID, 5, true",
        "SLURM_JOB_ID=5, SLURM_JOB_ID, 6, false",
        "SLURM_JOB_ID=5, PBS_JOBID, 5, false",
        "PBS_JOBID=5.server, PBS_JOBID, 5.server, true",
    })
    void aRequeuedJobSucceedsItselfAtOnce(String before, String variable, String value, boolean atOnce)
            throws Exception {
        Path file = lease(elsewhere(before));
        Map<String, String> environment = Map.of(variable, value);
        if (atOnce) {
            take(file, environment, Duration.ofDays(1));
        } else {
            assertThatThrownBy(() -> takeWhileRenewed(file, environment)).hasMessageContaining("host n7");
        }
    }

    /** Somebody touches all files, lest they be purged. */
    @Test
    void aLeaseOfAnotherHostThatIsNotRenewedIsTakenOver() throws Exception {
        Path file = lease(elsewhere(""));
        during(
                beat -> Files.setLastModifiedTime(
                        file, FileTime.from(Instant.now().minusSeconds(beat % 7))),
                () -> take(file, Map.of(), SHORT));
    }

    /** The file server's clock is wrong, or a copy has brought old times back. */
    @Test
    void aLeaseThatIsRenewedIsNotTakenOverForItsOldTime() throws Exception {
        Path file = lease(elsewhere(""));
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(7))));
        assertThatThrownBy(() -> takeWhileRenewed(file, Map.of())).hasMessageContaining("host n7");
    }

    @Test
    void aDamagedLeaseIsTakenOverWhenItIsNotRenewed() throws IOException {
        Path file = Files.writeString(directory.resolve("drumlin-lease"), "[lea");
        take(file, Map.of(), SHORT);
    }

    /** As a kill or a power loss has left it where it was made first and written later. */
    @Test
    void anEmptyLeaseIsTakenOverSoon() throws IOException {
        take(Files.createFile(directory.resolve("drumlin-lease")), Map.of(), Duration.ofDays(1));
    }

    @Test
    void aLeaseIsThereWithItsWordsOrNotAtAll() throws IOException, InterruptedException {
        Path file = directory.resolve("drumlin-lease");
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .faults("write path=/drumlin-lease nth=1 kill=9")
                .run(Taker.class, file.toString());
        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(137);
        assertThat(file).doesNotExist();
    }

    /** A program that tries again after an error that has passed is not its own rival. */
    @Test
    void aRunThatCouldNotBeOpenedCanBeOpenedLater() throws IOException, InterruptedException {
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .jvmOptions("-Ddrumlin.storage=nio")
                .faults("stat path=/drumlin-groups-only nth=1 error=EIO")
                .run(TryAgain.class, directory.toString());
        assertThat(outcome.output()).contains("first: EIO", "then: restart");
    }

    /** Opens a run twice. */
    static final class TryAgain {

        private TryAgain() {}

        public static void main(String[] args) throws IOException {
            RunFixture run = new RunFixture(Path.of(args[0]), Map.of());
            run.run(2, (checkpoints, comm) -> {
                checkpoints.protect(0, new int[] {7});
                checkpoints.checkpoint(1, Level.L4);
            });
            try {
                run.run(2, (checkpoints, comm) -> {});
            } catch (IOException e) {
                System.out.println("first: " + (e.getMessage().contains("EIO") ? "EIO" : e));
            }
            run.run(2, (checkpoints, comm) -> {
                if (comm.rank() == 0) {
                    System.out.println("then: " + (checkpoints.isRestart() ? "restart" : "fresh start"));
                }
            });
        }
    }

    /** Both would write to the same directories. */
    @Test
    void aProgramOpensARunOnce() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        try (Checkpoints first = Checkpoints.open(run.config(), new SingleCommunicator())) {
            first.protect(0, new int[] {7});
            first.checkpoint(1, Level.L1);
            assertThatThrownBy(() -> Checkpoints.open(run.config(), new SingleCommunicator()))
                    .hasMessageContaining("this program has opened this run already and has not closed it");
            first.checkpoint(2, Level.L1);
        }
        run.run(1, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .contains(2));
    }

    /** A start afresh deletes what another run has left only if that run is dead and has nothing but its beginnings. */
    @Test
    void aRunThatDiedBeforeItsFirstCheckpointIsDeleted() throws IOException, InterruptedException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        Process process = sleeping();
        Path elsewhere = begun(run, elsewhere(""), "");
        Path written = begun(run, of(process), "l1");
        Path drafted = begun(run, of(process), "tmp/Ckpt1-Rank0.fti");
        Path dead = begun(run, of(process), "");
        Path named = begun(run, of(process), "tmp/Ckpt1-Rank0.fti");
        String config = Files.readString(run.config());
        run.run(1, (checkpoints, comm) -> {});
        assertThat(directory.resolve("Meta").toFile().list()).hasSize(6);
        Files.writeString(run.config(), config);
        process.destroyForcibly().waitFor();
        run.run(1, (checkpoints, comm) -> {});
        for (Path meta : List.of(elsewhere, written, drafted, dead, named)) {
            boolean deleted = meta.equals(dead) || meta.equals(named);
            for (String folder : List.of("Meta", "Global", "Local/node0")) {
                assertThat(Files.exists(directory.resolve(folder).resolve(meta.getFileName())))
                        .as("%s of %s", folder, meta)
                        .isEqualTo(!deleted);
            }
        }
    }

    /** Begins a run for a process, which neither ends it nor takes a checkpoint. */
    private Path begun(RunFixture run, LeaseHolder holder, String more) throws IOException {
        List<Path> metas = new ArrayList<>();
        run.run(1, (checkpoints, comm) -> {
            metas.add(directory.resolve("Meta").resolve(checkpoints.execId()));
            Files.createDirectories(directory.resolve("Local/node0/" + checkpoints.execId() + "/" + more));
        });
        Files.writeString(metas.get(0).resolve("drumlin-lease"), holder.toText());
        return metas.get(0);
    }

    /** The one that computes for hours renews it. */
    @Test
    void aLeaseIsRenewedBetweenCheckpoints() throws IOException {
        Path file = directory.resolve("drumlin-lease");
        LeaseHolder computing = elsewhere("");
        try (Lease held =
                Lease.take(file, computing, Duration.ofMillis(90), SHORT).orElseThrow()) {
            assertThatThrownBy(() -> Lease.take(file, here(Map.of()), Duration.ofMinutes(5), SHORT))
                    .hasMessageContaining("process 17 on host n7");
            held.requireOwn();
        }
        assertThat(file).doesNotExist();
    }

    private void take(Path file, Map<String, String> environment, Duration watch) throws IOException {
        Optional<Lease> lease = Lease.take(file, here(environment), watch, SHORT);
        assertThat(Files.readString(file))
                .doesNotContain("n7")
                .contains(Long.toString(ProcessHandle.current().pid()));
        lease.orElseThrow().close();
        assertThat(file).doesNotExist();
        try (var left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    private static void takeWhileRenewed(Path file, Map<String, String> environment) throws Exception {
        FileTime time = Files.getLastModifiedTime(file);
        during(
                beat -> {
                    try (RandomAccessFile renewed = new RandomAccessFile(file.toFile(), "rw")) {
                        String end = LeaseHolder.renewed(beat);
                        renewed.seek(renewed.length() - end.length());
                        renewed.writeBytes(end);
                    }
                    Files.setLastModifiedTime(file, time);
                },
                () -> Lease.take(file, here(environment), Duration.ofMinutes(5), SHORT));
    }

    /** What another process does again and again. */
    private interface Beat {
        void at(long number) throws IOException;
    }

    /** Does something while another process does the same again and again. */
    private static void during(Beat beat, Agreement.Step step) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        Thread other = new Thread(() -> {
            for (long number = 1; over.getCount() > 0; number++) {
                try {
                    beat.at(number);
                } catch (IOException e) {
                    return;
                }
                Thread.onSpinWait();
            }
        });
        other.start();
        try {
            step.run();
        } finally {
            over.countDown();
            other.join();
        }
    }

    /** Whether another job is running the file system does not tell: that is no proof that none is. */
    @ParameterizedTest
    @CsvSource({"read, EIO", "open, EMFILE", "open, EACCES"})
    void aLeaseThatCannotBeReadIsNobodysToTake(String call, String errno) throws IOException, InterruptedException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        run.run(1, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {7});
            checkpoints.checkpoint(1, Level.L1);
        });
        Files.writeString(leaseOf(run), elsewhere("").toText());
        Path now = directory.resolve("now");
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .faults(call + " path=/drumlin-lease when=" + now + " from=1 error=" + errno)
                .run(Program.class, run.config().toString(), leaseOf(run).toString(), now.toString());
        assertThat(outcome.output())
                .containsPattern("opening failed: .*" + errno + ".*start again")
                .containsPattern("checkpoint failed: .*" + errno + ".*try again")
                .contains("then 3 of 3");
    }

    /** What the other JVM runs. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws IOException {
            Path lease = Path.of(args[1]);
            Path now = Files.createFile(Path.of(args[2]));
            report("opening", () -> open(args[0]).close());
            Files.delete(now);
            Files.delete(lease);
            try (Checkpoints checkpoints = open(args[0])) {
                checkpoints.protect(0, new int[] {7});
                checkpoints.recover();
                checkpoints.checkpoint(2, Level.L1);
                Files.createFile(now);
                report("checkpoint", () -> checkpoints.checkpoint(3, Level.L1));
                Files.delete(now);
                checkpoints.checkpoint(3, Level.L1);
                System.out.println("then 3 of " + checkpoints.lastCheckpoint().orElseThrow());
            }
        }

        private static Checkpoints open(String config) throws IOException {
            return Checkpoints.builder(Path.of(config))
                    .communicator(new SingleCommunicator())
                    .storage(new NioEngine())
                    .open();
        }

        private static void report(String what, Agreement.Step step) {
            try {
                step.run();
                System.out.println(what + " succeeded");
            } catch (IOException e) {
                System.out.println(what + " failed: " + e.getMessage().replace('\n', ' '));
            }
        }
    }

    /** mpirun sends SIGTERM a second before it kills, and the next start is on another host. */
    @Test
    void aJobThatIsToldToEndAndIsKilledIsNotWatched() throws IOException {
        Path file = directory.resolve("drumlin-lease");
        try (Lease killed =
                Lease.take(file, elsewhere(""), Duration.ofMinutes(5), SHORT).orElseThrow()) {
            killed.endsSoon();
            take(file, Map.of(), Duration.ofMinutes(5));
        }
    }

    @Test
    void aJobThatGoesOnAfterItWasToldToEndKeepsItsLease() throws IOException, InterruptedException {
        Path file = directory.resolve("drumlin-lease");
        try (Lease alive =
                Lease.take(file, elsewhere(""), Duration.ofMillis(1500), SHORT).orElseThrow()) {
            alive.endsSoon();
            Thread.sleep(Lease.GRACE.toMillis() + 1000);
            assertThatThrownBy(() -> Lease.take(file, here(Map.of()), Duration.ofMinutes(5), SHORT))
                    .hasMessageContaining("another job is running");
        }
    }

    /** An empty lease would be taken for that of another job, by this start and the next. */
    @ParameterizedTest
    @CsvSource({"false, 0", "true, 1"})
    void aLeaseThatCannotBeWrittenLeavesNothing(boolean takenOver, int left) throws IOException, InterruptedException {
        Path file = directory.resolve("drumlin-lease");
        if (takenOver) {
            Files.writeString(file, told(elsewhere("")));
        }
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .faults("write path=/drumlin-lease nth=1 error=ENOSPC")
                .run(Taker.class, file.toString());
        assertThat(outcome.output()).contains("taken: false", "No space left").doesNotContain("may be another job's");
        try (var files = Files.list(directory)) {
            assertThat(files).hasSize(left);
        }
        if (takenOver) {
            assertThat(file).hasContent(told(elsewhere("")));
        }
    }

    /** What the other JVM runs. */
    static final class Taker {

        private Taker() {}

        public static void main(String[] args) throws IOException {
            Optional<Lease> lease = Lease.take(Path.of(args[0]), here(Map.of()), SHORT, SHORT);
            System.out.println("taken: " + lease.isPresent());
        }
    }

    /** A job that starts afresh has directories of its own. */
    @Test
    void aRunWithoutLeaseIsNotWatched() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "drumlin.lease", "0"));
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            assertThat(run.file("Topology.fti").resolveSibling("drumlin-lease")).doesNotExist();
            assertThat(checkpoints.isRestart()).isFalse();
        }
    }
}
