package io.drumlin.bench;

import com.sun.management.ThreadMXBean;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.LongSupplier;

/**
 * Measures what a rank that is a thread takes, without the share of its communicator: thousands of threads that wake each other
 * up cost more
 * each the more they are, whatever they do.
 */
final class ThreadMeter {

    private final LongSupplier taken;
    private long inside;

    private ThreadMeter(LongSupplier taken) {
        this.taken = taken;
    }

    /** Returns a meter of CPU time, in nanoseconds. */
    static ThreadMeter ofCpu() {
        return new ThreadMeter(ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime);
    }

    /** Returns a meter of allocated heap, in bytes, garbage included. */
    static ThreadMeter ofHeap() {
        return new ThreadMeter(ManagementFactory.getPlatformMXBean(ThreadMXBean.class)::getCurrentThreadAllocatedBytes);
    }

    /** A communicator with the same messages whose use does not count, nor that of those made of it. */
    Communicator over(Communicator comm) {
        return (Communicator) Proxy.newProxyInstance(
                ThreadMeter.class.getClassLoader(),
                new Class<?>[] {Communicator.class},
                (proxy, method, arguments) -> call(comm, method, arguments));
    }

    private Object call(Communicator comm, Method method, Object[] arguments) throws Throwable {
        long begin = taken.getAsLong();
        try {
            Object result = method.invoke(comm, arguments);
            return result instanceof Communicator made ? over(made) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        } finally {
            inside += taken.getAsLong() - begin;
        }
    }

    /** Returns what the calling thread has taken since it began. */
    long total() {
        return taken.getAsLong() - inside;
    }

    /** Returns what the work takes on this rank. */
    long of(Cost.Work work) throws IOException {
        long begin = total();
        work.run();
        return total() - begin;
    }
}
