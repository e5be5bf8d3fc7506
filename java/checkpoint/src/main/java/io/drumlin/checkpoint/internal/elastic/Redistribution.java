package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint.Part;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Distributes the data of a run of another number of ranks to the ranks of this run. Each rank reads what it needs from
 * the files of the ranks that had it.
 */
public final class Redistribution {

    private static final int PIECE_BYTES = 1 << 20;

    private final Communicator app;
    private final ElasticCheckpoint elastic;
    private final ElasticBlockSums sums;
    private final StorageEngine storage;
    private final SlabPool slabs;

    /** Bytes of each variable, by rank of the previous run, for the files that this rank inspects for all ranks. */
    private final Map<Integer, Map<Integer, Long>> sizes = new HashMap<>();

    /**
     * Creates the redistribution of a checkpoint.
     *
     * @param sums checksums of the verified data, computed with slabs of this size
     */
    public Redistribution(
            Communicator app, ElasticCheckpoint elastic, ElasticBlockSums sums, StorageEngine storage, SlabPool slabs) {
        this.app = app;
        this.elastic = elastic;
        this.sums = sums;
        this.storage = storage;
        this.slabs = slabs;
    }

    public ElasticCheckpoint elastic() {
        return elastic;
    }

    /**
     * A variable of which each rank needs another part.
     *
     * @param shares map of the previous run
     * @param held elements that this rank holds
     * @param found places whose elements were found
     */
    private record Distributed(
            int id, ProtectedData data, long elementBytes, ElementMap shares, ElementRanges held, BitSet found) {

        /** Marks places as found; returns whether they are new. */
        boolean find(long place, long length) {
            int from = (int) place;
            int to = (int) (place + length);
            int known = found.nextSetBit(from);
            found.set(from, to);
            return known < 0 || known >= to;
        }
    }

    /**
     * Recovers variables. Collective.
     *
     * @param data the variables, with the same ids on all ranks
     * @param all whether they must be all stored variables
     * @throws IOException on all ranks, if it failed on any; data may be partly overwritten
     */
    public void recover(Map<Integer, ProtectedData> data, boolean all) throws IOException {
        Map<Integer, ProtectedData> ordered = new TreeMap<>(data);
        Agreement.run(app, "recovery", () -> requireStored(ordered.keySet(), all));
        requireSameOnAllRanks(ordered.keySet());
        List<Distributed> distributed = new ArrayList<>();
        for (Map.Entry<Integer, ProtectedData> variable : ordered.entrySet()) {
            int id = variable.getKey();
            long[] stored = storedBytes(id);
            expect(variable.getValue(), stored);
            long[] present = presentBytes(variable.getValue());
            boolean replicated = Agreement.call(app, "recovery of variable " + id, () -> {
                Distribution distribution = distribution(id, variable.getValue());
                if (distribution instanceof Distribution.Replicated) {
                    requireEqual(id, stored, present);
                    return true;
                }
                distributed.add(distributed(id, variable.getValue(), distribution, stored, present));
                return false;
            });
            if (replicated) {
                replicate(id, variable.getValue());
            }
        }
        Agreement.run(app, "recovery", () -> read(distributed));
    }

    private void requireStored(Set<Integer> ids, boolean all) throws IOException {
        for (int rank = app.rank(); rank < elastic.ranks(); rank += app.size()) {
            Part part = elastic.part(rank);
            sizes.put(rank, part.file().sizes());
            Set<Integer> stored = part.file().sizes().keySet();
            if (all ? !stored.equals(ids) : !stored.containsAll(ids)) {
                throw DrumlinException.during("recovery")
                        .path(part.path())
                        .rank(app.rank())
                        .problem("the variables " + ids + " are wanted and rank " + rank + " stored "
                                + new TreeSet<>(stored))
                        .advice("protect exactly the variables that are stored before recovering")
                        .exception();
            }
        }
    }

    private void requireSameOnAllRanks(Set<Integer> ids) throws IOException {
        long[] hashes = {ids.hashCode(), -(long) ids.hashCode(), ids.size(), -ids.size()};
        app.allreduce(hashes, Op.MAX);
        if (hashes[0] != -hashes[1] || hashes[2] != -hashes[3]) {
            throw DrumlinException.during("recovery")
                    .rank(app.rank())
                    .problem("the ranks do not want the same variables; this one wants " + ids)
                    .advice("protect the same variables on all ranks")
                    .exception();
        }
    }

