package io.drumlin.bench;

import io.drumlin.bench.Call.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The time that a phase of a job takes by a model. Each rank has a clock. Messages cost what LogGP says. An operation on a
 * shared file system waits in the queue of one server of metadata. Computing, the data of files and other users of the machine cost
 * nothing.
 *
 * <p>In a job of more ranks than have been recorded, the ranks of the first sector act as they did. Those of the second one stand
 * for all others: each of their operations keeps the server busy for all of them. A rank that has messages with each of the others
 * waits for those of the two sectors, and the messages with the others cost it an overhead each.
 */
final class Replay {

    /**
     * Seconds from the sender to the receiver. This, the overhead and the gap are the defaults of LogGOPSim, a simulator of MPI
     * programs, for InfiniBand.
     */
    static final double LATENCY = 2.5e-6;

    /** Seconds of a processor for a message, at the sender and at the receiver. */
    static final double OVERHEAD = 1.5e-6;

    /** Least seconds between two messages of a rank. */
    static final double GAP = 1e-6;

    /** Seconds for a byte: a link of 100 Gbit/s. */
    static final double GAP_PER_BYTE = 8 / 100e9;

    /** Seconds of an operation on the disk of a node; assumed. */
    static final double ON_NODE = 10e-6;

    /** The bytes of a color and a key in a split. */
    private static final int SEAT = 8;

    /** Operations for each rank are told from those of chance if they are a multiple of this. */
    private static final double SLOPE = 1.0 / Step.SECTOR;

    private static final List<Integer> ALL = List.of();

    private final int jobRanks;
    private final List<Deque<Step>> todo = new ArrayList<>();
    private final double[] clocks;
    private final boolean[] waits;
    private double serverIsFree;
    private final Map<List<Integer>, Integer> arrived = new HashMap<>();
    private final Map<Link, Deque<Double>> messages = new HashMap<>();

    private record Link(int from, int to) {}

    /**
     * The times at which ranks are ready.
     *
     * @param first the first rank
     * @param last the last of all
     */
    record Seconds(double first, double last) {}

    private Replay(int jobRanks, List<List<Step>> schedules) {
        this.jobRanks = jobRanks;
        schedules.forEach(steps -> todo.add(new ArrayDeque<>(steps)));
        clocks = new double[schedules.size()];
        waits = new boolean[schedules.size()];
    }

    /**
     * Replays a phase.
     *
     * @param schedules of all ranks, or of those of the first two sectors of a larger job
     */
    static Seconds of(int jobRanks, List<List<Step>> schedules) {
        Replay replay = new Replay(jobRanks, schedules);
        replay.run();
        return new Seconds(replay.clocks[0], replay.latest(replay.all()));
    }

    /**
     * Returns the steps of a rank in a job that is larger than two that were recorded. The calls of a communicator are the same.
     * The operations on files
     * between two of them, and the messages of ranks outside the first two sectors, grow by as many for each rank as they did
     * between the two.
     *
     * @param rank one of the first two sectors
     */
    static List<Step> grown(int rank, List<Step> few, int fewRanks, List<Step> many, int manyRanks, int jobRanks) {
        List<Map<Step, Long>> before = between(rank, few);
        List<Map<Step, Long>> after = between(rank, many);
        List<Call> calls = ScaleModel.calls(many).stream()
                .filter(call -> !isFar(rank, call))
                .toList();
        if (before.size() != after.size()) {
            throw new IllegalStateException(
                    before.size() - 1 + " calls with " + fewRanks + " ranks, " + calls.size() + " with " + manyRanks);
        }
        Map<Operation, Double> bytes = ScaleModel.calls(many).stream()
                .filter(call -> isFar(rank, call))
                .collect(Collectors.groupingBy(Call::operation, Collectors.averagingLong(Call::bytes)));
        List<Step> grown = new ArrayList<>();
        for (int i = 0; i < after.size(); i++) {
            Map<Step, Long> start = before.get(i);
            after.get(i).forEach((step, count) -> {
                double slope = (double) (count - start.getOrDefault(step, 0L)) / (manyRanks - fewRanks);
                double real = Math.round(slope / SLOPE) * SLOPE;
                long grownCount = count + Math.round(real * (jobRanks - manyRanks));
                grown.add(
                        step instanceof FarMessages messages
                                ? messages.times(grownCount, bytes.getOrDefault(messages.operation(), 0.0))
                                : ((FileOperation) step).times(grownCount));
            });
            if (i < calls.size()) {
                grown.add(ofAll(calls.get(i)));
            }
        }
        return grown;
    }

    /** Counts the steps that grow: those before the first other call, between two of them, and after the last. */
    private static List<Map<Step, Long>> between(int rank, List<Step> steps) {
        List<Map<Step, Long>> between = new ArrayList<>();
        between.add(new LinkedHashMap<>());
        for (Step step : steps) {
            Map<Step, Long> current = between.get(between.size() - 1);
            if (step instanceof FileOperation operation) {
                current.merge(operation.times(1), operation.count(), Long::sum);
            } else if (step instanceof Call call && isFar(rank, call)) {
                current.merge(new FarMessages(call.operation(), 0, 1), 1L, Long::sum);
            } else if (step instanceof Call) {
                between.add(new LinkedHashMap<>());
            }
        }
        return between;
    }

    /** A communicator with a rank of each node grows with the job. It is taken for one of all ranks. */
    private static Call ofAll(Call call) {
        return call.members().size() > Step.SECTOR ? new Call(call.operation(), ALL, call.peer(), call.bytes()) : call;
    }

    private static boolean isFar(int rank, Call call) {
        boolean message = call.operation() == Operation.SEND || call.operation() == Operation.RECEIVE;
        return message && rank + call.peer() >= 2 * Step.SECTOR;
    }

