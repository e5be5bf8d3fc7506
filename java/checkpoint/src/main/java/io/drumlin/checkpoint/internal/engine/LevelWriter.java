package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.events.CheckpointTrace;
import io.drumlin.checkpoint.internal.events.Step;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.RankFileWriter;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy.Incoming;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy.Outgoing;
import io.drumlin.checkpoint.internal.redundancy.ReedSolomonGroup;
import io.drumlin.checkpoint.internal.redundancy.ReedSolomonGroup.Digests;
import io.drumlin.checkpoint.internal.sharedfile.SharedFileWriter;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.ReedSolomon16;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * Writes the files of a checkpoint into {@code tmp}: this rank's own file, and the redundancy of the level.
 *
 * <p>The rank's own file is written in one pass over the data. The partner copy and the parity are then computed from
 * memory, slab by slab, while the device is still writing. Nothing is read back.
 */
final class LevelWriter {

    private final Communicator app;
    private final Group group;
    private final Topology topology;
    private final RunDirectory directories;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final IoMode mode;

    LevelWriter(RankContext context, RunDirectory directories, IoMode mode) {
        app = context.app();
        group = context.group();
        topology = context.topology();
        this.directories = directories;
        storage = context.storage();
        slabs = context.slabs();
        this.mode = mode;
    }

    /**
     * Writes all files and makes them durable, but does not commit them. Collective.
     *
     * @param timestamp the same on all ranks
     * @param own this rank's file
     * @param trace receives the times
     * @return the plan of the file that this rank wrote
     * @throws IOException on all ranks, if it failed on any
     */
    FilePlan write(int ckptId, Level level, long timestamp, RankFileWriter own, CheckpointTrace trace)
            throws IOException {
        trace.begin(Step.WRITE);
        String operation = "checkpoint " + ckptId + " at level " + level.number();
        FilePlan filePlan = Agreement.call(app, operation, () -> {
            makeTmp(level);
            FilePlan planned = own.planFile(ckptId, timestamp);
            if (level == Level.L2 || level == Level.L3) {
                slabs.fill();
            }
            return planned;
        });
        long partnerSize = level == Level.L2 ? group.gather(filePlan.size())[group.left()] : -1;
        long encodedSize = level == Level.L3 ? encodedSize(filePlan) : -1;
        Path plain = directories.tmp(level).resolve(mode.plainName(level, ckptId));
        Optional<SharedFileWriter> shared = mode.shared(level);
        ByteSource image;
        if (shared.isPresent()) {
            image = Agreement.call(app, operation, () -> own.image(filePlan));
            SharedFileWriter.Written written = shared.get().write(plain, image);
            filePlan.seal(written.digests(), -1, -1);
            filePlan.placeAt(written.start());
        } else {
            filePlan.addStripedDigest(level == Level.L3);
            Agreement.Call<ByteSource> write = () -> {
                own.write(plain, filePlan, digests -> filePlan.seal(digests, partnerSize, encodedSize));
                return own.image(filePlan);
            };
            image = Agreement.call(app, operation, write, trace::slowest);
        }
        boolean exchanges = level == Level.L2 || level == Level.L3;
        if (exchanges) {
            trace.end(filePlan.size());
            trace.begin(Step.EXCHANGE);
        }
        Agreement.Call<Optional<String>> finish = () -> {
            Optional<String> md5 = Optional.empty();
            if (level == Level.L2) {
                copy(image, partnerSize, path(level, FileKind.PARTNER, ckptId));
            } else if (level == Level.L3) {
                md5 = Optional.of(encode(filePlan, image, encodedSize, path(level, FileKind.ENCODED, ckptId)));
            }
            own.close();
            if (!exchanges) {
                syncTmp(level);
            }
            return md5;
        };
        Optional<String> encodedMd5 = Agreement.call(app, operation, finish, trace::slowest);
        if (exchanges) {
            Agreement.run(app, operation, () -> syncTmp(level), trace::slowest);
        }
        trace.end(filePlan.size());
        mode.describe(level, filePlan, timestamp, encodedMd5);
        return filePlan;
    }

