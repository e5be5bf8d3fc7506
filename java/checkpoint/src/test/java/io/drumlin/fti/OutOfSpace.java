package io.drumlin.fti;

import static io.drumlin.fti.FTI.FTI_Checkpoint;
import static io.drumlin.fti.FTI.FTI_DONE;
import static io.drumlin.fti.FTI.FTI_Finalize;
import static io.drumlin.fti.FTI.FTI_Init;
import static io.drumlin.fti.FTI.FTI_NSCS;
import static io.drumlin.fti.FTI.FTI_Protect;
import static io.drumlin.fti.FTI.FTI_Recover;
import static io.drumlin.fti.FTI.FTI_SCES;
import static io.drumlin.fti.FTI.FTI_Status;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.Mpirun;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A program that takes checkpoints at every level and in every I/O mode for which one rank has no room, because the disk is
 * full or the process may not write files of that size: every rank is told so, and the checkpoint before is recovered, at
 * once and by a restart. A rank that finds it otherwise ends the job with status 1.
 *
 * <p>Arguments: the number of thread ranks or 0 for the ranks of the job, a file to fill the disk with or {@code -} where
 * files are limited to {@value #LIMIT_KIB} KiB, and configuration files.
 */
public final class OutOfSpace {

    /** Ranks of a run, each of them a node. */
    public static final int RANKS = 2;

    /** Bytes of a disk that is large enough, until it is filled. */
    public static final String DISK = "size=24m";

    private static final int LIMIT_KIB = 1024;
    private static final int SMALL = 50_000;
    private static final int LARGE = 3_000_000;

    private final Communicator comm;
    private final String ballast;

    private OutOfSpace(Communicator comm, String ballast) {
        this.comm = comm;
        this.ballast = ballast;
    }

    /** Runs as a rank, or as all of them. */
    public static void main(String[] arguments) throws IOException {
        int threads = Integer.parseInt(arguments[0]);
        List<String> configs = List.of(arguments).subList(2, arguments.length);
        if (threads > 0) {
            ThreadCommunicator.run(threads, comm -> play(comm, arguments[1], configs));
        } else {
            Communicators.run(comm -> play(comm, arguments[1], configs));
        }
        System.out.println("all as it should be");
    }

    private static void play(Communicator comm, String ballast, List<String> configs) throws IOException {
        try {
            for (String config : configs) {
                for (int level = 1; level <= 4; level++) {
                    new OutOfSpace(comm, ballast).play(config, level);
                }
            }
        } catch (AssertionError wrong) {
            wrong.printStackTrace();
            // So that mpirun ends the others, which may wait for this rank.
            Runtime.getRuntime().halt(1);
        }
    }

    private void play(String config, int level) throws IOException {
        String story = config + " level " + level;
        assertThat(FTI_Init(config, comm)).as(story).isEqualTo(FTI_SCES);
        byte[] data = protect(SMALL, 1);
        assertThat(FTI_Checkpoint(1, level)).as(story).isEqualTo(FTI_DONE);
        occupy();
        protect(comm.rank() == RANKS - 1 ? LARGE : SMALL, 2);
        assertThat(FTI_Checkpoint(2, level)).as(story).isEqualTo(FTI_NSCS);
        data = protect(SMALL, 0);
        assertThat(FTI_Recover()).as(story).isEqualTo(FTI_SCES);
        check(data, 1);
        clear();

        Crash.now();
        assertThat(FTI_Init(config, comm)).as(story).isEqualTo(FTI_SCES);
        assertThat(FTI_Status()).as(story).isEqualTo(1);
        data = protect(SMALL, 0);
        assertThat(FTI_Recover()).as(story).isEqualTo(FTI_SCES);
        check(data, 1);
        assertThat(FTI_Checkpoint(3, level)).as(story).isEqualTo(FTI_DONE);
        assertThat(FTI_Finalize()).as(story).isEqualTo(FTI_SCES);
    }

    private static byte[] protect(int size, int value) {
        byte[] data = new byte[size];
        Arrays.fill(data, (byte) value);
        assertThat(FTI_Protect(0, data)).isEqualTo(FTI_SCES);
        return data;
    }

    private static void check(byte[] data, int value) {
        byte[] expected = new byte[SMALL];
        Arrays.fill(expected, (byte) value);
        assertThat(data).isEqualTo(expected);
    }

    /** Leaves room for what the other ranks write. */
    private void occupy() throws IOException {
        comm.barrier();
        if (comm.rank() == 0 && !ballast.equals("-")) {
            Path file = Path.of(ballast);
            long free = Files.getFileStore(file.getParent()).getUsableSpace();
            Files.write(file, new byte[Math.toIntExact(free - LARGE)]);
        }
        comm.barrier();
    }

    private void clear() throws IOException {
        comm.barrier();
        if (comm.rank() == 0 && !ballast.equals("-")) {
            Files.delete(Path.of(ballast));
        }
        comm.barrier();
    }

    /**
     * Runs the program on a full disk.
     *
     * @param job without launcher, or of {@value #RANKS} ranks
     * @param disk of the size {@link #DISK}
     */
    public static void onFullDisk(Mpirun job, Path disk) throws IOException, InterruptedException {
        List<String> arguments = arguments(job, disk.resolve("ballast").toString(), disk);
        check(job.run(OutOfSpace.class, arguments.toArray(String[]::new)), "ENOSPC");
    }

    /** Runs the program with a limit to the size of files, as {@code ulimit -f} sets it. */
    public static void withFileSizeLimit(Mpirun job, Path directory) throws IOException, InterruptedException {
        List<String> arguments = arguments(job, "-", directory);
        // The JVM's own file of performance data counts too.
        job.startedBy("bash", "-c", "ulimit -f " + LIMIT_KIB + " && exec \"$@\"", "limited")
                .jvmOptions("-XX:-UsePerfData");
        check(job.run(OutOfSpace.class, arguments.toArray(String[]::new)), "EFBIG");
    }

    private static List<String> arguments(Mpirun job, String ballast, Path directory) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(job.hasLauncher() ? "0" : "" + RANKS, ballast));
        for (String ioMode : List.of("1", "2", "3")) {
            Path folder = Files.createDirectory(directory.resolve("mode-" + ioMode));
            Map<String, String> changes =
                    Map.of("basic.node_size", "1", "basic.group_size", "" + RANKS, "basic.ckpt_io", ioMode);
            arguments.add(new RunFixture(folder, changes).config().toString());
        }
        return arguments;
    }

    /** All is well, and each of the ranks has said once for each level and mode what the failure was. */
    private static void check(Mpirun.Outcome outcome, String errno) {
        String output = outcome.output();
        assertThat(outcome.exitStatus()).as(output).isZero();
        assertThat(output).contains("all as it should be");
        long errors = output.lines()
                .filter(line -> line.contains("FTI Error") && line.contains(errno))
                .count();
        assertThat(errors).as(output).isBetween(12L, 12L * RANKS);
    }
}
