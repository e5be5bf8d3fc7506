package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.io.AlignedWriter;
import io.drumlin.checkpoint.internal.io.Closeables;
import io.drumlin.checkpoint.internal.io.DeferredFailure;
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
import io.drumlin.checkpoint.internal.verify.RoundReader;
import io.drumlin.checkpoint.internal.verify.RoundReader.Round;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.comm.internal.PendingMessages;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
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
        pieceBytes = RoundReader.pieceBytes(slabs);
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
            List<SlabPool> parts = RoundReader.parts(slabs, receives && planned != null ? 2 : 1);
            for (SlabPool each : parts) {
                each.fill();
            }
            if (receives) {
                receiver = new Receiver(incoming.orElseThrow(), ChunkSchedule.of(coming), parts.get(parts.size() - 1));
            }
            if (planned != null) {
                sender = new Sender(outgoing.orElseThrow(), planned, parts.get(0));
                sender.reader().readAhead();
            }
        }

        void run() throws IOException {
            boolean more = true;
            while (more) {
                boolean came = receiver != null && receiver.startReceives(messages);
                boolean went = sender != null && sender.startSends(messages);
                messages.await();
                if (sender != null) {
                    sender.reader().readAhead();
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

    /** A file being sent or received, with the first failure. */
    private abstract class Side implements Closeable {
        private final RecoveryPass pass;
        private final Digests digests = new Digests();
        private final LaneHasher md5;

        final DeferredFailure failure = new DeferredFailure();

        Side(ChunkSchedule contents, boolean own) {
            pass = own ? reader.recoveryPass(contents.meta()) : RecoveryPass.none();
            // Last, because it must be closed.
            md5 = hashes.get();
        }

        /** Hashes the bytes of a round. */
        void hash(Round round) {
            List<ByteBuffer> bytes = round.bytes();
            failure.attempt(() -> {
                md5.update(round.pieces(), bytes, (last, digest) -> digests.put(last.chunk(), digest));
                for (int i = 0; i < bytes.size(); i++) {
                    use(round.pieces().get(i), bytes.get(i));
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

        @Override
        public void close() throws IOException {
            md5.close();
        }
    }

    private final class Sender extends Side {
        private final Outgoing outgoing;
        private final RoundReader file;
        private @Nullable FileIdentity identity;

        Sender(Outgoing outgoing, ChunkSchedule plan, SlabPool parts) {
            super(plan, outgoing.own());
            this.outgoing = outgoing;
            // First, because any later write changes the identity.
            failure.attempt(() -> identity = FileIdentity.of(outgoing.path()));
            file = new RoundReader(storage, outgoing.path(), plan.chunks(), parts, failure);
        }

        RoundReader reader() {
            return file;
        }

        /** Starts to send the next round; returns whether there was one. */
        boolean startSends(PendingMessages messages) throws IOException {
            Round round = file.next();
            if (round == null) {
                return false;
            }
            List<ByteBuffer> bytes = round.bytes();
            for (int i = 0; i < bytes.size(); i++) {
                file.await(round, i);
                messages.startSend(bytes.get(i), outgoing.to());
            }
            hash(round);
            return true;
        }

        void finish() throws IOException {
            failure.throwIfThere();
            if (identity != null) {
                done(identity);
            }
        }

        @Override
        public void close() throws IOException {
            try (file) {
                super.close();
            }
        }
    }

    private final class Receiver extends Side {
        private final Incoming incoming;
        private final long size;
        private final LaneSchedule plan;
        private final SlabPool parts;
        private @Nullable AlignedWriter file;
        private @Nullable Round came;

        Receiver(Incoming incoming, ChunkSchedule plan, SlabPool parts) {
            super(plan, incoming.own());
            this.incoming = incoming;
            this.plan = new LaneSchedule(plan.chunks(), pieceBytes);
            this.parts = parts;
            size = plan.size();
            failure.attempt(() -> {
                AlignedWriter opened = new AlignedWriter(storage, parts, incoming.path());
                file = opened;
                opened.file().allocate(size);
            });
        }

        private AlignedWriter file() {
            AlignedWriter open = file;
            if (open == null) {
                throw new IllegalStateException("the file could not be opened");
            }
            return open;
        }

        /** Starts to receive the next round; returns whether there is one. */
        boolean startReceives(PendingMessages messages) throws IOException {
            List<Piece> pieces = plan.nextRound();
            if (pieces.isEmpty()) {
                return false;
            }
            came = new Round(pieces, parts, failure);
            for (ByteBuffer bytes : came.bytes()) {
                messages.startReceive(bytes, incoming.from());
            }
            return true;
        }

        /** Starts to write the received round. */
        void write() {
            Round round = came;
            came = null;
            if (round == null) {
                return;
            }
            failure.attempt(() -> {
                for (int i = 0; i < round.pieces().size(); i++) {
                    Piece piece = round.pieces().get(i);
                    file().start(round.slab(i), piece.start(), piece.length());
                }
            });
            hash(round);
        }

        void finish() throws IOException {
            failure.attempt(() -> file().finish(size));
            failure.throwIfThere();
            done(FileIdentity.of(incoming.path()));
        }

        /** Waits for writes under way, and ignores their results. */
        @Override
        public void close() throws IOException {
            super.close();
            if (file != null) {
                try {
                    file.await();
                } catch (IOException e) {
                    failure.add(e);
                }
                file.file().close();
            }
        }
    }
}
