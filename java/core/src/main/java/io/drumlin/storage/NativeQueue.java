package io.drumlin.storage;

import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeMemory;

/** The one queue of started writes of this process, made when it is first needed and never given back. Thread-safe. */
final class NativeQueue {

    /** As much as one rank has under way; ranks in one process share it. */
    private static final int DEPTH = 64;

    private NativeQueue() {}

    /** 0 until the queue is there. No class initialiser: what failed for want of a thread may succeed the next time. */
    private static volatile long address;

    /** The C core's address of the queue. */
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

    /** Who moves the bytes, for a log line. */
    static String backend() {
        return CoreLibrary.drumlin_queue_backend(address()) == CoreLibrary.DRUMLIN_QUEUE_URING()
                ? "io_uring"
                : "threads";
    }
}
