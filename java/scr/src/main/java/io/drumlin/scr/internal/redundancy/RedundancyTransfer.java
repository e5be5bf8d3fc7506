package io.drumlin.scr.internal.redundancy;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.comm.internal.PairExchange;
import io.drumlin.comm.internal.PairExchange.Side;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.integrity.Gf256;
import io.drumlin.scr.internal.settings.CopyType;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves the bytes of one set, slab by slab. For each slab that a rank sends, another one posts a receive at the same
 * moment. A rank whose files fail continues with zeros, so that no other rank waits for it, and throws at the end.
 */
final class RedundancyTransfer implements Closeable {

    private static final int SLAB = 1 << 18;
    private static final int TAG = 3;

    private final RedundancySet set;
    private final Communicator comm;
    private final KvTree header;
    private final Redundancy redundancy;
    private final BlockFile file;
    private final long start;
    private final ByteBuffer out = ByteBuffer.allocateDirect(SLAB);
    private final ByteBuffer in = ByteBuffer.allocateDirect(SLAB);
    private final byte[] bytes = new byte[SLAB];
    private @Nullable IOException failure;

    /**
     * @param file the redundancy file of this rank
     * @param start the offset of its data
     */
    RedundancyTransfer(RedundancySet set, KvTree header, Redundancy redundancy, BlockFile file, long start) {
        this.set = set;
        this.comm = set.comm();
        this.header = header;
        this.redundancy = redundancy;
        this.file = file;
        this.start = start;
    }

    /** Returns the number of bytes after the header of a rank's redundancy file. */
    static long payload(RedundancySet set, KvTree header, Redundancy redundancy) throws DrumlinException {
        return switch (set.type()) {
            case SINGLE -> 0;
            case PARTNER -> {
                long copies = 0;
                for (int distance = 1; distance <= set.count(); distance++) {
                    copies += redundancy.size(member(header, set.right(-distance)));
                }
                yield copies;
            }
            case XOR, RS -> set.code().sums() * KvFields.number(header, "CHUNK").orElse(0);
        };
    }

    /**
     * Returns the distance to the right from a lost rank to the next holder of a copy of its files; 0 if there is none.
     */
    static int holder(RedundancySet set, List<Integer> lost, int rank) {
        for (int distance = 1; distance <= set.count(); distance++) {
            if (!lost.contains((rank + distance) % set.size())) {
                return distance;
            }
        }
        return 0;
    }

    private static KvTree member(KvTree header, int rank) {
        KvTree member = header.find("DESC", Integer.toString(rank));
        return member == null ? new KvTree() : member;
    }

    /** Returns the size in bytes of all files of a member of the set. */
    private long size(int rank) throws DrumlinException {
        return redundancy.size(member(header, rank));
    }

    /** Fills this rank's redundancy file. */
    void encode() throws IOException {
        try (LogicalFile own = open(false)) {
            if (set.type() == CopyType.PARTNER) {
                long position = start;
                for (int distance = 1; distance <= set.count(); distance++) {
                    position += copy(own, distance, position);
                }
            } else if (set.type() != CopyType.SINGLE) {
                encodeStripes(own, set.code());
            }
        }
        writeHeader();
        end("protecting files");
    }

    /** Sends this rank's files to the right and writes the files of the rank on the left. */
    private long copy(@Nullable LogicalFile own, int distance, long position) throws IOException {
        int left = set.right(-distance);
        exchange(
                sent(set.right(distance), size(set.rank()), (bytes, offset) -> read(own, bytes, offset)),
                received(left, size(left), (bytes, offset) -> write(bytes, position + offset)));
        return size(left);
    }

    private void exchange(Side outgoing, Side incoming) throws IOException {
        PairExchange.run(comm, TAG, SLAB, outgoing, incoming);
    }

    private Side sent(int to, long size, PairExchange.Step read) {
        return new Side(to, size, length -> out.clear().limit(length), read);
    }

    private Side received(int from, long size, PairExchange.Step write) {
        return new Side(from, size, length -> in.clear().limit(length), write);
    }