    private List<Integer> all() {
        return IntStream.range(0, clocks.length).boxed().toList();
    }

    private double latest(Collection<Integer> ranks) {
        return Collections.max(ranks.stream().map(rank -> clocks[rank]).toList());
    }

    private void run() {
        for (int rank = next(); rank >= 0; rank = next()) {
            Step step = todo.get(rank).remove();
            if (step instanceof FileOperation operation) {
                file(rank, operation);
            } else if (step instanceof FarMessages far) {
                clocks[rank] += far.count() * Math.max(OVERHEAD, GAP) + far.bytes() * GAP_PER_BYTE;
            } else if (step instanceof Call call) {
                call(rank, call);
            }
        }
        List<Integer> stuck = all().stream().filter(rank -> waits[rank]).toList();
        if (!stuck.isEmpty()) {
            throw new IllegalStateException("ranks " + stuck + " wait for others that do not come");
        }
    }

    /** The rank that is first to do something; -1 if all are ready, or wait. */
    private int next() {
        int first = -1;
        for (int rank = 0; rank < clocks.length; rank++) {
            if (!waits[rank] && !todo.get(rank).isEmpty() && (first < 0 || clocks[rank] < clocks[first])) {
                first = rank;
            }
        }
        return first;
    }

    /** Ranks of the job that act like this one. */
    private double alike(int rank) {
        return clocks.length == jobRanks || rank < Step.SECTOR
                ? 1
                : (double) (jobRanks - Step.SECTOR) / (clocks.length - Step.SECTOR);
    }

    /** The rank that stands for one of the job. */
    private int standIn(int rank) {
        return rank < clocks.length ? rank : Step.SECTOR + rank % Step.SECTOR;
    }

    private void file(int rank, FileOperation operation) {
        if (!operation.shared()) {
            clocks[rank] += operation.count() * ON_NODE;
            return;
        }
        double service = operation.kind().service();
        serverIsFree = Math.max(serverIsFree, clocks[rank]) + alike(rank) * service;
        clocks[rank] = serverIsFree + operation.kind().latency() - service;
        if (operation.count() > 1) {
            todo.get(rank).push(operation.times(operation.count() - 1));
        }
    }

    private void call(int rank, Call call) {
        switch (call.operation()) {
            case SEND -> send(rank, call);
            case RECEIVE -> receive(rank, call);
            default -> meet(rank, call);
        }
    }

    private void send(int rank, Call call) {
        int to = standIn(rank + call.peer());
        clocks[rank] += OVERHEAD;
        messages.computeIfAbsent(new Link(rank, to), link -> new ArrayDeque<>())
                .add(clocks[rank] + LATENCY + call.bytes() * GAP_PER_BYTE);
        if (waits[to] && todo.get(to).peek() instanceof Call next && next.operation() == Operation.RECEIVE) {
            waits[to] = false;
        }
    }

    private void receive(int rank, Call call) {
        Deque<Double> sent = messages.getOrDefault(new Link(standIn(rank + call.peer()), rank), new ArrayDeque<>());
        if (sent.isEmpty()) {
            todo.get(rank).push(call);
            waits[rank] = true;
        } else {
            clocks[rank] = Math.max(clocks[rank], sent.remove()) + OVERHEAD;
        }
    }

    private void meet(int rank, Call call) {
        List<Integer> ranks = call.members().isEmpty()
                ? all()
                : call.members().stream().map(distance -> rank + distance).toList();
        List<Integer> key = call.members().isEmpty() ? ALL : ranks;
        waits[rank] = true;
        if (arrived.merge(key, 1, Integer::sum) == ranks.size()) {
            arrived.remove(key);
            leave(ranks, call);
            ranks.forEach(member -> waits[member] = false);
        }
    }

    /** Sets the clocks of ranks that have met. */
    private void leave(List<Integer> ranks, Call call) {
        int count = call.count(jobRanks);
        int rounds = Call.rounds(count);
        double last = latest(ranks);
        double part = call.bytes() * GAP_PER_BYTE;
        double hop = OVERHEAD + LATENCY + OVERHEAD + part;
        int root = call.members().isEmpty() ? standIn(call.peer()) : ranks.get(call.peer());
        double atRoot = clocks[root];
        // One after the other, each of them a message that the rank itself sends or receives.
        double burst = (count - 1) * (Math.max(OVERHEAD, GAP) + part);
        switch (call.operation()) {
            case BCAST -> {
                set(ranks, atRoot + rounds * hop);
                clocks[root] = atRoot + rounds * (OVERHEAD + part);
            }
            case SCATTER -> {
                set(ranks, atRoot + burst + LATENCY + OVERHEAD);
                clocks[root] = atRoot + burst;
            }
            case GATHER -> {
                ranks.forEach(rank -> clocks[rank] += OVERHEAD);
                clocks[root] = Math.max(last + OVERHEAD + LATENCY, atRoot) + burst;
            }
            case ALLREDUCE -> set(ranks, last + 2 * rounds * hop);
            case DUP -> set(ranks, last + 2 * rounds * (hop + Long.BYTES * GAP_PER_BYTE));
            case ALLGATHER -> set(ranks, last + LATENCY + 2 * burst);
            case SPLIT -> set(ranks, last + rounds * hop + (count - 1.0) * SEAT * GAP_PER_BYTE);
            default -> set(ranks, last + rounds * hop);
        }
    }

    /** No rank is ready before it came. */
    private void set(List<Integer> ranks, double ready) {
        ranks.forEach(rank -> clocks[rank] = Math.max(clocks[rank], ready));
    }
}
