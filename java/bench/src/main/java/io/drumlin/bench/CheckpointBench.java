package io.drumlin.bench;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Checkpoints of all levels, and recoveries from them, against raw direct writes and reads of as many bytes by as many
 * processes through the same device, and against C FTI's cost model, in turn in one run. Writes are durable: they end with a sync. What
 * is measured depends on the number of ranks, see {@link CheckpointCase#of}. In pure Java nothing has a goal.
 */
@Command(name = "checkpoint", mixinStandardHelpOptions = true, description = "Measures checkpoints and recoveries.")
public final class CheckpointBench extends Bench {

    private static final double GIB = 1L << 30;

    /** More runs warm up than elsewhere: processor time has that of the JVM's compilers in it, which go on in the second and third. */
    private static final int FIRST_CHECKPOINT = -3;

    @Option(names = "--mib", defaultValue = "1024", description = "MiB per rank (default: ${DEFAULT-VALUE})")
    private int mib;

    @Option(names = "--only", defaultValue = "", description = "measures the cases that have this in their names")
    private String only = "";

    private CheckpointBench() {}

    /**
     * Runs the measurement as one rank of the job.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        run(new CheckpointBench(), args);
    }

    /** Opens a run. */
    @FunctionalInterface
    private interface Opening {
        Checkpoints open() throws IOException;
    }

    /** The setting in which a case is measured. */
    private record Setting(
            Communicator comm,
            CheckpointCase kind,
            String name,
            RunFolder folder,
            List<double[]> arrays,
            RawTransfer raw,
            Optional<CostModel> model) {

        Checkpoints open() throws IOException {
            Checkpoints checkpoints = Checkpoints.open(folder.config(), comm);
            for (int id = 0; id < arrays.size(); id++) {
                checkpoints.protect(id, arrays.get(id));
            }
            return checkpoints;
        }

        /** Opens the run with its variables. */
        Checkpoints openWithArrays() throws IOException {
            Checkpoints.Builder run = Checkpoints.builder(folder.config()).communicator(comm);
            for (int id = 0; id < arrays.size(); id++) {
                run.protect(id, arrays.get(id));
            }
            return run.open();
        }

        Setting withoutGoals() {
            return new Setting(comm, kind.withoutGoals(), name, folder, arrays, raw, model);
        }

        Path ownFile() {
            return folder.ownFile(comm);
        }
    }

    @Override
    public Integer call() throws IOException {
        Communicators.run(this::measure);
        return 0;
    }

    private void measure(Communicator comm) throws IOException {
        StorageEngine storage = StorageEngines.best();
        boolean pureJava = DigestEngine.name().equals("java");
        Optional<CostModel> model = CostModel.ifAvailable(comm);
        try (RawTransfer raw = new RawTransfer(storage)) {
            for (CheckpointCase kind : CheckpointCase.of(comm.size())) {
                if (kind.name().contains(only)) {
                    String name = String.format(
                            Locale.ROOT,
                            "%s, %d x %d MiB, %s",
                            kind.name(),
                            comm.size(),
                            mib,
                            pureJava ? "pure Java" : storage.name());
                    RunFolder folder = RunFolder.create(comm, home(), kind.mode());
                    List<double[]> arrays = RunFolder.arrays(mib, kind.arrays(), comm.rank());
                    CheckpointCase held = pureJava ? kind.withoutGoals() : kind;
                    Setting setting = new Setting(comm, held, name, folder, arrays, raw, model);
                    forgetFigures();
                    writing(setting);
                    if (kind.level() == Level.L1) {
                        recovery(setting, ", recovery, protected first", setting::openWithArrays);
                        forgetFigures();
                        recovery(setting.withoutGoals(), ", recovery, protected later", setting::open);
                    } else {
                        recovery(setting, kind.losesNode() ? ", lost node" : ", recovery", setting::open);
                    }
                    if (kind.losesNode() && kind.level() == Level.L2) {
                        // The variables have the data then, too.
                        forgetFigures();
                        recovery(setting.withoutGoals(), ", lost node, protected first", setting::openWithArrays);
                    }
                    folder.delete(comm);
                }
            }
        }
    }

    /** Bytes of all ranks. */
    private double bytes(Communicator comm) {
        return (double) comm.size() * mib * RawTransfer.SLAB;
    }

    private void writing(Setting setting) throws IOException {
        Communicator comm = setting.comm;
        double bytes = bytes(comm);
        try (Checkpoints checkpoints = setting.open()) {
            for (int run = FIRST_CHECKPOINT; run < runs(); run++) {
                int ckptId = run - FIRST_CHECKPOINT + 1;
                Path file = setting.ownFile();
                Cost raw = Cost.of(comm, () -> setting.raw.write(file, (long) mib * RawTransfer.SLAB));
                Files.delete(file);
                keepModel(setting, setting.kind.writingCost(), run, "write model");
                Cost cost = Cost.of(comm, () -> checkpoints.checkpoint(ckptId, setting.kind.level()));
                Cost deletion = Cost.of(comm, setting.folder::awaitDeletion);
                keep(run, "raw write", bytes / GB / raw.seconds());
                keep(run, "write", setting.kind.copies() * bytes / GB / cost.seconds());
                keep(run, "write cpu", (cost.cpuSeconds() + deletion.cpuSeconds()) / (bytes / GIB));
            }
        }
        report(setting, "", "write", setting.kind.writing(), setting.kind.writingCost());
    }

    /**
     * Restarts from the last checkpoint. After the loss of a node what counts is the restart, which makes the node's files
     * again, as bytes made; else it is the restart and the recovery of the data, as bytes recovered.
     */
    private void recovery(Setting setting, String what, Opening opening) throws IOException {
        Communicator comm = setting.comm;
        boolean loss = setting.kind.losesNode();
        double bytes = bytes(comm);
        double recovered = loss ? bytes / comm.size() * setting.kind.copies() : bytes;
        Path file = setting.ownFile();
        setting.raw.write(file, (long) mib * RawTransfer.SLAB);
        for (int run = FIRST_CHECKPOINT; run < runs(); run++) {
            if (comm.rank() == 0) {
                loseFiles(setting);
            }
            Cost raw = Cost.of(comm, () -> setting.raw.read(file, (long) mib * RawTransfer.SLAB));
            if (loss) {
                keep(
                        run,
                        "raw rebuilding",
                        recovered / GB / transfersOfRebuilding(setting).seconds());
            }
            if (comm.rank() == 0) {
                setting.folder.dropFromPageCache();
            }
            keepModel(setting, setting.kind.recoveryCost(), run, "recovery model");
            Checkpoints[] opened = new Checkpoints[1];
            Cost cost = Cost.of(comm, () -> {
                opened[0] = opening.open();
                if (!loss) {
                    opened[0].recover();
                }
            });
            opened[0].close();
            keep(run, "raw recovery", bytes / GB / raw.seconds());
            keep(run, "recovery", recovered / GB / cost.seconds());
            keep(run, "recovery cpu", cost.cpuSeconds() / (recovered / GIB));
            // What a program sees that comes back after a failure.
            if (run == FIRST_CHECKPOINT) {
                keep(0, "first recovery", recovered / GB / cost.seconds());
                keep(0, "first recovery cpu", cost.cpuSeconds() / (recovered / GIB));
            }
        }
        report(setting, what, "recovery", setting.kind.recovery(), setting.kind.recoveryCost());
        if (loss && comm.rank() == 0) {
            String alone = setting.name + what + "; limit: its reads and writes alone";
            report(List.of(Row.rate(alone, "GB/s", figures("recovery")).limit(figures("raw rebuilding"))));
        }
        if (comm.rank() == 0) {
            String first = setting.name + what + ", the first";
            report(List.of(
                    Row.rate(first, "GB/s", figures("first recovery")),
                    Row.cost(first + ", CPU", "s/GiB", figures("first recovery cpu"))));
        }
    }

    /** As many bytes as the survivors read and the rank without files writes, all at the same time. */
    private Cost transfersOfRebuilding(Setting setting) throws IOException {
        Path made = setting.folder.path().resolve("made-" + setting.comm.rank());
        Cost cost = Cost.of(setting.comm, () -> {
            if (setting.comm.rank() == RunFolder.LOST_RANK) {
                setting.raw.write(made, (long) setting.kind.copies() * mib * RawTransfer.SLAB);
                return;
            }
            for (int copy = 0; copy < setting.kind.copies(); copy++) {
                setting.raw.read(setting.ownFile(), (long) mib * RawTransfer.SLAB);
            }
        });
        Files.deleteIfExists(made);
        // What is there next is read by others.
        setting.comm.barrier();
        return cost;
    }

    /** A restart from level 4 leaves a checkpoint of level 1, which the next one would take. */
    private static void loseFiles(Setting setting) throws IOException {
        if (setting.kind.losesNode()) {
            setting.folder.loseNode();
        } else if (setting.kind.level() == Level.L4) {
            setting.folder.loseNodes();
        }
    }

    private void keepModel(Setting setting, CheckpointCase.Target cost, int run, String name) throws IOException {
        if (setting.model.isPresent() && cost.factor() > 0) {
            Path file = setting.folder.path().resolve("model-" + setting.comm.rank());
            keep(run, name, setting.model.get().secondsPerGib(setting.comm, file));
        }
    }

    private void report(
            Setting setting, String what, String figure, CheckpointCase.Target speed, CheckpointCase.Target cost)
            throws IOException {
        if (setting.comm.rank() > 0) {
            return;
        }
        Row rate = Row.rate(setting.name + what, "GB/s", figures(figure))
                .limit(figures("raw " + figure))
                .goal(speed.goal());
        Row cpu = Row.cost(setting.name + what + ", CPU", "s/GiB", figures(figure + " cpu"));
        if (setting.model.isPresent() && cost.factor() > 0) {
            List<Double> limits = figures(figure + " model").stream()
                    .map(seconds -> cost.factor() * seconds)
                    .toList();
            cpu = cpu.limit(limits).goal(cost.goal());
        }
        report(List.of(rate, cpu));
    }
}