    private void encodeStripes(@Nullable LogicalFile own, StripeCode code) throws IOException {
        long chunk = KvFields.number(header, "CHUNK").orElse(0);
        byte[][] sums = new byte[code.sums()][SLAB];
        for (long offset = 0; offset < chunk; offset += SLAB) {
            int length = length(offset, chunk);
            for (byte[] sum : sums) {
                Arrays.fill(sum, (byte) 0);
            }
            for (int distance = 1; distance < set.size(); distance++) {
                for (int e = 0; e < code.sums(); e++) {
                    addSum(own, code, chunk, offset, length, distance, e, sums[e]);
                }
            }
            for (int e = 0; e < code.sums(); e++) {
                write(ByteBuffer.wrap(sums[e], 0, length), start + e * chunk + offset);
            }
        }
    }

    /**
     * Sends the data that the rank on the right needs for its e-th sum, and adds the data from the left to this rank's
     * sum.
     */
    private void addSum(
            @Nullable LogicalFile own,
            StripeCode code,
            long chunk,
            long offset,
            int length,
            int distance,
            int e,
            byte[] sum)
            throws IOException {
        int right = set.right(distance);
        int left = set.right(-distance);
        int rightStripe = (right + e) % set.size();
        int ownStripe = (set.rank() + e) % set.size();
        Side outgoing = Side.NONE;
        if (code.isData(set.rank(), rightStripe)) {
            long position = code.position(set.rank(), rightStripe) * chunk + offset;
            outgoing = sent(right, length, (piece, start) -> read(own, piece, position));
        }
        Side incoming = Side.NONE;
        if (code.isData(left, ownStripe)) {
            incoming = received(left, length, (piece, start) -> add(sum, piece, code.factor(e, left)));
        }
        exchange(outgoing, incoming);
    }

    private void add(byte[] sum, ByteBuffer piece, int factor) {
        piece.get(0, bytes, 0, piece.limit());
        Gf256.addMultiple(sum, bytes, factor, piece.limit());
    }

    /**
     * Rebuilds the files and the redundancy files of lost ranks.
     *
     * @param lost ranks of the set, in ascending order
     */
    void rebuild(List<Integer> lost) throws IOException {
        boolean isLost = lost.contains(set.rank());
        if (isLost) {
            // The redundancy file becomes durable while it is empty. So a crash cannot leave one that has its full
            // length but not all its bytes.
            attempt(file::sync);
        }
        try (LogicalFile own = open(isLost)) {
            if (set.type() == CopyType.PARTNER) {
                rebuildCopies(own, lost);
            } else {
                rebuildStripes(own, lost, isLost);
            }
            if (isLost && own != null) {
                attempt(own::sync);
            }
        }
        if (set.type() == CopyType.PARTNER) {
            try (LogicalFile own = open(false)) {
                copyToLost(own, lost);
            }
        }
        if (isLost) {
            attempt(file::sync);
            writeHeader();
        }
        end("rebuilding files");
    }

    /**
     * Writes the header after everything else is in place. Without the header, the rank counts as one that has lost its
     * files.
     */
    private void writeHeader() {
        attempt(() -> file.write(KvTreeFile.encode(header), 0));
    }

    /** Gives each lost rank its files back, as the first step. */
    private void rebuildCopies(@Nullable LogicalFile own, List<Integer> lost) throws IOException {
        for (int rank : lost) {
            int distance = holder(set, lost, rank);
            int holder = (rank + distance) % set.size();
            if (set.rank() == holder) {
                long before = start;
                for (int d = 1; d < distance; d++) {
                    before += size(set.right(-d));
                }
                long position = before;
                exchange(sent(rank, size(rank), (bytes, offset) -> readPayload(bytes, position + offset)), Side.NONE);
            } else if (set.rank() == rank) {
                exchange(Side.NONE, received(holder, size(rank), (bytes, offset) -> writeData(own, bytes, offset)));
            }
        }
    }

