package io.drumlin.mpi;

import static org.junit.jupiter.api.Assumptions.abort;

import io.drumlin.comm.Mpirun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processes that have host names and storage of their own, in name spaces of the kernel's, which root may make.
 *
 * @param nodes a folder with one for each host; {@code here} in it is another one on each
 */
record NamedHosts(Path nodes) {

    private static final String ON_ITS_HOST = "set -e; hosts=($HOSTS); host=${hosts[OMPI_COMM_WORLD_RANK]};"
            + " hostname \"$host\"; mount --bind \"$NODES/$host\" \"$NODES/here\"; exec \"$@\"";

    /** Skips the test where there are no such name spaces. */
    static void assumePossible() throws IOException, InterruptedException {
        MpiTests.assumeNativeMpi();
        Process trial = new ProcessBuilder("unshare", "--uts", "--mount", "hostname", "drumlin-test").start();
        if (trial.waitFor() != 0) {
            abort("unshare may not give processes host names of their own");
        }
    }

    /** The folder that each host sees as its own. */
    Path here() throws IOException {
        return Files.createDirectories(nodes.resolve("here"));
    }

    /** Runs a program with a rank on each of the hosts, which are named with blanks between them. */
    Mpirun.Outcome run(String hosts, Class<?> program, String... arguments) throws IOException, InterruptedException {
        String[] ofRank = hosts.split(" ");
        for (String host : ofRank) {
            Files.createDirectories(nodes.resolve(host));
        }
        return Mpirun.ranks(ofRank.length)
                .startedBy("unshare", "--uts", "--mount", "bash", "-c", ON_ITS_HOST, "host")
                .environment("HOSTS", hosts)
                .environment("NODES", nodes.toString())
                .run(program, arguments);
    }
}
