package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.io.Closeables;
import io.drumlin.checkpoint.internal.io.CoalescingWriter;
import io.drumlin.checkpoint.internal.io.DeferredFailure;
import io.drumlin.checkpoint.internal.io.PartialBlocks;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.ChunkSchedule;
import io.drumlin.checkpoint.internal.verify.DigestCache.Digests;
import io.drumlin.checkpoint.internal.verify.FileIdentity;
import io.drumlin.checkpoint.internal.verify.LaneHasher;
import io.drumlin.checkpoint.internal.verify.LaneSchedule;
import io.drumlin.checkpoint.internal.verify.LaneSchedule.Piece;
import io.drumlin.checkpoint.internal.verify.RecoveryPass;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends files to neighbours in the group in one pass: the sender hashes and sends what it reads, and the receiver
 * hashes and writes what it receives, in rounds of one piece of as many chunks as there are lanes. Nothing is compared;
 * afterwards both sides know the digests of their file.
 *
 * <p>The written bytes are the hashed ones. Blocks shared by two chunks are put together at the end.
 *
 * <p>A rank that cannot read or write keeps sending and receiving, and fails after the exchange.
 */
public final class VerifiedTransfer {

    public static final int TAG = 6;

    /** Rounds under way if only one file is sent or received. */
    private static final int ROUNDS = 4;

    private static final int BLOCK = AlignedBuffer.ALIGNMENT;

    private final Communicator app;
    private final Group group;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final int pieceBytes;
    private final CheckpointReader reader;
    private final Supplier<LaneHasher> hashes;

    /**
     * Creates a transfer between the ranks of a group.
     *
     * @param app all ranks
     * @param slabs at least {@link SlabPool#SLABS}, of the same size on all ranks of the group
     * @param reader receives the digests of files that were sent or received
     */
    public VerifiedTransfer(
            Communicator app, Group group, StorageEngine storage, SlabPool slabs, CheckpointReader reader) {
        this(app, group, storage, slabs, reader, LaneHasher::new);
    }

    /** @param hashes creates the hasher of a file */
    VerifiedTransfer(
            Communicator app,
            Group group,
            StorageEngine storage,
            SlabPool slabs,
            CheckpointReader reader,
            Supplier<LaneHasher> hashes) {
        this.app = app;
        this.group = group;
        this.storage = storage;
        this.slabs = slabs;
        this.reader = reader;
        this.hashes = hashes;
        pieceBytes = Math.max(BLOCK, SlabPool.SLABS / Md5Lanes.LANES * slabs.slabBytes() / ROUNDS);
    }

    /**
     * A file to receive from another rank.
     *
     * @param own whether this rank recovers from the file
     */
    public record Incoming(int from, Path path, boolean own) {}

    /**
     * A file to send to another rank.
     *
     * @param own whether this rank recovers from the file
     */
    public record Outgoing(int to, Path path, boolean own, Planner planner) {}

    /** Plans how a file is sent. */
    @FunctionalInterface
    public interface Planner {
        /** Returns the schedule. */
        ChunkSchedule plan() throws IOException;
    }

    /**
     * Returns the schedule of a file. If the file cannot be hashed while it is sent, nothing of it is hashed.
     *
     * @param digested what of the file has digests, if that is known
     */
    public ChunkSchedule plan(long size, int ckptId, Optional<StoredFile> digested) {
        return ChunkSchedule.of(
                size,
                digested.filter(meta -> ChunkSchedule.isPossible(size, meta, pieceBytes))
                        .orElseGet(() -> new StoredFile(ckptId, List.of(), Map.of())));
    }

    /**
     * Sends and receives at most one file each. Collective. All resources that may be short are allocated before other
     * ranks wait.
     *
     * @throws IOException on all ranks, if a rank could not read what it sent, or a received file is not whole and
     *     durable
     */
    public void transfer(Optional<Outgoing> outgoing, Optional<Incoming> incoming) throws IOException {
        Exchange exchange = new Exchange(outgoing, incoming);
        try {
            Agreement.run(app, "planning to send files", exchange::plan);
            long[] lengths = group.gather(exchange.sent.remaining());
            Agreement.run(
                    app,
                    "making room for plans",
                    () -> exchange.expect(
                            incoming.map(file -> lengths[file.from()]).orElse(0L)));
            Agreement.run(app, "exchanging plans", exchange::exchangePlans);
            Agreement.run(app, "opening files to be sent", exchange::open);
            Agreement.run(app, "sending files", exchange::run);
        } catch (Throwable e) {
            Closeables.closeAfter(e, exchange.resources());
            throw e;
        }
        Agreement.run(app, "closing files that were sent", () -> Closeables.close(exchange.resources()));
    }