    /**
     * Gives each lost rank the copies that it must keep, as the second step. Their owners have their files again by
     * now.
     */
    private void copyToLost(@Nullable LogicalFile own, List<Integer> lost) throws IOException {
        for (int rank : lost) {
            long end = start;
            for (int distance = 1; distance <= set.count(); distance++) {
                int owner = Math.floorMod(rank - distance, set.size());
                if (set.rank() == rank) {
                    long position = end;
                    exchange(
                            Side.NONE,
                            received(owner, size(owner), (bytes, offset) -> write(bytes, position + offset)));
                    end += size(owner);
                } else if (set.rank() == owner) {
                    exchange(sent(rank, size(owner), (bytes, offset) -> read(own, bytes, offset)), Side.NONE);
                }
            }
        }
    }

    private void rebuildStripes(@Nullable LogicalFile own, List<Integer> lost, boolean isLost) throws IOException {
        StripeCode code = set.code();
        long chunk = KvFields.number(header, "CHUNK").orElse(0);
        List<int[][]> combinations = new ArrayList<>();
        for (int stripe = 0; stripe < set.size(); stripe++) {
            int[][] ofStripe = new int[lost.size()][];
            for (int i = 0; i < lost.size(); i++) {
                ofStripe[i] = code.combination(stripe, lost, lost.get(i));
            }
            combinations.add(ofStripe);
        }
        for (long offset = 0; offset < chunk; offset += SLAB) {
            int length = length(offset, chunk);
            for (int stripe = 0; stripe < set.size(); stripe++) {
                long position = code.position(set.rank(), stripe) * chunk + offset;
                boolean data = code.isData(set.rank(), stripe);
                int[][] combination = combinations.get(stripe);
                if (isLost) {
                    byte[] symbol = receiveSymbol(combination[lost.indexOf(set.rank())], length);
                    ByteBuffer buffer = ByteBuffer.wrap(symbol, 0, length);
                    if (data) {
                        writeData(own, buffer, position);
                    } else {
                        write(buffer, start + position);
                    }
                } else {
                    sendSymbol(own, data, position, length, combination, lost);
                }
            }
        }
    }

    private byte[] receiveSymbol(int[] combination, int length) throws IOException {
        byte[] symbol = new byte[length];
        for (int rank = 0; rank < set.size(); rank++) {
            if (combination[rank] != 0) {
                comm.receive(in.clear().limit(length), rank, TAG);
                add(symbol, in, combination[rank]);
            }
        }
        return symbol;
    }

    private void sendSymbol(
            @Nullable LogicalFile own, boolean data, long position, int length, int[][] combination, List<Integer> lost)
            throws IOException {
        boolean read = false;
        for (int i = 0; i < lost.size(); i++) {
            if (combination[i][set.rank()] != 0) {
                out.clear().limit(length);
                if (!read && data) {
                    read(own, out, position);
                } else if (!read) {
                    readPayload(out, start + position);
                }
                read = true;
                comm.send(out, lost.get(i), TAG);
            }
        }
    }

    private static int length(long offset, long size) {
        return (int) Math.min(SLAB, size - offset);
    }

    /** Takes a step on this rank's files. If one fails, the following ones are skipped. */
    private void attempt(Agreement.Step step) {
        failure = failure != null ? failure : Agreement.attempt(comm, "redundancy of the cache", step);
    }

    private @Nullable LogicalFile open(boolean write) {
        LogicalFile[] opened = new LogicalFile[1];
        attempt(() -> {
            List<LogicalFile.Part> parts = redundancy.parts(member(header, set.rank()));
            opened[0] = write
                    ? LogicalFile.write(parts, redundancy.store())
                    : LogicalFile.read(parts, redundancy.store().storage());
        });
        return opened[0];
    }

    private void read(@Nullable LogicalFile own, ByteBuffer target, long offset) {
        if (own != null) {
            attempt(() -> own.read(target, offset));
        }
    }

    private void writeData(@Nullable LogicalFile own, ByteBuffer source, long offset) {
        if (own != null) {
            attempt(() -> own.write(source, offset));
        }
    }

    private void write(ByteBuffer source, long offset) {
        attempt(() -> file.write(source, offset));
    }

    private void readPayload(ByteBuffer target, long offset) {
        attempt(() -> BlockFileSource.readFully(file, offset, target.duplicate()));
    }

    private void end(String operation) throws IOException {
        Agreement.agree(comm, operation, failure);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
