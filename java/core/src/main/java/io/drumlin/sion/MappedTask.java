package io.drumlin.sion;

/**
 * A task that a process is going to write, and its place in the files.
 *
 * @param globalRank number of the task in the set; from 0 on without gaps where there are several files
 * @param fileNumber of the physical file it is in, 0 or above
 * @param localRank index of the task in that file, from 0 on without gaps
 * @param chunkSize bytes of a chunk, 0 or above; rounded up to the block size of the file
 */
public record MappedTask(long globalRank, int fileNumber, int localRank, long chunkSize) {}
