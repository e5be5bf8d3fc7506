package io.drumlin.examples;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.ThreadCommunicator;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Heat that spreads in a square plate: the usual test of checkpoint libraries. Each rank has a block of rows of the
 * plate. The ranks exchange their edge rows every iteration and take a checkpoint at regular intervals. If the job is
 * started again with the same command after a failure, it continues from the last checkpoint, and its result is the
 * same, bit for bit. It may also restart on another number of ranks, which continue from the last checkpoint of level
 * 4.
 */
@Command(name = "Heat2D", sortOptions = false, description = "Heat that spreads in a square plate, with checkpoints.")
public final class Heat2D implements Callable<Integer> {

    private static final int ITERATION = 0;
    private static final int GRID = 1;

    /** Made by {@link #main} and by tests; picocli fills in the options. */
    Heat2D() {}

    @Option(names = "--config", required = true, paramLabel = "FILE", description = "FTI configuration file")
    private Path config = Path.of("");

    @Option(names = "--size", paramLabel = "N", description = "cells along an edge (default: ${DEFAULT-VALUE})")
    private int size = 768;

    @Option(names = "--iterations", paramLabel = "N", description = "iterations in all (default: ${DEFAULT-VALUE})")
    private int iterations = 6000;

    @Option(
            names = "--every",
            paramLabel = "N",
            description = "iterations from one checkpoint to the next (default: ${DEFAULT-VALUE})")
    private int every = 500;

    @Option(
            names = "--level",
            paramLabel = "LEVEL",
            description = "level of the checkpoints, 1 to 4; without it every fourth has level 4, the others level 1")
    private @Nullable Integer level;

    @Option(
            names = "--from",
            paramLabel = "ID",
            description = "restart from this checkpoint as a branch of the run, not from the newest")
    private @Nullable Integer from;

    @Option(names = "--branch", paramLabel = "NAME", description = "name of the branch that --from begins")
    private @Nullable String branch;

    @Option(
            names = "--rim",
            paramLabel = "DEGREES",
            description = "temperature of the outermost cells from now on, 0 to 100")
    private @Nullable Double rim;

    @Option(names = "--no-checkpoints", description = "open no run and take no checkpoints, to compare times")
    private boolean noCheckpoints;

    @Option(names = "--threads", paramLabel = "N", description = "run N ranks as threads of this process, without MPI")
    private int threads;

    @Option(names = "--field", paramLabel = "FILE", description = "write the final field as little-endian doubles")
    private @Nullable Path field;

    @Option(names = "--picture", paramLabel = "FILE", description = "write the final field as a PNG")
    private @Nullable Path picture;

    @Option(
            names = "--pids",
            paramLabel = "DIR",
            description = "let every rank N write its process id to DIR/rank-N.pid, for scripts that kill it")
    private @Nullable Path pids;

    @Option(
            names = "--progress",
            negatable = true,
            description = "show a progress bar, or not (default: on a terminal)")
    private @Nullable Boolean progress;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help")
    @SuppressWarnings("UnusedVariable") // picocli reads it.
    private boolean help;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private volatile boolean stopped;