    /** The files of one {@link #transfer}. */
    private final class Exchange {
        private final Optional<Outgoing> outgoing;
        private final Optional<Incoming> incoming;
        private final PendingMessages messages = new PendingMessages(group.comm(), TAG);
        private @Nullable ChunkSchedule planned;
        private ByteBuffer sent = ByteBuffer.allocate(0);
        private ByteBuffer coming = ByteBuffer.allocate(0);
        private @Nullable Sender sender;
        private @Nullable Receiver receiver;

        Exchange(Optional<Outgoing> outgoing, Optional<Incoming> incoming) {
            this.outgoing = outgoing;
            this.incoming = incoming;
        }

        void plan() throws IOException {
            if (outgoing.isPresent()) {
                planned = outgoing.get().planner().plan();
                // If the file is this rank's own, the receiver keeps it as a copy and has no variables for it.
                sent = planned.message(!outgoing.get().own());
            }
        }

        /** Allocates memory for the schedule of the file to receive. */
        void expect(long bytes) {
            coming = ChunkSchedule.buffer(Math.toIntExact(bytes));
        }

        void exchangePlans() throws IOException {
            if (coming.hasRemaining()) {
                messages.startReceive(coming, incoming.orElseThrow().from());
            }
            if (sent.hasRemaining()) {
                messages.startSend(sent, outgoing.orElseThrow().to());
            }
            messages.await();
        }

        void open() throws IOException {
            boolean receives = coming.hasRemaining();
            slabs.drain();
            Ring[] rings = rings(receives && planned != null ? 2 : 1);
            if (receives) {
                receiver = new Receiver(incoming.orElseThrow(), ChunkSchedule.of(coming), rings[rings.length - 1]);
            }
            if (planned != null) {
                sender = new Sender(outgoing.orElseThrow(), planned, rings[0]);
                sender.readAhead();
            }
        }

        void run() throws IOException {
            boolean more = true;
            while (more) {
                boolean came = receiver != null && receiver.startReceives(messages);
                boolean went = sender != null && sender.startSends(messages);
                messages.await();
                if (sender != null) {
                    sender.readAhead();
                }
                if (receiver != null) {
                    receiver.write();
                }
                more = came || went;
            }
            if (sender != null) {
                sender.finish();
            }
            if (receiver != null) {
                receiver.finish();
            }
        }

        /** Returns what must be closed, messages first, because nothing may arrive in freed memory. */
        List<@Nullable Closeable> resources() {
            return Arrays.asList(messages, receiver, sender, slabs::drain);
        }
    }

    /** Divides the memory of all slabs. */
    private Ring[] rings(int count) throws IOException {
        List<ByteBuffer> parts = new ArrayList<>();
        for (int i = 0; i < SlabPool.SLABS; i++) {
            ByteBuffer slab = slabs.take().buffer();
            for (int at = 0; at < slabs.slabBytes(); at += pieceBytes) {
                parts.add(slab.slice(at, pieceBytes));
            }
        }
        Ring[] rings = new Ring[count];
        int each = parts.size() / count;
        for (int i = 0; i < count; i++) {
            rings[i] = new Ring(parts.subList(i * each, (i + 1) * each));
        }
        return rings;
    }

    /** Memory for rounds, in turn. */
    private static final class Ring {
        private final List<Round> rounds = new ArrayList<>();
        private int next;

        Ring(List<ByteBuffer> parts) {
            for (int i = 0; i < parts.size(); i += Md5Lanes.LANES) {
                rounds.add(new Round(parts.subList(i, i + Md5Lanes.LANES)));
            }
        }

        /** Returns the round that was used the longest ago. */
        Round take() {
            Round round = rounds.get(next);
            next = (next + 1) % rounds.size();
            return round;
        }
    }

