package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class Heat2DTest {

    private static final int RANKS = 4;

    @TempDir
    Path folder;

    private static String[] arguments(RunFolder run, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--config",
                run.config().toString(),
                "--size",
                "48",
                "--iterations",
                "100",
                "--every",
                "10",
                "--field",
                run.path().resolve("field.f64").toString(),
                "--picture",
                run.path().resolve("field.png").toString(),
                "--no-progress"));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private static int run(RunFolder run, String... more) {
        return Heat2D.execute(arguments(run, more));
    }

    /** A communicator whose rank 2 fails in its {@code sends}-th send. */
    private static Communicator failing(Communicator comm, int sends) {
        int[] sent = {0};
        return (Communicator) Proxy.newProxyInstance(
                Heat2DTest.class.getClassLoader(), new Class<?>[] {Communicator.class}, (proxy, method, arguments) -> {
                    if (comm.rank() == 2 && method.getName().equals("startSend") && ++sent[0] == sends) {
                        throw new IOException("the plug was pulled");
                    }
                    try {
                        return method.invoke(comm, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void runUntilItFails(RunFolder run, int iteration, String... more) {
        runUntilItFails(run, RANKS, iteration, more);
    }

    private static void runUntilItFails(RunFolder run, int ranks, int iteration, String... more) {
        Heat2D heat = new Heat2D();
        new CommandLine(heat).parseArgs(arguments(run, more));
        assertThatThrownBy(() -> ThreadCommunicator.run(ranks, comm -> heat.simulate(failing(comm, 2 * iteration))))
                .hasStackTraceContaining("the plug was pulled");
    }

    @ParameterizedTest
    @CsvSource({"5, 1", "10, 1", "11, 1", "37, 1", "45, 4", "99, 4"})
    void aRunThatFailedAndCameBackIsBitIdentical(int iteration, int level) throws IOException {
        RunFolder undisturbed = RunFolder.create(folder.resolve("undisturbed"), 2, false);
        RunFolder failed = RunFolder.create(folder.resolve("failed"), 2, false);

        assertThat(run(undisturbed, "--level", "1", "--threads", "4")).isZero();
        runUntilItFails(failed, iteration, "--level", Integer.toString(level));
        assertThat(failed.failure()).isEqualTo(iteration > 10 ? 1 : 0);
        assertThat(run(failed, "--level", Integer.toString(level), "--threads", "4"))
                .isZero();

        assertThat(failed.field()).isEqualTo(undisturbed.field());
        assertThat(failed.failure()).isZero();
    }

    @Test
    void aRunThatFailsTwiceIsBitIdentical() throws IOException {
        RunFolder undisturbed = RunFolder.create(folder.resolve("undisturbed"), 1, false);
        RunFolder failed = RunFolder.create(folder.resolve("failed"), 1, false);

        assertThat(run(undisturbed, "--threads", "4")).isZero();
        runUntilItFails(failed, 55);
        runUntilItFails(failed, 25);
        assertThat(run(failed, "--threads", "4")).isZero();

        assertThat(failed.field()).isEqualTo(undisturbed.field());
    }

    /** 48 rows are no multiple of 5 or 7; 3 ranks fail before they have a checkpoint of their own. */
    @Test
    void goesOnWithOtherNumbersOfRanks() throws IOException {
        RunFolder undisturbed = RunFolder.create(folder.resolve("undisturbed"), 1, false);
        RunFolder failed = RunFolder.create(folder.resolve("failed"), 1, false);

        assertThat(run(undisturbed, "--threads", "4")).isZero();
        runUntilItFails(failed, 4, 55);
        runUntilItFails(failed, 3, 5);
        runUntilItFails(failed, 7, 45);
        assertThat(run(failed, "--threads", "5")).isZero();

        assertThat(failed.field()).isEqualTo(undisturbed.field());
    }

    @Test
    void leavesAPictureTheFieldAndProcessIds() throws IOException {
        RunFolder run = RunFolder.create(folder, 1, false);
        assertThat(run(run, "--threads", "3", "--pids", folder.toString())).isZero();
        assertThat(ImageIO.read(folder.resolve("field.png").toFile()).getWidth())
                .isEqualTo(48);
        assertThat(run.field()).hasSize(48 * 48 * Double.BYTES);
        for (int rank = 0; rank < 3; rank++) {
            assertThat(folder.resolve("rank-" + rank + ".pid"))
                    .hasContent(Long.toString(ProcessHandle.current().pid()));
        }
    }

    @Test
    void withoutCheckpointsTheResultIsTheSameAndNothingIsLeft() throws IOException {
        RunFolder with = RunFolder.create(folder.resolve("with"), 2, false);
        RunFolder without = RunFolder.create(folder.resolve("without"), 2, false);
        String before = Files.readString(without.config());
        assertThat(run(with, "--threads", "2")).isZero();
        assertThat(run(without, "--threads", "2", "--no-checkpoints")).isZero();
        assertThat(without.field()).isEqualTo(with.field());
        assertThat(without.config()).hasContent(before);
    }

    @Test
    void wrongOptionsAreRefused() throws IOException {
        RunFolder run = RunFolder.create(folder, 1, false);
        assertThat(run(run, "--every", "0")).isEqualTo(2);
        assertThat(Heat2D.execute()).isEqualTo(2);
    }

    @Test
    void failsWithoutAConfiguration() throws IOException {
        Path missing = folder.resolve("nowhere.fti");
        assertThat(Heat2D.execute("--config", missing.toString(), "--threads", "2", "--no-progress"))
                .isEqualTo(1);
        assertThat(Files.exists(missing)).isFalse();
    }

    /** mpirun takes the first argument of a Java program that contains these letters for the class path option. */
    @Test
    void noOptionContainsTheLettersThatMpirunLooksFor() {
        assertThat(new CommandLine(new Heat2D()).getCommandSpec().optionsMap().keySet())
                .noneMatch(name -> name.contains("cp"));
    }
}
