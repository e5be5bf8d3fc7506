package io.drumlin.checkpoint.internal.run;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.StopConfig.When;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.engine.Run;
import io.drumlin.checkpoint.internal.events.RunEvents;
import io.drumlin.checkpoint.internal.events.Step;
import io.drumlin.checkpoint.internal.events.StepTimer;
import io.drumlin.checkpoint.internal.file.Encoding;
import io.drumlin.checkpoint.internal.file.PosixEncoding;
import io.drumlin.checkpoint.internal.ftiff.FtiFfEncoding;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.checkpoint.internal.io.FileCopy;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy.Incoming;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy.Outgoing;
import io.drumlin.checkpoint.internal.redundancy.ReedSolomonGroup;
import io.drumlin.checkpoint.internal.sharedfile.SharedFileWriter;
import io.drumlin.checkpoint.internal.stop.ProcessSignals;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.HeadLink;
import io.drumlin.checkpoint.internal.topology.HeadLink.Order;
import io.drumlin.checkpoint.internal.topology.HeadLink.Outcome;
import io.drumlin.checkpoint.internal.topology.HeadLink.Task;
import io.drumlin.checkpoint.internal.topology.HeadMeeting;
import io.drumlin.checkpoint.internal.topology.HeadMeeting.Purpose;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.ByteSource;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.ftiff.Stamp;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The work of a node's head while the application computes: it turns the files written by the ranks of its node into
 * checkpoints of levels 2 to 4, and commits them (docs/formats/fti-run-directory.md, section 9).
 *
 * <p>All heads work on the same order at the same time, and fail together. A failure is reported to the application,
 * and the previous checkpoint is not touched.
 */
final class Head {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final HeadLink link;
    private final Communicator heads;
    private final HeadMeeting meeting;
    private final Group group;
    private final Topology topology;
    private final FtiConfig config;
    private final RunDirectory directories;
    private final CommitProtocol levels;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final IoMode mode;
    private final CheckpointListFile checkpointList;
    private final RunEvents events;
    private final IdleHead idle;
    private final Consumer<CheckpointReport> finished;

    /**
     * @param engine an engine whose ranks are the heads
     * @param idle work between orders
     * @param finished receives the report of each checkpoint
     */
    Head(Engine engine, IdleHead idle, Consumer<CheckpointReport> finished) {
        Run run = engine.run();
        this.link = run.headLink().orElseThrow();
        this.heads = engine.app();
        this.meeting = new HeadMeeting(heads);
        this.group = engine.group();
        this.topology = run.topology();
        this.config = run.config();
        this.directories = run.directories();
        this.levels = engine.levels();
        this.storage = run.storage();
        this.slabs = engine.slabs();
        this.mode = engine.mode();
        this.checkpointList = engine.checkpointList();
        this.events = engine.events();
        this.idle = idle;
        this.finished = finished;
    }

    /**
     * Carries out orders until the application leaves. Signals that ask a job to stop are left to the application, whose
     * last checkpoint the heads finish. Collective among the heads.
     *
     * @throws IOException the other ranks cannot be reached
     */
    void serve() throws IOException {
        if (config.stop().when() == When.NEVER) {
            carryOutAll();
            return;
        }
        // Not only after the application asks, because a head does not see that. The lease is not on a head.
        Runnable onTerm = () -> {};
        ProcessSignals.listen(onTerm);
        try {
            carryOutAll();
        } finally {
            ProcessSignals.leave(onTerm);
        }
    }

    private void carryOutAll() throws IOException {
        orAbort(() -> {
            List<Order> orders = nextOrders();
            while (orders.stream().noneMatch(order -> order.task() == Task.END)) {
                carryOut(orders);
                orders = nextOrders();
            }
            // As in C FTI, where a program may rely on it to handle the application's last work.
            idle.call();
            end();
        });
    }

    private void orAbort(Agreement.Step work) throws IOException {
        try {
            work.run();
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            // The other heads may be exchanging data with this one, and its node waits for the answer.
            LOG.log(Logger.Level.ERROR, "the head of node " + topology.node() + " failed, aborting the job", e);
            heads.abort(1);
            throw e;
        }
    }

    /** Lets the others end, too: one may still wait for this head. */
    private void end() {
        try {
            levels.requireKnown();
            meeting.meet(Purpose.END);
        } catch (MeetingException unknown) {
            meeting.leave(unknown);
        }
    }

