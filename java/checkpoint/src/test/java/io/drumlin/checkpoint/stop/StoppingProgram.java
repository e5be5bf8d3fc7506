package io.drumlin.checkpoint.stop;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.fti.FTI;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A program that stops when it is told to, and sends itself real signals. Arguments: the configuration file, the number of
 * threads that are ranks or 0 for processes, how it takes checkpoints ({@code snapshot}, {@code own}, {@code fti}), the
 * iteration in which something happens, and what: {@code USR1} or another signal for the process of rank 1, {@code
 * all:USR1} for all processes that its launcher started, {@code halt}, {@code nothing}. It has at most 1000 iterations of
 * 2 ms, and does not dawdle after a restart.
 */
public final class StoppingProgram {

    private static final int ITERATIONS = 1000;

    private final String[] args;
    private volatile boolean stopped;
    private volatile boolean restarted;

    private StoppingProgram(String[] args) {
        this.args = args;
    }

    public static void main(String[] args) throws Exception {
        StoppingProgram program = new StoppingProgram(args);
        if (args[2].equals("handler")) {
            HandlerOfTheProgram.install();
        }
        int threads = Integer.parseInt(args[1]);
        if (threads > 0) {
            ThreadCommunicator.run(threads, program::rank);
        } else {
            Communicators.run(program::rank);
        }
        System.exit(program.stopped ? Checkpoints.COME_AGAIN : 0);
    }

    private void rank(Communicator world) throws IOException {
        if (args[2].equals("fti")) {
            fti(world);
        } else {
            java(world);
        }
    }

    private void java(Communicator world) throws IOException {
        Scalar.OfInt iteration = new Scalar.OfInt(0);
        try (Checkpoints checkpoints = Checkpoints.open(Path.of(args[0]), world)) {
            if (checkpoints.isHead()) {
                return;
            }
            checkpoints.protect(0, iteration);
            boolean snapshots = args[2].equals("snapshot");
            if (checkpoints.isRestart()) {
                checkpoints.recover();
                restarted = true;
                say(world, "rank " + world.rank() + " restarts after " + iteration.value);
            }
            while (iteration.value < ITERATIONS && !checkpoints.shouldStop()) {
                step(world, iteration.value++);
                if (snapshots) {
                    checkpoints.snapshot();
                }
            }
            if (iteration.value == ITERATIONS) {
                checkpoints.complete();
                say(world, "rank " + world.rank() + " is done");
                return;
            }
            stopped = true;
            if (!snapshots) {
                checkpoints.checkpoint(iteration.value, Level.L4);
                checkpoints.await();
            }
            say(
                    world,
                    "rank " + world.rank() + " stops after " + iteration.value + ", "
                            + checkpoints.lastLevel().orElseThrow());
        }
    }

    private void fti(Communicator world) throws IOException {
        int[] iteration = new int[1];
        FTI.FTI_Init(args[0], world);
        FTI.FTI_Protect(0, iteration, 1, FTI.FTI_INTG);
        while (iteration[0] < ITERATIONS) {
            int status = FTI.FTI_Status();
            FTI.FTI_Snapshot();
            if (status != 0) {
                restarted = true;
                say(world, "rank " + world.rank() + " restarts after " + iteration[0]);
            }
            step(world, iteration[0]++);
        }
        FTI.FTI_Finalize();
        say(world, "rank " + world.rank() + " is done");
    }

    private static synchronized void say(Communicator world, String text) {
        System.out.println(text);
        System.out.flush();
    }

    private void step(Communicator world, int iteration) throws IOException {
        try {
            if (iteration == Integer.parseInt(args[3]) && world.rank() == 1) {
                happen(args[4]);
            }
            if (!restarted) {
                Thread.sleep(2);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private void happen(String what) throws IOException, InterruptedException {
        if (what.equals("halt")) {
            Files.createFile(Path.of(args[0] + ".halt"));
        } else if (what.startsWith("all:")) {
            ProcessHandle launcher = ProcessHandle.current().parent().orElseThrow();
            for (ProcessHandle process : launcher.children().toList()) {
                send(what.substring("all:".length()), process);
            }
        } else if (!what.equals("nothing")) {
            send(what, ProcessHandle.current());
        }
    }

    private static void send(String signal, ProcessHandle process) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
    }

    /** As a program might do, but without a warning of javac. */
    private static final class HandlerOfTheProgram {

        private static void install() throws ReflectiveOperationException {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object own = java.lang.reflect.Proxy.newProxyInstance(
                    StoppingProgram.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        System.out.println("the program itself got " + arguments[0]);
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("USR1"), own);
        }
    }
}
