package io.drumlin.mpi;

import static io.drumlin.fti.FTI.FTI_COMM_WORLD;
import static io.drumlin.fti.FTI.FTI_Checkpoint;
import static io.drumlin.fti.FTI.FTI_DONE;
import static io.drumlin.fti.FTI.FTI_Finalize;
import static io.drumlin.fti.FTI.FTI_Init;
import static io.drumlin.fti.FTI.FTI_Protect;
import static io.drumlin.fti.FTI.FTI_Recover;
import static io.drumlin.fti.FTI.FTI_SCES;
import static io.drumlin.fti.FTI.FTI_Status;
import static io.drumlin.fti.FTIX.FTIX_CALLBACK;
import static io.drumlin.fti.FTIX.FTIX_Stash;
import static io.drumlin.fti.FTIX.FTIX_StashLoad;
import static io.drumlin.fti.FTIX.FTIX_TopoGet_myRank;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.fti.FTI;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * A program ported from C that knows nothing of heads, other than that they may call a function of it. Arguments: configuration
 * file, id of the first checkpoint it takes, and what it does in the end: {@code finalize}, {@code fail} in that function and
 * finalize, {@code stash} a checkpoint by heads and finalize, or {@code kill} the head of the first node and take checkpoints until
 * the job ends.
 */
public final class HeadProgram {

    /** Enough that a head has something to do. */
    private static final int DOUBLES = 200_000;

    private static int calls;

    private HeadProgram() {}

    public static void main(String[] args) throws IOException {
        int first = Integer.parseInt(args[1]);
        FTIX_CALLBACK(() -> {
            called(args[2].equals("fail"));
            putAside(args[0], first);
        });
        Communicators.run(world -> run(world, args[0], first, args[2]));
    }

    /** The application asks for it by a file, and learns by one that it was done. */
    private static void putAside(String config, int ckptId) {
        Path done = Path.of(config + ".done" + FTI_COMM_WORLD().rank());
        if (Files.exists(Path.of(config + ".ask")) && !Files.exists(done)) {
            require(FTIX_Stash(ckptId, 5) == 5, "FTIX_Stash");
            create(done);
        }
    }

    private static void create(Path file) {
        try {
            Files.createFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void goBack(String config, double[] values, int rank, int first) throws IOException {
        take(values, rank, first, FTI.FTI_L1);
        FTI_COMM_WORLD().barrier();
        if (rank == 0) {
            create(Path.of(config + ".ask"));
        }
        for (int head = 0; head < 2; head++) {
            while (!Files.exists(Path.of(config + ".done" + head))) {
                LockSupport.parkNanos(1_000_000);
            }
        }
        take(values, rank, first + 1, FTI.FTI_L1);
        require(FTIX_StashLoad(5) == first, "FTIX_StashLoad");
        require(Arrays.equals(values, values(rank, first)), "the data of the stash");
        System.out.println("went back to " + first);
    }

    private static void called(boolean fails) {
        if (calls++ == 0) {
            System.out.println("called on rank " + FTIX_TopoGet_myRank() + ", head "
                    + FTI_COMM_WORLD().rank());
        }
        require(!fails, "callback");
    }

    private static void run(Communicator world, String config, int first, String end) throws IOException {
        long[] pids = pids(world);
        require(FTI_Init(config, world) == FTI_SCES, "FTI_Init");
        System.out.println("rank " + world.rank() + " goes on");
        int rank = FTI_COMM_WORLD().rank();
        double[] values = new double[DOUBLES];
        require(FTI_Protect(0, values) == FTI_SCES, "FTI_Protect");
        if (FTI_Status() != 0) {
            require(FTI_Recover() == FTI_SCES, "FTI_Recover");
            int found = (int) values[0];
            require(Arrays.equals(values, values(rank, found)), "the data of checkpoint " + found);
            System.out.println("recovered " + found);
        }
        if (end.equals("stash")) {
            goBack(config, values, rank, first);
        }
        take(values, rank, first, FTI.FTI_L2);
        take(values, rank, first + 1, FTI.FTI_L4);
        if (end.equals("kill")) {
            take(values, rank, first + 2, FTI.FTI_L3);
            if (rank == 0) {
                ProcessHandle.of(pids[0]).orElseThrow().destroyForcibly();
            }
            for (int id = first + 3; true; id++) {
                take(values, rank, id, FTI.FTI_L3);
            }
        }
        require(FTI_Finalize() == FTI_SCES, "FTI_Finalize");
    }

    private static void take(double[] values, int rank, int id, int level) {
        System.arraycopy(values(rank, id), 0, values, 0, values.length);
        require(FTI_Checkpoint(id, level) == FTI_DONE, "FTI_Checkpoint " + id);
    }

    private static double[] values(int rank, int id) {
        double[] values = new double[DOUBLES];
        Arrays.setAll(values, i -> i == 0 ? id : rank * 1e6 + id * 1e3 + i);
        return values;
    }

    private static long[] pids(Communicator world) throws IOException {
        ByteBuffer own = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        ByteBuffer all = ByteBuffer.allocate(Long.BYTES * world.size()).order(ByteOrder.nativeOrder());
        world.allgather(own.putLong(0, ProcessHandle.current().pid()), all);
        long[] pids = new long[world.size()];
        all.asLongBuffer().get(pids);
        return pids;
    }

    private static void require(boolean right, String what) {
        if (!right) {
            throw new IllegalStateException(what);
        }
    }
}