    /**
     * Does what the callbacks of all heads ask for. Until all of them have asked for it, this head carries out the
     * orders of the application. Collective among the heads.
     *
     * @param operation what the callbacks ask for, the same on all heads
     */
    void together(String operation, Agreement.Step work) throws IOException {
        levels.requireKnown();
        Purpose next = meeting.meet(Purpose.CALL);
        while (next == Purpose.ORDERS) {
            orAbort(() -> carryOut(link.orders()));
            levels.requireKnown();
            next = meeting.meet(Purpose.CALL);
        }
        try {
            meeting.requireSame(next, operation);
            work.run();
        } catch (MeetingException unknown) {
            // The others may be in another step of this work.
            levels.stayAsTheyAre(unknown);
            throw unknown;
        }
    }

    private List<Order> nextOrders() throws IOException {
        idle.awaitOrders();
        return link.orders();
    }

    private void carryOut(List<Order> orders) throws IOException {
        long begin = System.nanoTime();
        boolean[] committed = new boolean[1];
        IOException failure = null;
        boolean known = true;
        try {
            levels.requireKnown();
            meeting.meet(Purpose.ORDERS);
            if (orders.get(0).task() == Task.TIDY) {
                tidy(orders.get(0).level());
            } else {
                finish(orders, committed);
            }
        } catch (MeetingException unknown) {
            LOG.log(Logger.Level.WARNING, "head of node {0}: {1}", topology.node(), unknown.getMessage());
            levels.stayAsTheyAre(unknown);
            failure = unknown;
            known = false;
        } catch (IOException e) {
            LOG.log(Logger.Level.WARNING, "head of node {0}: {1}", topology.node(), e.getMessage());
            failure = e;
        }
        link.answer(known ? Outcome.of(committed[0]) : Outcome.UNKNOWN, System.nanoTime() - begin, failure);
    }

    /** @param committed set when the checkpoint is in its place */
    private void finish(List<Order> orders, boolean[] committed) throws IOException {
        long begin = System.nanoTime();
        Order first = orders.get(0);
        Level level = first.level();
        long bytes = orders.stream().mapToLong(Order::size).sum();
        StepTimer whole = events.begin(Step.CHECKPOINT);
        try {
            Agreement.run(heads, "preparing checkpoint " + first.ckptId(), slabs::fill);
            StepTimer copy = events.begin(level == Level.L4 ? Step.WRITE : Step.EXCHANGE);
            switch (level) {
                case L2 -> copyToPartners(orders);
                case L3 -> encode(orders);
                default -> copyToGlobal(orders);
            }
            copy.end(first.ckptId(), level, bytes);
            StepTimer commit = events.begin(Step.COMMIT);
            // Not already when the application hands it over, because an older checkpoint of this level would be taken
            // for it until now.
            checkpointList.add(first.ckptId(), level);
            levels.commit(level, commit::slowest);
            commit.end(first.ckptId(), level, bytes);
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException failed) {
            abandon(level, failed);
            throw failed;
        }
        committed[0] = true;
        checkpointList.confirmAddition();
        levels.discardSuperseded(level);
        // The application does not wait for the deletion, and needs the space for its next checkpoint.
        levels.awaitDeletion();
        if (level == Level.L4) {
            levels.keepReplica(directories.replica(config.mode().replicaIsLevel1()));
        }
        whole.end(first.ckptId(), level, bytes);
        double seconds = (System.nanoTime() - begin) / 1e9;
        finished.accept(new CheckpointReport(first.ckptId(), level, bytes, 0, 0, seconds));
    }

    private void abandon(Level level, IOException failed) throws MeetingException {
        try {
            tidy(level);
        } catch (MeetingException unknown) {
            unknown.addSuppressed(failed);
            throw unknown;
        } catch (IOException e) {
            failed.addSuppressed(e);
        }
        try {
            checkpointList.undoAddition();
        } catch (IOException e) {
            failed.addSuppressed(e);
        }
    }

    private void tidy(Level level) throws IOException {
        levels.tidy(level);
        Agreement.run(heads, "tidying up", () -> DirectoryTree.delete(directories.tmp(Level.L1), storage));
    }

    /** Returns the name of the file of an application rank on this node. */
    private String name(FileKind kind, Order order, int place) {
        return FileNames.fileName(
                kind, order.ckptId(), topology.fileRankAt(place), config.mode().suffix());
    }

    private Path local(FileKind kind, Order order, int place) {
        return directories.tmp(Level.L1).resolve(name(kind, order, place));
    }

    private void copyToPartners(List<Order> orders) throws IOException {
        for (int i = 0; i < orders.size(); i++) {
            Order order = orders.get(i);
            int place = topology.heads() + i;
            long incoming = group.gather(order.size())[group.left()];
            Incoming copy = new Incoming(group.left(), incoming, local(FileKind.PARTNER, order, place));
            withFiles(List.of(order), place, plain -> {
                Outgoing own = new Outgoing(group.right(), plain.get(0));
                Agreement.run(heads, "copying checkpoint " + order.ckptId() + " to the partners", () -> {
                    new PartnerCopy(group, storage, slabs).transfer(Optional.of(own), Optional.of(copy));
                });
            });
        }
        syncTmp(Level.L1);
    }

