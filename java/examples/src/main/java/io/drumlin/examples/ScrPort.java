package io.drumlin.examples;

import static io.drumlin.scr.SCR.*;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * A program ported from C that takes checkpoints with SCR. Each rank writes its state to a file of its own, at the path
 * that SCR returns.
 *
 * <p>Arguments: prefix directory, copy type, directory of the caches, last step, and number of ranks that are threads
 * of this process, 0 for the ranks of the job. Each rank has a cache of its own in the directory of the caches, so that
 * one machine can play several nodes. To lose a node, delete its cache.
 */
public final class ScrPort {

    private static final int BYTES = 300_000;

    private final Communicator world;
    private final Path prefix;
    private int step;
    private byte[] state = new byte[0];

    private ScrPort(Communicator world, Path prefix) {
        this.world = world;
        this.prefix = prefix;
    }

    /**
     * Runs the example.
     *
     * @param arguments see above
     * @throws IOException the example failed
     */
    public static void main(String[] arguments) throws IOException {
        Usage.require(arguments, 5, "ScrPort PREFIX COPY_TYPE CACHES STEPS THREADS");
        Path prefix = Path.of(arguments[0]).toAbsolutePath();
        int steps = Integer.parseInt(arguments[3]);
        int threads = Integer.parseInt(arguments[4]);
        Path caches = Path.of(arguments[2]).toAbsolutePath();
        if (threads > 0) {
            ThreadCommunicator.run(threads, world -> new ScrPort(world, prefix).run(arguments[1], caches, steps));
        } else {
            Communicators.run(world -> new ScrPort(world, prefix).run(arguments[1], caches, steps));
        }
    }

    private void run(String copyType, Path caches, int steps) throws IOException {
        Path node = caches.resolve("node" + world.rank());
        require(SCR_Config("SCR_PREFIX=" + prefix));
        require(SCR_Config("SCR_CACHE_BYPASS=0"));
        require(SCR_Config("SCR_CACHE_BASE=" + node));
        require(SCR_Config("SCR_CNTL_BASE=" + node));
        require(SCR_Config("SCR_NODE_NAME=node" + world.rank()));
        require(SCR_Config("SCR_COPY_TYPE=" + copyType));
        require(SCR_Init(world));
        restart();
        say("start " + step);
        while (step < steps) {
            step++;
            state = state(step);
            checkpoint();
            say("done " + step);
        }
        require(SCR_Finalize());
        say("end");
    }

    private void restart() throws IOException {
        int[] have = {0};
        String[] name = {""};
        String[] file = {""};
        require(SCR_Have_restart(have, name));
        while (have[0] == 1) {
            require(SCR_Start_restart(name));
            require(SCR_Route_file(path(name[0]), file));
            boolean valid = read(Path.of(file[0]));
            if (SCR_Complete_restart(valid ? 1 : 0) == SCR_SUCCESS) {
                return;
            }
            require(SCR_Have_restart(have, name));
        }
    }

    private void checkpoint() throws IOException {
        String name = "ckpt." + step;
        String[] file = {""};
        require(SCR_Start_output(name, SCR_FLAG_CHECKPOINT));
        require(SCR_Route_file(path(name), file));
        Files.write(
                Path.of(file[0]),
                ByteBuffer.allocate(Integer.BYTES + BYTES)
                        .putInt(step)
                        .put(state)
                        .array());
        require(SCR_Complete_output(1));
    }

    private String path(String name) {
        return prefix.resolve(name).resolve("rank_" + world.rank() + ".ckpt").toString();
    }

    /** Reads the state from a file, if this rank wrote it. */
    private boolean read(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        if (bytes.remaining() != Integer.BYTES + BYTES) {
            return false;
        }
        int read = bytes.getInt();
        byte[] expected = state(read);
        if (bytes.mismatch(ByteBuffer.wrap(expected)) >= 0) {
            return false;
        }
        step = read;
        state = expected;
        return true;
    }

    /** Returns the state that a simulation would have computed. */
    private byte[] state(int step) {
        byte[] bytes = new byte[BYTES];
        new Random(1000L * step + world.rank()).nextBytes(bytes);
        return bytes;
    }

    private void say(String line) {
        if (world.rank() == 0) {
            System.out.println(line);
        }
    }

    private static void require(int result) throws IOException {
        if (result != SCR_SUCCESS) {
            throw new IOException("a call of SCR failed; the log says why");
        }
    }
}
