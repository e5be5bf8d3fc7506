package io.drumlin.storage.internal;

import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeMemory;

/**
 * The one queue of started writes of this process. It is made when it is first needed and never released. Thread-safe.
 */
final class NativeQueue {

    /** The number of transfers that one rank has under way. Ranks in one process share it. */
    private static final int DEPTH = 64;

    private NativeQueue() {}

    /**
     * 0 until the queue exists. It is not made in a class initialiser, because an attempt that failed for lack of a
     * thread may succeed next time.
     */
    private static volatile long address;

    /** Returns the C core's address of the queue. */
    static long address() {
        return address != 0 ? address : made();
    }

    private static synchronized long made() {
        if (address == 0) {
            address = NativeMemory.make(
                    "queue of started writes",
                    queue -> CoreLibrary.drumlin_queue_create(queue, DEPTH, CoreLibrary.DRUMLIN_QUEUE_AUTO()));
        }
        return address;
    }

    /** Names the mechanism that moves the bytes, for a log line. */
    static String backend() {
        return CoreLibrary.drumlin_queue_backend(address()) == CoreLibrary.DRUMLIN_QUEUE_URING()
                ? "io_uring"
                : "threads";
    }
}
