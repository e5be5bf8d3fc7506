package io.drumlin.bench;

import com.sun.management.OperatingSystemMXBean;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/**
 * What a piece of work took.
 *
 * @param seconds on the slowest rank
 * @param cpuSeconds of all threads of all ranks together, in user and system mode
 */
record Cost(double seconds, double cpuSeconds) {

    /** What is timed. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /** Lets all ranks begin together. Collective. */
    static Cost of(Communicator comm, Work work) throws IOException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        comm.barrier();
        long cpuBegin = system.getProcessCpuTime();
        long begin = System.nanoTime();
        work.run();
        long[] wall = {System.nanoTime() - begin};
        long[] cpu = {system.getProcessCpuTime() - cpuBegin};
        comm.allreduce(wall, Communicator.Op.MAX);
        comm.allreduce(cpu, Communicator.Op.SUM);
        return new Cost(wall[0] / 1e9, cpu[0] / 1e9);
    }
}
