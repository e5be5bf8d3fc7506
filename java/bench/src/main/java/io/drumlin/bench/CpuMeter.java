package io.drumlin.bench;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * The CPU time of a rank that is a thread, without that of its communicator: thousands of threads that wake each other up cost more
 * each the more they are, whatever they do.
 */
final class CpuMeter {

    private long inside;

    /** A communicator with the same messages whose time does not count, nor that of those made of it. */
    Communicator over(Communicator comm) {
        return (Communicator) Proxy.newProxyInstance(
                CpuMeter.class.getClassLoader(),
                new Class<?>[] {Communicator.class},
                (proxy, method, arguments) -> call(comm, method, arguments));
    }

    private Object call(Communicator comm, Method method, Object[] arguments) throws Throwable {
        long begin = cpuTime();
        try {
            Object result = method.invoke(comm, arguments);
            return result instanceof Communicator made ? over(made) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        } finally {
            inside += cpuTime() - begin;
        }
    }

    /** Nanoseconds that the work takes on this rank. */
    long nanos(Cost.Work work) throws IOException {
        long insideBefore = inside;
        long begin = cpuTime();
        work.run();
        return cpuTime() - begin - (inside - insideBefore);
    }

    private static long cpuTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
