package io.drumlin.bench;

import com.sun.management.OperatingSystemMXBean;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/**
 * The time that a piece of work took.
 *
 * @param seconds on the slowest rank
 * @param cpuSeconds of all threads of all ranks together, in user and system mode
 */
record Cost(double seconds, double cpuSeconds) {

    /** The work that is timed. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /** Seconds on the slowest rank. For thousands of ranks that are threads: the system adds up all of them for the CPU time. Collective. */
    static double seconds(Communicator comm, Work work) throws IOException {
        comm.barrier();
        long begin = System.nanoTime();
        work.run();
        long[] wall = {System.nanoTime() - begin};
        comm.allreduce(wall, Communicator.Op.MAX);
        return wall[0] / 1e9;
    }

    /** Lets all ranks begin together. Collective. */
    static Cost of(Communicator comm, Work work) throws IOException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long[] cpu = new long[1];
        double seconds = seconds(comm, () -> {
            long begin = system.getProcessCpuTime();
            work.run();
            cpu[0] = system.getProcessCpuTime() - begin;
        });
        comm.allreduce(cpu, Communicator.Op.SUM);
        return new Cost(seconds, cpu[0] / 1e9);
    }
}
