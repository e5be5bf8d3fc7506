package io.drumlin.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.fti.Crash;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Starts {@link Programs} on the ranks of a run. */
public interface Launcher {

    /**
     * Runs a program on all ranks to its end; fails the test when it hangs or a rank finds something wrong.
     *
     * @param ranks with heads
     * @param config the run's configuration file
     * @param program name of a program and its arguments
     * @return what all ranks printed
     */
    String start(int ranks, Path config, String... program) throws Exception;

    /** Threads of this process. What other threads print meanwhile is taken for output of the ranks. */
    Launcher THREADS = (ranks, config, program) -> {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(printed, true, StandardCharsets.UTF_8);
        System.setOut(stream);
        System.setErr(stream);
        try {
            FutureTask<Void> job = new FutureTask<>(() -> {
                ThreadCommunicator.run(ranks, comm -> {
                    Programs.run(config, comm, List.of(program));
                    Crash.now();
                });
                return null;
            });
            Thread thread = new Thread(job, "job");
            thread.setDaemon(true);
            thread.start();
            job.get(2, TimeUnit.MINUTES);
            return printed.toString(StandardCharsets.UTF_8);
        } catch (TimeoutException e) {
            throw new AssertionError("the ranks hang; they printed:\n" + printed.toString(StandardCharsets.UTF_8), e);
        } catch (ExecutionException e) {
            throw new AssertionError("the ranks printed:\n" + printed.toString(StandardCharsets.UTF_8), e.getCause());
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    };

    /** Processes under mpirun. */
    Launcher MPIRUN = (ranks, config, program) -> {
        List<String> arguments = new ArrayList<>(List.of(config.toString()));
        arguments.addAll(List.of(program));
        Mpirun.Outcome outcome = Mpirun.ranks(ranks)
                .jvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                .run(Programs.class, arguments.toArray(String[]::new));
        assertThat(outcome.exitStatus())
                .as("exit status; output:%n%s", outcome.output())
                .isZero();
        return outcome.output();
    };
}
