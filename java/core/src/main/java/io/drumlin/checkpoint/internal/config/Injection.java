package io.drumlin.checkpoint.internal.config;

/**
 * Where a bit is flipped, and how often.
 *
 * @param rank of the application
 * @param index of the element
 * @param position of the bit in the element, the lowest first
 * @param number of flips at most
 * @param frequency seconds that must have passed since the last one
 */
public record Injection(int rank, int index, int position, int number, int frequency) {}
