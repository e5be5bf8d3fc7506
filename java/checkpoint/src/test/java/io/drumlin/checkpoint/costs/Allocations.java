package io.drumlin.checkpoint.costs;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What is allocated on the heap of this process. Thread-safe. */
public final class Allocations {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** What each thread had allocated when it was last seen. */
    private static final Map<Long, Long> BY_THREAD = new ConcurrentHashMap<>();

    private Allocations() {}

    /** Bytes that all threads have allocated, also those that have ended. */
    public static long ofAllThreads() {
        try {
            return (long)
                    ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes").invoke(THREADS);
        } catch (ReflectiveOperationException beforeJdk21) {
            long[] ids = THREADS.getAllThreadIds();
            long[] bytes = THREADS.getThreadAllocatedBytes(ids);
            for (int i = 0; i < ids.length; i++) {
                BY_THREAD.merge(ids[i], bytes[i], Math::max);
            }
            return BY_THREAD.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