    /**
     * Writes this rank's own file and its metadata durably into the local {@code tmp}; the head does the rest.
     * Otherwise like {@link #write}. Collective.
     */
    FilePlan writeForHead(int ckptId, Level level, long timestamp, RankFileWriter own, CheckpointTrace trace)
            throws IOException {
        trace.begin(Step.WRITE);
        String operation = "checkpoint " + ckptId + " for level " + level.number();
        Path tmp = directories.tmp(Level.L1);
        FilePlan filePlan = Agreement.call(app, operation, () -> {
            makeTmp(Level.L1);
            return own.planFile(ckptId, timestamp);
        });
        long partnerSize = level == Level.L2 ? group.gather(filePlan.size())[group.left()] : -1;
        long encodedSize = level == Level.L3 ? encodedSize(filePlan) : -1;
        Agreement.Step write = () -> {
            Path plain = tmp.resolve(mode.plainName(Level.L1, ckptId));
            own.write(plain, filePlan, digests -> filePlan.seal(digests, partnerSize, encodedSize));
            own.close();
            storage.syncDirectory(tmp);
        };
        Agreement.run(app, operation, write, trace::slowest);
        trace.end(filePlan.size());
        mode.describeForHead(level, filePlan, timestamp);
        return filePlan;
    }

    /** Makes the directory of the checkpoint being written, once on each node. */
    private void makeTmp(Level level) throws IOException {
        if (topology.isNodeMaster()) {
            DirectoryTree.make(directories.tmp(level), storage);
        }
    }

    /**
     * Makes the names of all files of this node durable, after its ranks have met, once on each node. With a sync by each
     * rank, a server of metadata would have as many of one directory as there are ranks.
     */
    private void syncTmp(Level level) throws IOException {
        if (topology.isNodeMaster()) {
            storage.syncDirectory(directories.tmp(level));
        }
    }

    /** Refuses a level for which the groups are too small or too large, before anything of the run is replaced. */
    void requireGroup(int ckptId, Level level) throws DrumlinException {
        boolean fits = group.size() > 1 && (level == Level.L2 || group.size() <= ReedSolomon16.MOST_FILES);
        if ((level == Level.L2 || level == Level.L3) && !fits) {
            throw DrumlinException.during("checkpoint " + ckptId + " at level " + level.number())
                    .level(level.number())
                    .problem("the groups have " + group.size() + " node" + (group.size() == 1 ? "" : "s"))
                    .advice("set group_size to 2 or more, at level 3 up to " + ReedSolomon16.MOST_FILES)
                    .exception();
        }
    }

    private long encodedSize(FilePlan filePlan) throws IOException {
        long largest = Arrays.stream(group.gather(filePlan.size())).max().orElseThrow();
        return filePlan.encoding().extendedSize(largest);
    }

    private void copy(ByteSource image, long partnerSize, Path path) throws IOException {
        new PartnerCopy(group, storage, slabs)
                .transfer(
                        Optional.of(new Outgoing(group.right(), image)),
                        Optional.of(new Incoming(group.left(), partnerSize, path)));
    }

    /** Returns the MD5 of the encoded part. */
    private String encode(FilePlan filePlan, ByteSource image, long encodedSize, Path path) throws IOException {
        ReedSolomonGroup code = new ReedSolomonGroup(group, storage, slabs);
        if (!filePlan.lacksDigest()) {
            return code.encode(image, encodedSize, filePlan.encoding(), path);
        }
        Digests digests = code.encodeAndDigest(image, encodedSize, filePlan.encoding(), path);
        filePlan.setDigest(digests.plain());
        return digests.encoded();
    }

    private Path path(Level level, FileKind kind, int ckptId) {
        return directories.tmp(level).resolve(mode.rankFileName(kind, ckptId));
    }
}
