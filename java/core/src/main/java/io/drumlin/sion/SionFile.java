package io.drumlin.sion;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Opens files of SIONlib, in which many tasks have a byte stream each.
 *
 * <pre>{@code
 * try (SionOutput file = SionFile.create(Path.of("data.sion"), world, 1 << 20, SionOptions.defaults())) {
 *     file.writer().write(values, 0, values.length);
 * }
 * try (SionInput file = SionFile.open(Path.of("data.sion"), world, SionOptions.defaults())) {
 *     file.reader().read(values, 0, values.length);
 * }
 * }</pre>
 *
 * <p>A file is written and read by as many processes as it has tasks, by fewer (<em>mapped</em>), or by one without a
 * communicator (<em>serial</em>). The name is stored in the file as it is given. Thread-safe.
 */
public final class SionFile {

    private SionFile() {}

    /**
     * Creates a file with a task for each process. An older one is replaced. Collective.
     *
     * @param path the file, or the first of several
     * @param communicator the processes; it stays the caller's and its messages do not mix with those of the file
     * @param chunkSize bytes of the task's chunk in each block, 0 or above; a task may write more, in further blocks
     * @param options how, equal on all processes
     * @return the file, to be closed by all
     * @throws IOException on every process: the file cannot be made
     */
    public static SionOutput create(Path path, Communicator communicator, long chunkSize, SionOptions options)
            throws IOException {
        return SionOutput.parallel(path, communicator.dup(), chunkSize, options);
    }

    /**
     * Creates a file with any number of tasks for each process. An older one is replaced. Collective.
     *
     * @param path the file, or the first of several
     * @param communicator the processes; it stays the caller's and its messages do not mix with those of the file
     * @param tasks those that this process writes
     * @param options how, equal on all processes
     * @return the file, to be closed by all
     * @throws IOException on every process: the file cannot be made, or the tasks do not fill the files without gaps
     */
    public static SionOutput createMapped(
            Path path, Communicator communicator, List<MappedTask> tasks, SionOptions options) throws IOException {
        return SionOutput.mapped(path, communicator.dup(), tasks, options);
    }

    /**
     * Creates a file whose tasks are all written by this process. An older one is replaced.
     *
     * @param path the file
     * @param chunkSizes bytes of each task's chunk in each block, 0 or above
     * @param options how
     * @return the file; tasks are numbered from 0
     * @throws IOException the file cannot be made
     */
    public static SionOutput create(Path path, long[] chunkSizes, SionOptions options) throws IOException {
        return create(path, chunkSizes, LongStream.range(0, chunkSizes.length).toArray(), options);
    }

    /**
     * Creates a file whose tasks are all written by this process. An older one is replaced.
     *
     * @param path the file
     * @param chunkSizes bytes of each task's chunk in each block, 0 or above
     * @param globalRanks the number of each task, by which {@link SionOutput#writer(long)} knows it
     * @param options how
     * @return the file
     * @throws IOException the file cannot be made
     */
    public static SionOutput create(Path path, long[] chunkSizes, long[] globalRanks, SionOptions options)
            throws IOException {
        return SionOutput.serial(path, chunkSizes, globalRanks, options);
    }

    /**
     * Opens a file for as many processes as it has tasks; each reads the task of its rank. Collective.
     *
     * @param path the file, or the first of several
     * @param communicator the processes; it stays the caller's and its messages do not mix with those of the file
     * @param options how, equal on all processes
     * @return the file, to be closed by all
     * @throws IOException on every process: the file cannot be read, was never closed, or has another number of tasks
     */
    public static SionInput open(Path path, Communicator communicator, SionOptions options) throws IOException {
        return SionInput.parallel(path, communicator.dup(), options);
    }

    /**
     * Opens a file for any number of processes; each gets as many tasks, the last one also what is left. Collective.
     *
     * @param path the file, or the first of several
     * @param communicator the processes; it stays the caller's and its messages do not mix with those of the file
     * @param options how, equal on all processes
     * @return the file, to be closed by all
     * @throws IOException on every process: the file cannot be read or was never closed
     */
    public static SionInput openMapped(Path path, Communicator communicator, SionOptions options) throws IOException {
        return SionInput.shared(path, communicator.dup(), options);
    }

    /**
     * Opens a file for any number of processes; each says which tasks it reads. Collective.
     *
     * @param path the file, or the first of several
     * @param communicator the processes; it stays the caller's and its messages do not mix with those of the file
     * @param tasks those of this process; several processes may read the same task
     * @param options how, equal on all processes
     * @return the file, to be closed by all
     * @throws IOException on every process: the file cannot be read, was never closed, or has no such task
     */
    public static SionInput openMapped(Path path, Communicator communicator, int[] tasks, SionOptions options)
            throws IOException {
        return SionInput.mapped(path, communicator.dup(), tasks, options);
    }

    /**
     * Opens a file with all its tasks for this process. Of a set of files, the first one is all tasks, any other one is its
     * own tasks only.
     *
     * @param path the file
     * @param options how
     * @return the file
     * @throws IOException the file cannot be read or was never closed
     */
    public static SionInput open(Path path, SionOptions options) throws IOException {
        return SionInput.serial(path, options);
    }

    /**
     * Opens a file with one of its tasks for this process.
     *
     * @param path the file, or the first of several
     * @param task index in the set
     * @param options how
     * @return the file
     * @throws IOException the file cannot be read, was never closed, or has no such task
     */
    public static SionInput openTask(Path path, int task, SionOptions options) throws IOException {
        return SionInput.oneTask(path, task, options);
    }
}
