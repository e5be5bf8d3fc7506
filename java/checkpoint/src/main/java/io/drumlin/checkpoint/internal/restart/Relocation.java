package io.drumlin.checkpoint.internal.restart;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.PlaceAside;
import io.drumlin.checkpoint.internal.elastic.RecordedRankCounts;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.io.FileCopy;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.recovery.Candidate;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy.Incoming;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy.Outgoing;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.PreviousOrder;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.comm.internal.PendingMessages;
import io.drumlin.format.ByteSource;
import io.drumlin.format.internal.RangeDigester.Range;
import io.drumlin.integrity.LaneDigester;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Moves the files of ranks to the present nodes of these ranks, if the nodes were in another order when the files were
 * written (docs/adr/017-data-belong-to-ranks.md). In that order a checkpoint is found and made whole as usual. Then
 * each rank's file is sent to the rank and committed as a checkpoint of level 1. Until {@code Topology.fti} is
 * replaced, a restart finds the original files; afterwards it finds the sent ones.
 */
final class Relocation implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private static final int TAG = 8;

    private final Engine engine;
    private final LevelRestart restart;
    private final StorageEngine storage;
    private final int number;
    private @Nullable Engine previous;
    private @Nullable LevelRestart inPrevious;

    /**
     * @param engine engine of this run, in the order of its nodes
     * @param restart restart of this run
     * @param number number of the order of nodes in which there may be files; the order is used when a checkpoint is
     *     searched
     */
    Relocation(Engine engine, LevelRestart restart, int number) {
        this.engine = engine;
        this.restart = restart;
        this.number = number;
        storage = engine.storage();
    }

    /**
     * Makes a checkpoint of {@link #search} readable by moving its data to the nodes of their ranks; otherwise like {@link
     * LevelRestart#makeReadable}. Collective.
     *
     * @return empty on all ranks if it is not whole
     * @throws IOException on all ranks: there is a checkpoint that could not be moved to its ranks; it is unchanged
     */
    Optional<RankCheckpoint> makeReadable(Candidate candidate, List<Level> older, RecordedRankCounts listed)
            throws IOException {
        LevelRestart there = there();
        Engine from = Objects.requireNonNull(previous);
        Optional<CheckpointSearch.Found> found = there.locate(candidate, older, listed);
        restart.search().follow(there.search());
        if (found.isEmpty()) {
            from.reader().forget();
            return Optional.empty();
        }
        if (found.get().level() == Level.L4_DCP) {
            throw differential(found.get());
        }
        return Optional.of(bring(from.mode(), found.get(), listed));
    }

    /**
     * Finds the data of an archived checkpoint and moves them to the nodes of their ranks; otherwise like {@link
     * #makeReadable}. Collective.
     */
    Optional<RankCheckpoint> findArchived(PlaceAside archive, RecordedRankCounts listed) throws IOException {
        there();
        Engine from = Objects.requireNonNull(previous);
        IoMode mode = from.modeAt(archive, from.rejected());
        Optional<CheckpointSearch.Found> found = new CheckpointSearch(
                        from.context(), from.levels(), archive, mode, from.log())
                .findUnchanged(Level.L4, ckptId -> restart.isOfTheseRanks(Level.L4, ckptId, listed));
        if (found.isEmpty()) {
            return Optional.empty();
        }
        // What is left of newer checkpoints stays until there is another one.
        restart.search().passOver();
        return Optional.of(bring(mode, found.get(), listed));
    }

    /** @param mode the mode in whose directories the checkpoint was found, in the order from which it is moved */
    private RankCheckpoint bring(IoMode mode, CheckpointSearch.Found found, RecordedRankCounts listed)
            throws IOException {
        move(mode, found);
        // From now on a restart looks for the files in their new places.
        engine.coordinator().nameNodes(number);
        engine.coordinator().commitMoved(found.file().ckptId());
        RankCheckpoint source = inPlace(listed).orElseThrow(() -> notThere(found));
        if (engine.app().rank() == 0) {
            LOG.log(
                    Logger.Level.INFO,
                    "the nodes are in another order than when checkpoint {0} of level {1} was written: every rank"
                            + " got its file on its node",
                    Integer.toString(source.file().ckptId()),
                    found.level().number());
        }
        return new RankCheckpoint(found.level(), source.path(), source.file());
    }

    private Optional<RankCheckpoint> inPlace(RecordedRankCounts listed) throws IOException {
        for (Candidate candidate : restart.search().list(Level.L1)) {
            Optional<RankCheckpoint> moved = restart.makeReadable(candidate, List.of(), listed);
            if (moved.isPresent()) {
                return moved;
            }
        }
        restart.search().passOverWhatIsLeft(Level.L1);
        return Optional.empty();
    }

    /** Returns the search for checkpoints in the order from which files are moved. Collective at the first call. */
    CheckpointSearch search() throws IOException {
        return there().search();
    }

    private LevelRestart there() throws IOException {
        if (inPrevious == null) {
            previous = Engine.of(engine.run().in(engine.run().orders().get(number)), engine.packing());
            inPrevious = new LevelRestart(previous);
        }
        return inPrevious;
    }

    /**
     * Returns the exception for a differential checkpoint in the mode POSIX, which cannot be moved: later checkpoints
     * continue its file in place, and the metadata record the place.
     */
    private static DrumlinException differential(CheckpointSearch.Found found) {
        return DrumlinException.during("restart")
                .path(found.path())
                .problem(
                        "the checkpoint is a differential one of the mode POSIX, and the ranks are dealt out to the nodes in"
                                + " another way than when it was written")
                .advice(
                        "let mpirun (--map-by) or srun (--distribution) place the ranks on the nodes as in the run before")
                .exception();
    }

    private static DrumlinException notThere(CheckpointSearch.Found found) {
        return DrumlinException.during("restart")
                .path(found.path())
                .problem("the checkpoint was brought to the nodes of its ranks, and is not whole there")
                .advice("start again: what was there before is looked at too")
                .exception();
    }

    private void move(IoMode there, CheckpointSearch.Found found) throws IOException {
        String operation = "bringing checkpoint " + found.file().ckptId() + " to the nodes of its ranks";
        engine.levels().prepare(Level.L1);
        try {
            IoMode mode = engine.mode();
            Path tmp = engine.directories().tmp(Level.L1);
            Path path =
                    tmp.resolve(mode.rankFileName(FileKind.PLAIN, found.file().ckptId()));
            Agreement.run(engine.app(), operation, () -> DirectoryTree.make(tmp, storage));
            byte[] description = exchange(there, found, path, operation);
            long now = Agreement.max(engine.app(), clock());
            Agreement.run(engine.app(), operation, () -> {
                mode.verifyMoved(path, description, found.file().ckptId(), now);
                storage.syncDirectory(tmp);
            });
            mode.describeMoved(description);
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException failure) {
            try {
                engine.levels().tidy(Level.L1);
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
            throw failure;
        }
    }

    /**
     * Sends the file that this rank has found, and receives its own.
     *
     * @return the description of the received file
     */
    private byte[] exchange(IoMode there, CheckpointSearch.Found found, Path path, String operation)
            throws IOException {
        Engine from = Objects.requireNonNull(previous);
        byte[][] description = new byte[1][];
        BlockFile[] opened = new BlockFile[1];
        Part[] part = new Part[1];
        try {
            Agreement.run(from.app(), operation, () -> {
                opened[0] = storage.open(found.path(), EnumSet.of(OpenMode.READ));
                Optional<StoredFile.Chunk> whole = found.file().whole();
                part[0] = new Part(
                        new BlockFileSource(opened[0]),
                        whole.map(StoredFile.Chunk::offset).orElse(0L),
                        whole.isPresent() ? whole.get().length() : PathStatus.size(found.path()));
                description[0] = there.description(() -> md5(part[0]));
            });
            Exchange exchange = new Exchange(from, engine.run().orders().get(number));
            long size = exchange.number(part[0].size);
            byte[] received = exchange.bytes(description[0]);
            Agreement.run(from.app(), operation, () -> {
                try {
                    exchange.file(part[0], path, size);
                } catch (IOException e) {
                    throw notBrought(operation, path, e);
                }
            });
            return received;
        } finally {
            // A rank with a failure must still take part in what the others do next.
            Agreement.run(from.app(), operation, () -> {
                if (opened[0] != null) {
                    opened[0].close();
                }
            });
        }
    }

    /** Returns the time in nanoseconds since 1970. */
    private static long clock() {
        return ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
    }

    private static String md5(Part file) throws IOException {
        List<byte[]> md5 = new LaneDigester().digest(file, List.of(new Range(0, file.size())));
        return HexFormat.of().formatHex(md5.get(0));
    }

    private static DrumlinException notBrought(String operation, Path path, IOException cause) {
        return DrumlinException.during(operation)
                .path(path)
                .cause(cause)
                .advice(
                        "nothing is lost, the files are where they were: make room on the node, or start with the nodes in"
                                + " the order of Topology.fti, and restart")
                .exception();
    }

    /** A part of an open file. */
    private record Part(ByteSource file, long start, long size) implements ByteSource {

        @Override
        public void readFully(long offset, ByteBuffer target) throws IOException {
            file.readFully(start + offset, target);
        }
    }

    /**
     * The exchange of files: each rank sends a file to the rank whose data it has found, and receives one from the rank
     * that has found its own data.
     */
    private final class Exchange {

        private final Communicator ranks;
        private final PreviousOrder order;
        private final SlabPool slabs;

        Exchange(Engine from, PreviousOrder order) {
            ranks = from.app();
            slabs = from.slabs();
            this.order = order;
        }

        long number(long own) throws IOException {
            ByteBuffer sent = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
            ByteBuffer received = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
            message(sent.putLong(0, own), received);
            return received.getLong(0);
        }

        byte[] bytes(byte[] own) throws IOException {
            long received = number(own.length);
            ByteBuffer[] memory = new ByteBuffer[2];
            Agreement.run(ranks, "making room for descriptions", () -> {
                memory[0] = ByteBuffer.allocateDirect(own.length).put(own).flip();
                memory[1] = ByteBuffer.allocateDirect(Math.toIntExact(received));
            });
            message(memory[0], memory[1]);
            byte[] bytes = new byte[memory[1].capacity()];
            memory[1].get(0, bytes);
            return bytes;
        }

        private void message(ByteBuffer sent, ByteBuffer received) throws IOException {
            try (PendingMessages messages = new PendingMessages(ranks, TAG)) {
                messages.startReceive(received, order.from());
                messages.startSend(sent, order.to());
                messages.await();
            }
        }

        void file(Part own, Path path, long size) throws IOException {
            if (order.to() == ranks.rank()) {
                new FileCopy(storage, slabs).copy(own, 0, size, path);
                return;
            }
            new PartnerCopy(new Group(0, 0, ranks), storage, slabs)
                    .transfer(
                            Optional.of(new Outgoing(order.to(), own)),
                            Optional.of(new Incoming(order.from(), size, path)));
        }
    }

    @Override
    public void close() throws IOException {
        if (previous != null) {
            previous.close();
        }
    }
}
