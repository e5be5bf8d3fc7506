package io.drumlin.bench;

import io.drumlin.bench.Call.Operation;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** A communicator, and those made from it, whose calls by one rank are written down. */
final class CallRecorder implements Communicator {

    private final Communicator real;
    private final int jobRanks;
    /** The number of this rank in the job. */
    private final int jobRank;
    /** The ranks of the job in the order of this communicator. */
    private final int[] ranks;

    /** As in {@link Call#members}. */
    private final List<Integer> members;

    private final List<Step> steps;

    /** @param steps gets all calls, by one thread at a time */
    CallRecorder(Communicator world, List<Step> steps) throws IOException {
        this(world, world.size(), world.rank(), steps);
    }

    private CallRecorder(Communicator real, int jobRanks, int jobRank, List<Step> steps) throws IOException {
        this.real = real;
        this.jobRanks = jobRanks;
        this.jobRank = jobRank;
        this.steps = steps;
        ranks = new int[real.size()];
        real.allgather(new int[] {jobRank}, ranks);
        if (ranks.length == jobRanks && ranks[0] != 0) {
            throw new IllegalStateException("rank 0 of the job is not the first of all ranks");
        }
        members = ranks.length == jobRanks
                ? List.of()
                : IntStream.of(ranks).mapToObj(this::distance).toList();
    }

    private int distance(int other) {
        return other - jobRank;
    }

    private void record(Operation operation, int peer, long bytes) {
        steps.add(new Call(operation, members, peer, bytes));
    }

    @Override
    public int rank() {
        return real.rank();
    }

    @Override
    public int size() {
        return real.size();
    }

    @Override
    public void barrier() throws IOException {
        record(Operation.BARRIER, 0, 0);
        real.barrier();
    }

    @Override
    public void allreduce(long[] values, Op op) throws IOException {
        record(Operation.ALLREDUCE, 0, (long) values.length * Long.BYTES);
        real.allreduce(values, op);
    }

    @Override
    public long exscan(long value) throws IOException {
        record(Operation.EXSCAN, 0, Long.BYTES);
        return real.exscan(value);
    }

    @Override
    public void bcast(ByteBuffer message, int root) throws IOException {
        record(Operation.BCAST, root, message.remaining());
        real.bcast(message, root);
    }

    @Override
    public void gather(ByteBuffer part, ByteBuffer all, int root) throws IOException {
        record(Operation.GATHER, root, part.remaining());
        real.gather(part, all, root);
    }

    @Override
    public void scatter(ByteBuffer all, ByteBuffer part, int root) throws IOException {
        record(Operation.SCATTER, root, part.remaining());
        real.scatter(all, part, root);
    }

    @Override
    public void allgather(ByteBuffer part, ByteBuffer all) throws IOException {
        record(Operation.ALLGATHER, 0, part.remaining());
        real.allgather(part, all);
    }

    @Override
    public void send(ByteBuffer message, int destination, int tag) throws IOException {
        record(Operation.SEND, distance(ranks[destination]), message.remaining());
        real.send(message, destination, tag);
    }

    @Override
    public int receive(ByteBuffer message, int source, int tag) throws IOException {
        int length = real.receive(message, source, tag);
        record(Operation.RECEIVE, distance(ranks[source]), length);
        return length;
    }

    @Override
    public boolean hasMessage(int source, int tag) throws IOException {
        return real.hasMessage(source, tag);
    }

    @Override
    public Request startSend(ByteBuffer message, int destination, int tag) throws IOException {
        record(Operation.SEND, distance(ranks[destination]), message.remaining());
        return real.startSend(message, destination, tag);
    }

    @Override
    public Request startReceive(ByteBuffer message, int source, int tag) throws IOException {
        Request started = real.startReceive(message, source, tag);
        return new Request() {
            @Override
            public int await() throws IOException {
                int length = started.await();
                record(Operation.RECEIVE, distance(ranks[source]), length);
                return length;
            }

            @Override
            public void abandon() throws IOException {
                started.abandon();
            }
        };
    }

    @Override
    public Communicator dup() throws IOException {
        record(Operation.DUP, 0, 0);
        return new CallRecorder(real.dup(), jobRanks, jobRank, steps);
    }

    @Override
    public Communicator split(int color, int key) throws IOException {
        record(Operation.SPLIT, 0, 0);
        return new CallRecorder(real.split(color, key), jobRanks, jobRank, steps);
    }

    @Override
    public Communicator subset(int[] members) throws IOException {
        // MPI makes it from a duplicate, and its ranks alone agree on its number.
        record(Operation.DUP, 0, 0);
        CallRecorder subset = new CallRecorder(real.subset(members), jobRanks, jobRank, steps);
        subset.record(Operation.DUP, 0, 0);
        return subset;
    }

    @Override
    public OptionalLong nativeHandle() {
        return OptionalLong.empty();
    }

    @Override
    public void abort(int code) {
        real.abort(code);
    }

    @Override
    public void close() throws IOException {
        real.close();
    }
}
