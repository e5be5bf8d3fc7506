package io.drumlin.sion;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Opens SIONlib files. Such a file holds one byte stream for each of many tasks.
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
 * <p>A file is written and read by one process per task, by fewer processes (<em>mapped</em>), or by one without a
 * communicator (<em>serial</em>). The file stores its name as the caller gives it. Thread-safe.
 */
public final class SionFile {

    private SionFile() {}

    /**
     * Creates a file with a task for each process. An older one is replaced. Collective.
     *
     * @param path the file, or the first of several
     * @param communicator the processes; the caller keeps it, and its messages do not mix with those of the file
     * @param chunkSize size in bytes of the task's chunk in each block, 0 or above; what exceeds it goes to further
     *     blocks
     * @param options the options, equal on all processes
     * @return the file, which all processes must close
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
     * @param communicator the processes; the caller keeps it, and its messages do not mix with those of the file
     * @param tasks the tasks that this process writes
     * @param options the options, equal on all processes
     * @return the file, which all processes must close
     * @throws IOException on every process: the file cannot be made, or the tasks do not fill the files without gaps
     */
    public static SionOutput createMapped(
            Path path, Communicator communicator, List<MappedTask> tasks, SionOptions options) throws IOException {
        return SionOutput.mapped(path, communicator.dup(), tasks, options);
    }

    /**
     * Creates a file in which this process writes all tasks. An older one is replaced.
     *
     * @param path the file
     * @param chunkSizes size in bytes of each task's chunk in each block, 0 or above
     * @param options the options
     * @return the file; tasks are numbered from 0
     * @throws IOException the file cannot be made
     */
    public static SionOutput create(Path path, long[] chunkSizes, SionOptions options) throws IOException {
        return create(path, chunkSizes, LongStream.range(0, chunkSizes.length).toArray(), options);
    }

    /**
     * Creates a file in which this process writes all tasks. An older one is replaced.
     *
     * @param path the file
     * @param chunkSizes size in bytes of each task's chunk in each block, 0 or above
     * @param globalRanks the number of each task; {@link SionOutput#writer(long)} takes it
     * @param options the options
     * @return the file
     * @throws IOException the file cannot be made
     */
    public static SionOutput create(Path path, long[] chunkSizes, long[] globalRanks, SionOptions options)
            throws IOException {
        return SionOutput.serial(path, chunkSizes, globalRanks, options);
    }

    /**
     * Opens a file with one process per task; each process reads the task of its rank. Collective.
     *
     * @param path the file, or the first of several
     * @param communicator the processes; the caller keeps it, and its messages do not mix with those of the file
     * @param options the options, equal on all processes
     * @return the file, which all processes must close
     * @throws IOException on every process: the file cannot be read, was never closed, or has another number of tasks
     */
    public static SionInput open(Path path, Communicator communicator, SionOptions options) throws IOException {
        return SionInput.parallel(path, communicator.dup(), options);
    }

    /**
     * Opens a file for any number of processes; each gets the same number of tasks, and the last one also the
     * remainder. Collective.
     *
     * @param path the file, or the first of several
     * @param communicator the processes; the caller keeps it, and its messages do not mix with those of the file
     * @param options the options, equal on all processes
     * @return the file, which all processes must close
     * @throws IOException on every process: the file cannot be read or was never closed
     */
    public static SionInput openMapped(Path path, Communicator communicator, SionOptions options) throws IOException {
        return SionInput.shared(path, communicator.dup(), options);
    }

    /**
     * Opens a file for any number of processes; each names the tasks that it reads. Collective.
     *
     * @param path the file, or the first of several
     * @param communicator the processes; the caller keeps it, and its messages do not mix with those of the file
     * @param tasks the tasks of this process; several processes may read the same task
     * @param options the options, equal on all processes
     * @return the file, which all processes must close
     * @throws IOException on every process: the file cannot be read, was never closed, or has no such task
     */
    public static SionInput openMapped(Path path, Communicator communicator, int[] tasks, SionOptions options)
            throws IOException {
        return SionInput.mapped(path, communicator.dup(), tasks, options);
    }

    /**
     * Opens a file with all its tasks for this process. The first file of a set gives all tasks of the set; any other
     * file gives its own tasks only.
     *
     * @param path the file
     * @param options the options
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
     * @param task index of the task in the set
     * @param options the options
     * @return the file
     * @throws IOException the file cannot be read, was never closed, or has no such task
     */
    public static SionInput openTask(Path path, int task, SionOptions options) throws IOException {
        return SionInput.oneTask(path, task, options);
    }
}
