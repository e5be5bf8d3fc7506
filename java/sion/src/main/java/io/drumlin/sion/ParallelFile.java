package io.drumlin.sion;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.format.sion.internal.TaskMapping;
import io.drumlin.sion.internal.Owned;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The physical file of a process among those of a set, and the processes that share it; docs/formats/sion.md, section
 * 6.
 *
 * @param group the processes of the file, in the order of the tasks in it
 * @param number number of the file
 * @param files number of files
 * @param first the world rank of the first process of file 0
 * @param ownGroup whether the group has a communicator of its own
 */
record ParallelFile(Communicator group, int number, int files, int first, boolean ownGroup) {

    /** Returns the file that all processes share. */
    static ParallelFile all(Communicator world, int files) {
        return new ParallelFile(world, 0, files, 0, false);
    }

    /** Returns the file that the options assign to this process. Collective. */
    static ParallelFile of(Communicator world, SionOptions options) throws IOException {
        Optional<Communicator> local = options.localCommunicator;
        if (local.isPresent()) {
            Communicator own = local.get().dup();
            return Owned.by(() -> ofLocal(world, own), own::close);
        }
        int files = options.files;
        if (files == 1) {
            return all(world, 1);
        }
        if (files > world.size()) {
            throw new IllegalArgumentException(files + " files for " + world.size() + " tasks");
        }
        int each = world.size() / files;
        int number = Math.min(world.rank() / each, files - 1);
        int end = number == files - 1 ? world.size() : (number + 1) * each;
        Communicator group = world.subset(IntStream.range(number * each, end).toArray());
        return new ParallelFile(group, number, files, 0, true);
    }

    /** Numbers the files in the order of the first processes of the local communicators. */
    private static ParallelFile ofLocal(Communicator world, Communicator local) throws IOException {
        ByteBuffer isFirst = ByteBuffer.allocate(Integer.BYTES).putInt(0, local.rank() == 0 ? 1 : 0);
        ByteBuffer numbers = ByteBuffer.allocate(world.rank() == 0 ? Integer.BYTES * world.size() : 0);
        world.gather(isFirst, numbers, 0);
        int files = 0;
        for (int rank = 0; rank < numbers.capacity() / Integer.BYTES; rank++) {
            int next = numbers.getInt(Integer.BYTES * rank) == 1 ? files++ : -1;
            numbers.putInt(Integer.BYTES * rank, next);
        }
        ByteBuffer number = ByteBuffer.allocate(Integer.BYTES);
        world.scatter(numbers, number, 0);
        local.bcast(number, 0);
        long[] known = {files, number.getInt(0) == 0 && local.rank() == 0 ? world.rank() : -1};
        world.allreduce(known, Op.MAX);
        return new ParallelFile(local, number.getInt(0), (int) known[0], (int) known[1], true);
    }

    /** At the first process of the first of several files: returns the location of every task. Collective. */
    Optional<TaskMapping> mapping(Communicator world) throws IOException {
        return files == 1 || !ownGroup ? Optional.empty() : mapping(world, first, 0);
    }

    /**
     * At one process: returns the location of every task, with {@code before} other tasks ahead of this file's tasks.
     * Collective.
     */
    Optional<TaskMapping> mapping(Communicator world, int root, int before) throws IOException {
        ByteBuffer pair = ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(number)
                .putInt(before + group.rank())
                .flip();
        boolean here = world.rank() == root;
        ByteBuffer pairs = ByteBuffer.allocate(here ? pair.capacity() * world.size() : 0);
        world.gather(pair, pairs, root);
        if (!here) {
            return Optional.empty();
        }
        int[] fileNumbers = new int[world.size()];
        int[] localRanks = new int[world.size()];
        for (int rank = 0; rank < world.size(); rank++) {
            fileNumbers[rank] = pairs.getInt();
            localRanks[rank] = pairs.getInt();
        }
        return Optional.of(TaskMapping.of(fileNumbers, localRanks));
    }

    void close() throws IOException {
        if (ownGroup) {
            group.close();
        }
    }
}
