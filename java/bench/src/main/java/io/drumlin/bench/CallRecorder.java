package io.drumlin.bench;

import io.drumlin.bench.Call.Operation;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;

/** A communicator, and those made from it, whose calls by one rank are written down. */
final class CallRecorder implements Communicator {

    private final Communicator real;
    private final int jobRanks;
    private final List<Call> calls;

    /** @param calls gets all calls, by one thread at a time */
    CallRecorder(Communicator world, List<Call> calls) {
        this(world, world.size(), calls);
    }

    private CallRecorder(Communicator real, int jobRanks, List<Call> calls) {
        this.real = real;
        this.jobRanks = jobRanks;
        this.calls = calls;
    }

    private void record(Operation operation, long bytes) {
        calls.add(new Call(operation, size() == jobRanks ? Call.ALL : size(), bytes));
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
        record(Operation.BARRIER, 0);
        real.barrier();
    }

    @Override
    public void allreduce(long[] values, Op op) throws IOException {
        record(Operation.ALLREDUCE, (long) values.length * Long.BYTES);
        real.allreduce(values, op);
    }

    @Override
    public long exscan(long value) throws IOException {
        record(Operation.EXSCAN, Long.BYTES);
        return real.exscan(value);
    }

    @Override
    public void bcast(ByteBuffer message, int root) throws IOException {
        record(Operation.BCAST, message.remaining());
        real.bcast(message, root);
    }

    @Override
    public void gather(ByteBuffer part, ByteBuffer all, int root) throws IOException {
        record(Operation.GATHER, part.remaining());
        real.gather(part, all, root);
    }

    @Override
    public void scatter(ByteBuffer all, ByteBuffer part, int root) throws IOException {
        record(Operation.SCATTER, part.remaining());
        real.scatter(all, part, root);
    }

    @Override
    public void allgather(ByteBuffer part, ByteBuffer all) throws IOException {
        record(Operation.ALLGATHER, part.remaining());
        real.allgather(part, all);
    }

    @Override
    public void send(ByteBuffer message, int destination, int tag) throws IOException {
        record(Operation.MESSAGE, message.remaining());
        real.send(message, destination, tag);
    }

    @Override
    public int receive(ByteBuffer message, int source, int tag) throws IOException {
        int length = real.receive(message, source, tag);
        record(Operation.MESSAGE, length);
        return length;
    }

    @Override
    public boolean hasMessage(int source, int tag) throws IOException {
        return real.hasMessage(source, tag);
    }

    @Override
    public Request startSend(ByteBuffer message, int destination, int tag) throws IOException {
        record(Operation.MESSAGE, message.remaining());
        return real.startSend(message, destination, tag);
    }

    @Override
    public Request startReceive(ByteBuffer message, int source, int tag) throws IOException {
        // Of known length.
        record(Operation.MESSAGE, message.remaining());
        return real.startReceive(message, source, tag);
    }

    @Override
    public Communicator dup() throws IOException {
        record(Operation.DUP, 0);
        return new CallRecorder(real.dup(), jobRanks, calls);
    }

    @Override
    public Communicator split(int color, int key) throws IOException {
        record(Operation.SPLIT, 0);
        return new CallRecorder(real.split(color, key), jobRanks, calls);
    }

    @Override
    public Communicator subset(int[] ranks) throws IOException {
        // MPI makes it from a duplicate, and its ranks alone agree on its number.
        record(Operation.DUP, 0);
        calls.add(new Call(Operation.DUP, ranks.length == jobRanks ? Call.ALL : ranks.length, 0));
        return new CallRecorder(real.subset(ranks), jobRanks, calls);
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
