package io.drumlin.internal;

import java.lang.ref.Reference;
import java.nio.Buffer;

/**
 * What the virtual machine tells a thread that has used a mapped file that is shorter now. Up to Java 17 it throws the
 * error not where that happens but at a later point of the thread. That may be in the middle of a lock of somebody else,
 * who then holds it for ever. Thread-safe.
 */
public final class MemoryFault {

    private MemoryFault() {}

    /**
     * Throws now what this thread would get later. To be called after each use of memory of the program, before any lock
     * is taken.
     *
     * @param used what Java code has read or written; for the memory of an array nothing is done
     * @throws InternalError the memory was not there
     */
    // The fence only keeps the compiler from leaving the array out.
    @SuppressWarnings("ReachabilityFenceUsage")
    public static void throwPending(Buffer used) {
        if (used.isDirect()) {
            // An array of eight arrays is made by a call into the virtual machine, also from compiled code, which makes
            // up to six (MultiArrayExpandLimit) by itself. Each return from such a call throws what is pending. A call
            // of
            // a native method does not.
            Object none = new byte[8][0];
            Reference.reachabilityFence(none);
        }
    }
}