    /** Returns the bytes of a variable that each rank of the previous run stored. */
    private long[] storedBytes(int id) throws IOException {
        long[] bytes = new long[elastic.ranks()];
        sizes.forEach((rank, ofRank) -> bytes[rank] = ofRank.getOrDefault(id, 0L));
        app.allreduce(bytes, Op.SUM);
        return bytes;
    }

    /** Returns the bytes of a variable of each rank, without the message of each rank to each other of an allgather. */
    private long[] presentBytes(ProtectedData data) throws IOException {
        long[] bytes = new long[app.size()];
        bytes[app.rank()] = data.size();
        app.allreduce(bytes, Op.SUM);
        return bytes;
    }

    /** An object has no size before: it gets that of its own former rank, or of the first one if all have the same. */
    private void expect(ProtectedData data, long[] stored) {
        if (data.isObject()) {
            boolean own = data.distribution().isEmpty() && app.rank() < stored.length;
            data.expect(stored[own ? app.rank() : 0]);
        }
    }

    /**
     * Returns the distribution given by the program. On as many ranks as before none is needed, because each rank
     * recovers its own data.
     */
    private Distribution distribution(int id, ProtectedData data) throws DrumlinException {
        if (data.distribution().isPresent()) {
            return data.distribution().get();
        }
        if (elastic.ranks() == app.size()) {
            return Distribution.contiguous();
        }
        throw refused(
                id,
                "it was stored by " + elastic.ranks() + " ranks, there are " + app.size()
                        + " now, and the program does not say how it is distributed",
                "say so with distribute(" + id + ", ...), or restart with " + elastic.ranks() + " ranks");
    }

    private DrumlinException refused(int id, String problem, String advice) {
        return DrumlinException.during("recovery of variable " + id)
                .rank(app.rank())
                .problem(problem)
                .advice(advice)
                .exception();
    }

    private void requireEqual(int id, long[] stored, long[] present) throws DrumlinException {
        for (int rank = 0; rank < stored.length; rank++) {
            requireSize(id, "replicated()", "rank " + rank + " of the former run stored", stored[rank], stored[0]);
        }
        for (int rank = 0; rank < present.length; rank++) {
            requireSize(id, "replicated()", "rank " + rank + " protects", present[rank], stored[0]);
        }
    }

    private void requireSize(int id, Object distribution, String who, long bytes, long expected)
            throws DrumlinException {
        if (bytes != expected) {
            throw refused(
                    id,
                    who + " " + bytes + " bytes, and by its distribution, " + distribution + ", it would be "
                            + expected,
                    "give the distribution that the run had which took the checkpoint, and protect what it says");
        }
    }

    private Distributed distributed(
            int id, ProtectedData data, Distribution distribution, long[] stored, long[] present) throws IOException {
        try {
            long elementBytes = elementBytes(data, distribution, present);
            ElementMap before = shares(id, distribution, elementBytes, stored, "of the former run stored");
            ElementMap now = shares(id, distribution, elementBytes, present, "protects");
            if (before.length() != now.length()) {
                throw refused(
                        id,
                        "the former run stored " + before.length() + " elements and this one protects " + now.length(),
                        "protect as many on all ranks together");
            }
            return new Distributed(id, data, elementBytes, before, ElementRanges.of(now, app.rank()), new BitSet());
        } catch (IllegalArgumentException e) {
            throw DrumlinException.during("recovery of variable " + id)
                    .rank(app.rank())
                    .problem("its distribution, " + distribution + ", cannot be: " + e.getMessage())
                    .cause(e)
                    .exception();
        }
    }

    /**
     * Returns the bytes of an element, from the size of the protected data and the number of elements in the
     * distribution.
     */
    private static long elementBytes(ProtectedData data, Distribution distribution, long[] present) {
        for (int rank = 0; rank < present.length; rank++) {
            long places = ElementMaps.places(distribution, rank, present.length);
            if (places > 0) {
                return Math.max(1, present[rank] / places);
            }
        }
        return data.type().size();
    }

