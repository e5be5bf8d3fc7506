package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.checkpoint.internal.branch.RunPlaces;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.lease.Lease;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.topology.TopologyFile;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Deletes what runs have left that were killed before their first checkpoint. Only the process that a lease names tells that
 * a run is dead, so a rank of this start must be on its machine. A run that has anything but its beginnings stays.
 */
public final class DeadRuns {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** What a run has before its first checkpoint is committed. */
    private static final Set<String> BEGINNINGS =
            Set.of("drumlin-disk", "drumlin-lease", "drumlin-starts", "Topology.fti");

    private static final List<String> MARKERS = List.of("drumlin-node-", "drumlin-shared-", "drumlin-lease.");

    private final Communicator ranks;
    private final FtiConfig config;
    private final Topology topology;
    private final RunDirectory own;
    private final StorageEngine storage;

    /** @param own the directories of the run that starts, as this rank sees them */
    public DeadRuns(Communicator ranks, FtiConfig config, Topology topology, RunDirectory own, StorageEngine storage) {
        this.ranks = ranks;
        this.config = config;
        this.topology = topology;
        this.own = own;
        this.storage = storage;
    }

    /**
     * Deletes them, and finishes deletions of runs on the nodes of this start that were begun on other machines. What cannot
     * be deleted stays, with a line in the log. Collective.
     */
    public void delete() throws MeetingException {
        try {
            String ids = ranks.rank() == 0 ? String.join("\n", ids()) : "";
            for (String id : Agreement.bcast(ranks, ids, 0).lines().toList()) {
                if (id.endsWith(RunPlaces.DELETED)) {
                    deleteOnNodes(withoutSuffix(id));
                    deleteShared(withoutSuffix(id), RunDeletion::finish);
                } else if (isDead(id)) {
                    deleteOnNodes(id);
                    deleteShared(id, RunDeletion::delete);
                    if (ranks.rank() == 0) {
                        LOG.log(Logger.Level.INFO, "deleted run {0}, which was killed before its first checkpoint", id);
                    }
                }
            }
        } catch (MeetingException e) {
            throw e;
        } catch (IOException e) {
            LOG.log(Logger.Level.WARNING, "a run that was killed before its first checkpoint is not deleted", e);
        }
    }

    /** Returns the other runs that a process has begun and not closed, and what is left of deleted ones. */
    private List<String> ids() {
        List<String> ids = new ArrayList<>();
        try {
            for (Path meta : PathStatus.entries(config.metaDir())) {
                String name = meta.getFileName().toString();
                boolean deleted = name.endsWith(RunPlaces.DELETED);
                if (deleted ? !PathStatus.exists(meta(withoutSuffix(name))) : isBegun(meta)) {
                    ids.add(name);
                }
            }
        } catch (IOException e) {
            LOG.log(Logger.Level.WARNING, "runs that were killed before their first checkpoint are not looked for", e);
        }
        return ids;
    }

    private static String withoutSuffix(String deleted) {
        return deleted.substring(0, deleted.length() - RunPlaces.DELETED.length());
    }

    private boolean isBegun(Path meta) throws IOException {
        return !meta.equals(own.meta())
                && PathStatus.exists(leaseOf(meta))
                && hasBeginningsOnly(meta.getFileName().toString(), meta);
    }

    private Path leaseOf(Path meta) {
        return meta.resolve(own.lease().getFileName());
    }

    private Path meta(String id) {
        return own.meta().resolveSibling(id);
    }

    private Path local(String id) {
        return own.local().resolveSibling(id);
    }

    private boolean isDead(String id) throws IOException {
        if (Lease.ended(ranks, leaseOf(meta(id)), topology.place() == 0, Duration.ZERO)
                .isEmpty()) {
            return false;
        }
        boolean[] more = {false};
        Agreement.run(ranks, "looking for checkpoints of run " + id, () -> {
            List<Path> places = new ArrayList<>(List.of(local(id)));
            if (ranks.rank() == 0) {
                places.add(meta(id));
                places.addAll(RunPlaces.of(config, id).others());
            }
            for (Path place : places) {
                more[0] |= !hasBeginningsOnly(id, place);
            }
        });
        return !Agreement.any(ranks, more[0]);
    }

    /**
     * Returns whether a directory has nothing but what a start makes. The draft of a first checkpoint counts as such only if
     * the configuration says that the next start begins afresh. That of another job may say that it is a restart.
     */
    private boolean hasBeginningsOnly(String id, Path directory) throws IOException {
        for (Path entry : PathStatus.entries(directory)) {
            String name = entry.getFileName().toString();
            boolean draft = name.equals("tmp") && id.equals(config.execId());
            boolean empty = Set.of("tmp", "stage").contains(name)
                    && PathStatus.entries(entry).isEmpty();
            boolean made = BEGINNINGS.contains(name) || MARKERS.stream().anyMatch(name::startsWith);
            if (!draft && !empty && !made) {
                return false;
            }
        }
        return true;
    }

    /** How far a deletion goes. */
    private interface Deletion {
        void of(RunDeletion run) throws IOException;
    }

    private void deleteOnNodes(String id) throws IOException {
        Agreement.run(ranks, "deleting run " + id + " on its nodes", () -> {
            if (topology.place() == 0) {
                DirectoryTree.delete(local(id), storage);
            }
        });
    }

    /** After the nodes, so that a start goes on with it after a kill. */
    private void deleteShared(String id, Deletion deletion) throws IOException {
        Agreement.run(ranks, "deleting run " + id, () -> {
            if (ranks.rank() == 0) {
                String file = own.topologyFile().toString();
                IniFile now = IniFile.parse(TextFiles.read(own.topologyFile()), file);
                List<String> nodes = TopologyFile.orders(now, file).get(0).nodeNames();
                deletion.of(new RunDeletion(config, id, storage, Set.copyOf(nodes)));
            }
        });
    }
}