    /** The pieces of the chunks that are read or written at the same time, each with its own memory. */
    private static final class Round {
        private final List<ByteBuffer> parts;
        private final List<ByteBuffer> windows = new ArrayList<>(Md5Lanes.LANES);
        private List<Piece> pieces = List.of();
        private final Deque<PendingRead> reads = new ArrayDeque<>();
        private final Deque<PendingWrite> writes = new ArrayDeque<>();

        Round(List<ByteBuffer> parts) {
            this.parts = parts;
        }

        /** Assigns the memory, which must be unused, to the blocks of the next pieces. */
        void begin(List<Piece> next) {
            pieces = next;
            windows.clear();
            for (int i = 0; i < next.size(); i++) {
                windows.add(parts.get(i).clear().limit(next.get(i).window(BLOCK)));
            }
        }

        /** Returns the blocks of a piece. */
        ByteBuffer window(int i) {
            return windows.get(i);
        }

        long offset(int i) {
            return pieces.get(i).start() - pieces.get(i).lead(BLOCK);
        }

        /** Returns the bytes of a piece, within its blocks. */
        ByteBuffer bytes(int i) {
            return window(i).slice(pieces.get(i).lead(BLOCK), pieces.get(i).length());
        }

        /** Returns the bytes of all pieces. */
        List<ByteBuffer> bytes() {
            return IntStream.range(0, pieces.size()).mapToObj(this::bytes).toList();
        }
    }

    /** A file being sent or received, with the first failure. */
    private abstract class Side implements Closeable {
        private final RecoveryPass pass;
        final LaneSchedule plan;
        final Ring ring;
        final Digests digests = new Digests();
        private final LaneHasher md5;

        @Nullable
        BlockFile file;

        final DeferredFailure failure = new DeferredFailure();

        Side(ChunkSchedule contents, boolean own, Ring ring) {
            pass = own ? reader.recoveryPass(contents.meta()) : RecoveryPass.none();
            plan = new LaneSchedule(contents.chunks(), pieceBytes);
            this.ring = ring;
            // Last, because it must be closed.
            md5 = hashes.get();
        }

        BlockFile file() {
            BlockFile open = file;
            if (open == null) {
                throw new IllegalStateException("the file could not be opened");
            }
            return open;
        }

        /** Hashes the bytes of a round. */
        void hash(Round round) {
            List<ByteBuffer> bytes = round.bytes();
            failure.attempt(() -> {
                md5.update(round.pieces, bytes, (last, digest) -> digests.put(last.chunk(), digest));
                for (int i = 0; i < bytes.size(); i++) {
                    use(round.pieces.get(i), bytes.get(i));
                }
            });
        }

        private void use(Piece piece, ByteBuffer bytes) {
            if (piece.chunk().md5().isPresent()) {
                pass.take(piece.chunk(), piece.position(), bytes);
            }
        }

        /** Ends the transfer after everything has succeeded. */
        void done(FileIdentity file) {
            reader.known().put(file, digests);
            pass.done(file);
        }

        /** Waits for reads or writes under way, and ignores their results. */
        @Override
        public void close() throws IOException {
            md5.close();
            for (Round round : ring.rounds) {
                round.writes.forEach(write -> await(write::await));
                round.reads.forEach(read -> await(read::await));
            }
            if (file != null) {
                file.close();
            }
        }

        /** Waits for a read or write, also after a failure, because the memory is reused. */
        void await(Agreement.Step transfer) {
            try {
                transfer.run();
            } catch (Throwable e) {
                failure.add(e);
            }
        }
    }

    private final class Sender extends Side {
        private final Outgoing outgoing;
        private final Deque<Round> coming = new ArrayDeque<>();
        private @Nullable FileIdentity identity;

        Sender(Outgoing outgoing, ChunkSchedule plan, Ring ring) {
            super(plan, outgoing.own(), ring);
            this.outgoing = outgoing;
            failure.attempt(() -> {
                // First, because any later write changes the identity.
                identity = FileIdentity.of(outgoing.path());
                file = storage.open(outgoing.path(), EnumSet.of(OpenMode.READ, OpenMode.DIRECT));
            });
        }