    private void encode(List<Order> orders) throws IOException {
        boolean described = config.mode().metadataApart();
        for (int i = 0; i < orders.size(); i++) {
            Order order = orders.get(i);
            int place = topology.heads() + i;
            Encoding encoding = described
                    ? new PosixEncoding()
                    : new FtiFfEncoding(
                            config.layout(),
                            order.ckptId(),
                            Stamp.of(order.timestamp(), order.ckptId(), topology.fileRankAt(place)));
            long largest = Arrays.stream(group.gather(order.size())).max().orElseThrow();
            Path encoded = local(FileKind.ENCODED, order, place);
            withFiles(List.of(order), place, plain -> {
                String md5 = Agreement.call(heads, "encoding checkpoint " + order.ckptId(), () -> {
                    ReedSolomonGroup code = new ReedSolomonGroup(group, storage, slabs);
                    return code.encode(plain.get(0), encoding.extendedSize(largest), encoding, encoded);
                });
                if (described) {
                    describe(place, md5);
                }
            });
        }
        syncTmp(Level.L1);
    }

    /** Adds the digests of the encoded files of a group to its metadata. Collective. */
    private void describe(int place, String md5) throws IOException {
        ByteBuffer digests = ByteBuffer.allocate(group.size() * md5.length());
        group.comm().allgather(ByteBuffer.wrap(md5.getBytes(StandardCharsets.US_ASCII)), digests);
        Path path = RunDirectory.tmp(directories.meta()).resolve(GroupMetadata.fileName(group.sector(), place));
        Agreement.run(heads, "writing the digests of encoded files", () -> {
            if (group.index() == 0) {
                GroupMetadata metadata = MetadataFiles.read(path, storage);
                String all = new String(digests.array(), StandardCharsets.US_ASCII);
                List<FileEntry> files = new ArrayList<>();
                for (FileEntry file : metadata.files()) {
                    int start = files.size() * md5.length();
                    files.add(file.withRsedChecksum(all.substring(start, start + md5.length())));
                }
                MetadataFiles.write(path, metadata.withFiles(files), storage);
            }
        });
    }

    private void copyToGlobal(List<Order> orders) throws IOException {
        Path tmp = directories.tmp(Level.L4);
        Agreement.run(heads, "making " + tmp, () -> DirectoryTree.make(tmp, storage));
        Optional<SharedFileWriter> shared = mode.shared(Level.L4);
        if (shared.isPresent()) {
            Path path = tmp.resolve(shared.get().fileName(orders.get(0).ckptId()));
            withFiles(orders, topology.heads(), files -> shared.get().write(path, files, topology.firstOfNode()));
        } else {
            Agreement.run(heads, "copying to " + tmp, () -> {
                for (int i = 0; i < orders.size(); i++) {
                    Order order = orders.get(i);
                    int place = topology.heads() + i;
                    Path copy = tmp.resolve(name(FileKind.PLAIN, order, place));
                    new FileCopy(storage, slabs).copy(local(FileKind.PLAIN, order, place), 0, order.size(), copy);
                }
            });
        }
        syncTmp(Level.L4);
    }

    private void syncTmp(Level level) throws IOException {
        Path tmp = directories.tmp(level);
        Agreement.run(heads, "syncing " + tmp, () -> storage.syncDirectory(tmp));
    }

    /** Work on files that the application has written. Collective; it fails on all heads or on none. */
    @FunctionalInterface
    private interface Work {
        void with(List<ByteSource> files) throws IOException;
    }

    /**
     * Opens files that the application has written on this node, works on them and closes them. Collective.
     *
     * @param first place of the rank that gave the first order
     */
    private void withFiles(List<Order> orders, int first, Work work) throws IOException {
        List<BlockFile> files = new ArrayList<>();
        List<ByteSource> sources = new ArrayList<>();
        try {
            Agreement.run(heads, "opening files of checkpoint " + orders.get(0).ckptId(), () -> {
                for (Order order : orders) {
                    BlockFile file = open(local(FileKind.PLAIN, order, first + files.size()), order.size());
                    files.add(file);
                    sources.add(new BlockFileSource(file));
                }
            });
            work.with(sources);
        } finally {
            // The files were only read, so a failed close loses nothing.
            files.forEach(file -> Agreement.attempt(heads, "closing " + file.path(), file::close));
        }
    }

    private BlockFile open(Path path, long size) throws IOException {
        BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ));
        try {
            long found = file.size();
            if (found != size) {
                throw DrumlinException.during("reading what the application has written")
                        .path(path)
                        .problem("the file has " + found + " bytes and should have " + size)
                        .exception();
            }
            return file;
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }
}
