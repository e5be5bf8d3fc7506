package io.drumlin.checkpoint.internal.config;

/**
 * Which bit is flipped, and how often.
 *
 * @param rank rank of the application
 * @param index index of the element
 * @param position position of the bit in the element, 0 for the lowest
 * @param number most flips
 * @param frequency seconds that must have passed since the last flip
 */
public record Injection(int rank, int index, int position, int number, int frequency) {}
