package io.drumlin.bench;

/**
 * Heap that a rank has allocated in a phase outside its communicator, garbage included: never less than the most that it held at a
 * time.
 *
 * @param bytes of heap
 */
record Allocation(long bytes) implements Step {}