    /**
     * Runs the example.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(execute(arguments));
    }

    /**
     * Runs the example.
     *
     * @param arguments see {@code --help}
     * @return the exit status: 0 done, 1 failed, 2 wrong arguments, 75 stopped before the end of the allocation
     */
    static int execute(String... arguments) {
        return new CommandLine(new Heat2D())
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    command.getErr().println("Heat2D: " + failure);
                    return 1;
                })
                .execute(arguments);
    }

    @Override
    public Integer call() throws IOException {
        if (size < 3 || iterations < 1 || every < 1 || threads < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--size must be 3 or more, --iterations and --every 1 or more");
        }
        if (threads > 0) {
            ThreadCommunicator.run(threads, this::simulate);
        } else {
            Communicators.run(this::simulate);
        }
        return stopped ? Checkpoints.COME_AGAIN : 0;
    }

    /** The work of one rank. */
    void simulate(Communicator comm) throws IOException {
        writePid(comm.rank());
        say(comm, "%d x %d cells, ranks: %d, iterations: %d", size, size, comm.size(), iterations);
        HeatBlock block = new HeatBlock(new RodPlate(size), size, comm.rank(), comm.size());
        Scalar.OfInt iteration = new Scalar.OfInt(0);
        if (noCheckpoints) {
            iterate(block, iteration, comm, () -> false, id -> sayResidual(block, iteration, comm));
            finish(block, iteration, comm);
            return;
        }
        Checkpoints.Builder builder =
                Checkpoints.builder(config).communicator(comm).anyNumberOfRanks();
        if (from != null) {
            builder.from(from);
        }
        if (branch != null) {
            builder.branch(branch);
        }
        try (Checkpoints checkpoints = builder.open()) {
            checkpoints.protect(ITERATION, iteration);
            checkpoints.protect(GRID, block.temperatures());
            if (checkpoints.isRestart()) {
                recover(iteration, checkpoints, comm);
            }
            if (rim != null) {
                block.setRim(rim);
            }
            Stop stop = id -> checkpoint(block, id, iteration.value, checkpoints, comm);
            iterate(block, iteration, comm, checkpoints::shouldStop, stop);
            if (iteration.value < iterations) {
                stopped = true;
                checkpoint(block, iteration.value / every + 1, iteration.value, checkpoints, comm);
                say(comm, "stopped: start it again to continue");
                return;
            }
            finish(block, iteration, comm);
            checkpoints.complete();
        }
    }

    private void recover(Scalar.OfInt iteration, Checkpoints checkpoints, Communicator comm) throws IOException {
        checkpoints.distribute(ITERATION, Distribution.replicated());
        checkpoints.distribute(GRID, HeatBlock.distribution(size));
        int id = checkpoints.lastCheckpoint().orElseThrow();
        Level from = checkpoints.lastLevel().orElseThrow();
        String whose = checkpoints
                .formerRanks()
                .map(ranks -> " of " + ranks + " ranks")
                .orElse("");
        checkpoints.recover();
        say(comm, "restart from checkpoint %d (%s)%s, after iteration %d", id, from, whose, iteration.value);
    }

    /** An action at a regular interval of iterations. */
    @FunctionalInterface
    private interface Stop {
        void make(int id) throws IOException;
    }

    /** A question that all ranks ask, and that has one answer. */
    @FunctionalInterface
    private interface Question {
        boolean ask() throws IOException;
    }

    private void iterate(HeatBlock block, Scalar.OfInt iteration, Communicator comm, Question shouldStop, Stop stop)
            throws IOException {
        try (ProgressBar bar = comm.rank() == 0 && showsProgress() ? progressBar(iteration.value) : null) {
            while (iteration.value < iterations && !shouldStop.ask()) {
                block.step(comm);
                iteration.value++;
                if (iteration.value % every == 0 && iteration.value < iterations) {
                    stop.make(iteration.value / every);
                }
                if (bar != null) {
                    bar.stepTo(iteration.value);
                }
            }
        }
    }

    private void finish(HeatBlock block, Scalar.OfInt iteration, Communicator comm) throws IOException {
        say(comm, "done: iteration %d, residual %.3e", iteration.value, block.residual(comm));
        writeField(block, comm);
    }

    private static void sayResidual(HeatBlock block, Scalar.OfInt iteration, Communicator comm) throws IOException {
        say(comm, "iteration %d, residual %.3e", iteration.value, block.residual(comm));
    }

    private void checkpoint(HeatBlock block, int id, int iteration, Checkpoints checkpoints, Communicator comm)
            throws IOException {
        double residual = block.residual(comm);
        // A step swaps the block's two arrays.
        checkpoints.protect(GRID, block.temperatures());
        boolean last = iteration != id * every;
        Level taken = last ? Level.L4 : level != null ? Level.of(level) : id % 4 == 0 ? Level.L4 : Level.L1;
        CheckpointReport report = checkpoints.checkpoint(id, taken);
        say(
                comm,
                "checkpoint %d (%s) after iteration %d: %.2f MB in %.3f s, residual %.3e",
                id,
                taken,
                iteration,
                report.bytes() / 1e6,
                report.seconds(),
                residual);
    }

    private boolean showsProgress() {
        return progress != null ? progress : CommandLine.Help.Ansi.AUTO.enabled();
    }

    private ProgressBar progressBar(int start) {
        ProgressBar bar = new ProgressBarBuilder()
                .setTaskName("Heat2D")
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(250)
                .setInitialMax(iterations)
                .build();
        bar.stepTo(start);
        return bar;
    }

    private void writeField(HeatBlock block, Communicator comm) throws IOException {
        HeatPicture image = new HeatPicture(size, RodPlate.COLD, RodPlate.HOT);
        ByteBuffer bytes = ByteBuffer.allocate(size * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (OutputStream file = comm.rank() == 0 && field != null
                ? new BufferedOutputStream(Files.newOutputStream(field))
                : OutputStream.nullOutputStream()) {
            block.collect(comm, (row, temperatures) -> {
                bytes.asDoubleBuffer().put(temperatures);
                file.write(bytes.array());
                image.row(row, temperatures);
            });
        }
        if (comm.rank() == 0 && picture != null) {
            image.save(picture);
        }
    }

    private void writePid(int rank) throws IOException {
        if (pids != null) {
            Files.writeString(
                    pids.resolve("rank-" + rank + ".pid"),
                    ProcessHandle.current().pid() + "\n");
        }
    }

    private static void say(Communicator comm, String format, Object... arguments) {
        if (comm.rank() == 0) {
            System.out.printf(Locale.ROOT, "Heat2D: " + format + "%n", arguments);
            System.out.flush();
        }
    }
}
