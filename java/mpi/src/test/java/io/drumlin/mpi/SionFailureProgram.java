package io.drumlin.mpi;

import static io.drumlin.sion.SION.*;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Writes a file through MPI-IO, which fails on one rank, and opens it; run by {@link SionFileIT}. */
final class SionFailureProgram {

    private SionFailureProgram() {}

    public static void main(String[] arguments) throws IOException {
        Communicators.run(world -> {
            String made = world.rank() == 0
                    ? Files.createTempDirectory("drumlin-sion").toString()
                    : "";
            Path folder = Path.of(Agreement.bcast(world, made, 0));
            String name = folder.resolve("failing.sion").toString();
            int sid = sion_paropen_mpi(
                    name, "bw,mpiio", new int[] {1}, world, null, new long[] {8192}, new int[] {512}, null, null);
            sion_fwrite(ByteBuffer.allocate(5000), 1, 5000, sid);
            print(world, "closed", sion_parclose_mpi(sid));
            int again =
                    sion_paropen_mpi(name, "br,mpiio", new int[1], world, null, new long[1], new int[1], null, null);
            print(world, "opened", again);
            world.barrier();
            if (world.rank() == 0) {
                SharedFolderChecks.delete(folder);
            }
        });
    }

    private static void print(Communicator world, String what, int value) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(Integer.BYTES * world.size());
        world.allgather(ByteBuffer.allocate(Integer.BYTES).putInt(0, value), all);
        int[] values = new int[world.size()];
        all.asIntBuffer().get(values);
        if (world.rank() == 0) {
            System.out.println(what + ": " + Arrays.toString(values));
        }
    }
}
