package io.drumlin.sion;

/**
 * A task that a process will write, and its location in the files.
 *
 * @param globalRank number of the task in the set; a set of several files needs all numbers from 0 without gaps
 * @param fileNumber number of the task's physical file, 0 or above
 * @param localRank index of the task in that file, from 0 without gaps
 * @param chunkSize size of a chunk in bytes, 0 or above; it is rounded up to the block size of the file
 */
public record MappedTask(long globalRank, int fileNumber, int localRank, long chunkSize) {}