        /** Starts reads into all free memory. */
        void readAhead() {
            while (coming.size() < ring.rounds.size()) {
                List<Piece> pieces = plan.nextRound();
                if (pieces.isEmpty()) {
                    return;
                }
                Round round = ring.take();
                round.begin(pieces);
                failure.attempt(() -> {
                    for (int i = 0; i < pieces.size(); i++) {
                        round.reads.add(file().startRead(round.window(i), round.offset(i)));
                    }
                });
                coming.add(round);
            }
        }

        /** Starts to send the next round; returns whether there was one. */
        boolean startSends(PendingMessages messages) throws IOException {
            Round round = coming.poll();
            if (round == null) {
                return false;
            }
            failure.attempt(() -> {
                for (int i = 0; i < round.pieces.size(); i++) {
                    await(round, i);
                }
            });
            for (int i = 0; i < round.pieces.size(); i++) {
                messages.startSend(round.bytes(i), outgoing.to());
            }
            hash(round);
            return true;
        }

        private void await(Round round, int i) throws IOException {
            int count = round.reads.remove().await();
            Piece piece = round.pieces.get(i);
            if (count < piece.lead(BLOCK) + piece.length()) {
                throw DrumlinException.during("read")
                        .path(outgoing.path())
                        .range(piece.start(), piece.length())
                        .problem("the file ends at " + file().size())
                        .advice("the file was cut while it was read")
                        .exception();
            }
        }

        void finish() throws IOException {
            failure.throwIfThere();
            if (identity != null) {
                done(identity);
            }
        }
    }

    private final class Receiver extends Side {
        private final Incoming incoming;
        private final long size;
        private final PartialBlocks edges = new PartialBlocks();
        private @Nullable Round came;

        Receiver(Incoming incoming, ChunkSchedule plan, Ring ring) {
            super(plan, incoming.own(), ring);
            this.incoming = incoming;
            size = plan.size();
            failure.attempt(() -> {
                file = storage.open(
                        incoming.path(),
                        EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.DIRECT));
                file().allocate(size);
            });
        }

        /** Starts to receive the next round; returns whether there is one. */
        boolean startReceives(PendingMessages messages) throws IOException {
            List<Piece> pieces = plan.nextRound();
            if (pieces.isEmpty()) {
                return false;
            }
            Round round = ring.take();
            awaitWrites(round);
            round.begin(pieces);
            for (int i = 0; i < pieces.size(); i++) {
                messages.startReceive(round.bytes(i), incoming.from());
            }
            came = round;
            return true;
        }

        private void awaitWrites(Round round) {
            while (!round.writes.isEmpty()) {
                await(round.writes.remove()::await);
            }
        }

        /** Starts to write the received round. */
        void write() {
            Round round = came;
            came = null;
            if (round == null) {
                return;
            }
            failure.attempt(() -> {
                for (int i = 0; i < round.pieces.size(); i++) {
                    write(round, i);
                }
            });
            hash(round);
        }

        /** Starts to write the blocks that a piece fills completely. */
        private void write(Round round, int i) throws IOException {
            Piece piece = round.pieces.get(i);
            ByteBuffer bytes = round.bytes(i);
            int lead = piece.lead(BLOCK);
            int first = (int) PartialBlocks.roundUp(lead, BLOCK);
            int end = (lead + piece.length()) / BLOCK * BLOCK;
            if (first >= end) {
                edges.put(piece.start(), bytes);
                return;
            }
            ByteBuffer blocks = round.window(i).duplicate().limit(end).position(first);
            round.writes.add(file().startWrite(blocks, round.offset(i) + first));
            edges.put(piece.start(), bytes.slice(0, first - lead));
            edges.put(round.offset(i) + end, bytes.slice(end - lead, lead + piece.length() - end));
        }

        void finish() throws IOException {
            ring.rounds.forEach(this::awaitWrites);
            failure.attempt(() -> {
                // The edges are written through the memory of the rounds, which is no longer used.
                edges.write(new CoalescingWriter(file(), slabs));
                slabs.drain();
                file().truncate(size);
                file().sync();
            });
            failure.throwIfThere();
            done(FileIdentity.of(incoming.path()));
        }
    }
}