    private ElementMap shares(int id, Distribution distribution, long elementBytes, long[] bytes, String did)
            throws DrumlinException {
        long[] places = new long[bytes.length];
        for (int rank = 0; rank < bytes.length; rank++) {
            long expected = ElementMaps.places(distribution, rank, bytes.length);
            places[rank] = expected < 0 ? bytes[rank] / elementBytes : expected;
            requireSize(
                    id,
                    distribution + " of " + elementBytes + " bytes on " + bytes.length + " ranks",
                    "rank " + rank + " " + did,
                    bytes[rank],
                    Math.multiplyExact(places[rank], elementBytes));
        }
        return ElementMaps.of(distribution, places);
    }

    /**
     * Rank 0 reads the variable for all ranks, and all ranks check that the ranks of the previous run had the same
     * data.
     */
    private void replicate(int id, ProtectedData data) throws IOException {
        Agreement.run(app, "recovery of variable " + id, () -> {
            if (app.rank() == 0) {
                readAll(id, 0, data.size(), data::copyIn);
            }
        });
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, data.size()));
        for (long position = 0; position < data.size(); position += piece.capacity()) {
            piece.clear().limit((int) Math.min(piece.capacity(), data.size() - position));
            data.copyOut(position, piece);
            app.bcast(piece.flip(), 0);
            data.copyIn(position, piece);
        }
        Agreement.run(app, "recovery of variable " + id, () -> {
            for (int rank = app.rank(); rank < elastic.ranks(); rank += app.size()) {
                int compared = rank;
                readAll(id, rank, data.size(), (position, bytes) -> requireSame(id, compared, data, position, bytes));
            }
        });
    }

    private void requireSame(int id, int previousRank, ProtectedData data, long position, ByteBuffer bytes)
            throws DrumlinException {
        ByteBuffer own = ByteBuffer.allocate(bytes.remaining());
        data.copyOut(position, own);
        int mismatch = own.flip().mismatch(bytes);
        if (mismatch >= 0) {
            throw refused(
                    id,
                    "it is said to be replicated, and rank " + previousRank
                            + " of the former run stored something else than rank 0, from byte " + (position + mismatch)
                            + " on",
                    "give its distribution, or restart with " + elastic.ranks() + " ranks");
        }
    }

    private ElasticReader open(int previousRank) throws IOException {
        Part part = elastic.part(previousRank);
        return new ElasticReader(part, sums.of(previousRank, part), storage, slabs);
    }

    private void readAll(int id, int previousRank, long size, ElasticReader.Target target) throws IOException {
        try (ElasticReader reader = open(previousRank)) {
            reader.variable(id, target);
            reader.read(0, 0, size);
            reader.finish();
        } finally {
            slabs.drain();
        }
    }

    private void read(List<Distributed> variables) throws IOException {
        // Ranks begin with different files.
        int first = (int) ((long) app.rank() * elastic.ranks() / app.size());
        try {
            for (int i = 0; i < elastic.ranks(); i++) {
                readFrom((first + i) % elastic.ranks(), variables);
            }
        } finally {
            slabs.drain();
        }
        for (Distributed variable : variables) {
            long held = variable.held.count();
            int found = variable.found.cardinality();
            if (found != held) {
                throw notOnce(
                        variable,
                        "rank " + app.rank() + " has " + held + " elements of which the former run had " + found);
            }
        }
    }

    private DrumlinException notOnce(Distributed variable, String problem) {
        return refused(
                variable.id,
                "by its distribution " + problem,
                "let the index function give each element at one place of one rank, for any number of ranks");
    }

    /** Opens the file of a previous rank only if it has needed data. */
    private void readFrom(int previousRank, List<Distributed> variables) throws IOException {
        ElasticReader[] reader = new ElasticReader[1];
        try {
            for (Distributed variable : variables) {
                boolean[] begun = new boolean[1];
                variable.shares.owned(previousRank, variable.held.among((from, to, length) -> {
                    if (reader[0] == null) {
                        reader[0] = open(previousRank);
                    }
                    if (!begun[0]) {
                        begun[0] = true;
                        reader[0].variable(variable.id, variable.data::copyIn);
                    }
                    if (!variable.find(to, length)) {
                        throw notOnce(
                                variable, "several ranks of the former run had one element, of rank " + previousRank);
                    }
                    long bytes = variable.elementBytes;
                    reader[0].read(from * bytes, to * bytes, length * bytes);
                }));
            }
            if (reader[0] != null) {
                reader[0].finish();
            }
        } finally {
            if (reader[0] != null) {
                reader[0].close();
            }
        }
    }
}
