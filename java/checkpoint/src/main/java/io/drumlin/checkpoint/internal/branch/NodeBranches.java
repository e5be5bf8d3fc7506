package io.drumlin.checkpoint.internal.branch;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.CheckpointChoice;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.lease.Lease;
import io.drumlin.checkpoint.internal.topology.Host;
import io.drumlin.checkpoint.internal.topology.NodeIdentity;
import io.drumlin.checkpoint.internal.topology.NodeList;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.topology.TopologyExchange;
import io.drumlin.checkpoint.internal.topology.TopologyFile;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.OwnDirectory;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Begins branches on real nodes. What a node has is seen by its own ranks only, so all ranks take part: the first rank
 * of each node gives the branch what its node has, and then the first rank makes the branch known
 * (docs/formats/fti-run-directory.md, section 14).
 */
public final class NodeBranches {

    private final FtiConfig config;
    private final Communicator ranks;
    private final Path ckptDir;
    private final StorageEngine storage;
    private final Branch branches;
    private final Topology topology;

    /** The node of each rank, on rank 0. */
    private final List<NodeIdentity> nodeOfRank = new ArrayList<>();

    /**
     * Finds the nodes of the ranks. Collective.
     *
     * @param config the configuration of the parent
     * @param host host of this rank, if a test invented it
     */
    public NodeBranches(FtiConfig config, Communicator ranks, Optional<Host> host, StorageEngine storage)
            throws IOException {
        this.config = config;
        this.ranks = ranks;
        this.storage = storage;
        ckptDir = host.map(Host::localRoot).orElse(config.ckptDir());
        branches = new Branch(config, storage);
        topology = TopologyExchange.of(ranks, config, host, "", nodes -> {
                    nodeOfRank.addAll(nodes);
                    return List.of(NodeList.of(config, nodes, Optional.empty()));
                })
                .get(0)
                .topology();
    }

    private boolean isFirst() {
        return ranks.rank() == 0;
    }

    private boolean isFirstOfNode() {
        return topology.place() == 0;
    }

    private RunDirectory directories(String execId) {
        return new RunDirectory(config, ckptDir, execId, ranks.rank());
    }

    /**
     * Begins a branch of the configuration's run. Collective.
     *
     * @return the id of the branch
     * @throws IOException there is no such checkpoint, it is on the nodes and of other ranks than these, the run is
     *     active, or there is no room; nothing was changed
     */
    public String begin(CheckpointChoice choice) throws IOException {
        List<String> onNodes = Agreement.gather(
                ranks,
                Agreement.call(
                        ranks, "looking for checkpoints on the nodes", () -> isFirstOfNode() ? ofThisNode() : ""));
        List<Lease> lease = new ArrayList<>(1);
        try {
            Agreement.run(ranks, "taking the lease of run " + config.execId(), () -> {
                if (isFirst()) {
                    branches.requireRun(config.execId());
                    LeasedRun.take(config, config.execId()).ifPresent(lease::add);
                }
            });
            return begin(choose(choice, onNodes), choice);
        } finally {
            lease.forEach(Lease::close);
        }
    }

    /** Returns a line for each checkpoint of which this node has files. */
    private String ofThisNode() throws IOException {
        RunDirectory run = directories(config.execId());
        OwnDirectory.require(run.local());
        List<CheckpointEntry> found = new ArrayList<>();
        for (CheckpointEntry each : RunInventory.of(run, storage).ofNode()) {
            if (!Branch.isLost(each, storage)) {
                found.add(each);
            }
        }
        return CheckpointEntry.lines(found);
    }

    /** Chooses a checkpoint; the result has its files on the first rank only. Collective. */
    private CheckpointEntry choose(CheckpointChoice choice, List<String> texts) throws IOException {
        List<CheckpointEntry> chosen = new ArrayList<>(1);
        String agreed = Agreement.call(ranks, "choosing a checkpoint of run " + config.execId(), () -> {
            if (!isFirst()) {
                return "";
            }
            CheckpointEntry found = find(choice, texts);
            if (found.level() != Level.L4) {
                requireSameRanks(found);
            }
            chosen.add(found);
            return CheckpointEntry.lines(chosen);
        });
        RunDirectory run = directories(config.execId());
        CommitOrder unread = new CommitOrder(run.commitLog());
        String line = Agreement.bcast(ranks, agreed, 0);
        return isFirst()
                ? chosen.get(0)
                : CheckpointEntry.parse(line, unread, run.meta()).get(0);
    }

    private CheckpointEntry find(CheckpointChoice choice, List<String> texts) throws IOException {
        RunDirectory run = directories(config.execId());
        CommitOrder order = new CommitOrder(run.commitLog()).read();
        // How many nodes have files of each.
        Map<CheckpointEntry, Integer> onNodes = new LinkedHashMap<>();
        texts.stream()
                .flatMap(String::lines)
                .sorted()
                .flatMap(line -> CheckpointEntry.parse(line, order, run.meta()).stream())
                .forEach(each -> onNodes.merge(each, 1, Integer::sum));
        List<CheckpointEntry> stored = new ArrayList<>();
        List<CheckpointEntry> kept = new ArrayList<>();
        StringBuilder others = new StringBuilder();
        onNodes.forEach((each, having) -> {
            if (isOnEnough(each.level(), having)) {
                (each.isKept() ? kept : stored).add(each);
            } else {
                others.append("; of " + each.ckptId() + " (" + each.place() + ") " + having + " of " + topology.nodes()
                        + " nodes have files");
            }
        });
        stored.addAll(RunInventory.of(run, storage).all(RunPlaces.seen(config, config.execId())));
        stored.addAll(kept);
        return Branch.find(config.execId(), choice, CheckpointEntry.newestFirst(stored), others.toString(), storage);
    }

    /** Returns whether so many nodes have files that those of the others may be made again from them. */
    private boolean isOnEnough(Level level, int having) {
        return level == Level.L1 ? having == topology.nodes() : 2 * having >= topology.nodes();
    }

    /** Files on the nodes are of use to as many ranks only, on as many nodes. */
    private void requireSameRanks(CheckpointEntry checkpoint) throws IOException {
        Path file = directories(config.execId()).topologyFile();
        IniFile ini = IniFile.parse(TextFiles.read(file), file.toString());
        NodeList now = NodeList.of(
                config,
                nodeOfRank,
                Optional.of(TopologyFile.orders(ini, file.toString()).get(0)));
        int before = TopologyFile.ranks(ini).orElse(0);
        int ranksNow = now.ofApplication(now.ranks(), config.heads()).size();
        if (before != 0 && before != ranksNow) {
            throw DrumlinException.during("beginning a branch of run " + config.execId())
                    .path(file)
                    .problem("checkpoint " + checkpoint.ckptId() + " of level "
                            + checkpoint.level().number() + " was written by " + before + " ranks, this run has "
                            + ranksNow)
                    .advice(NodeList.adviceToOtherRanks(config))
                    .exception();
        }
        TopologyFile.requireGroupSize(ini, config, file.toString());
    }

    /**
     * The name of a branch.
     *
     * @param parts the number of the nodes' parts
     * @param isMade whether the branch is there, of a start that failed later
     */
    private record Name(String id, String parts, boolean isMade) {}

    private String begin(CheckpointEntry checkpoint, CheckpointChoice choice) throws IOException {
        BranchRecord record = Branch.record(config.execId(), checkpoint, choice);
        Name name = name(record, choice.name());
        NodePart part = new NodePart(directories(name.id).local(), name.parts, storage);
        try {
            Agreement.run(ranks, "giving branch " + name.id + " the files on the nodes", () -> {
                if (isFirstOfNode() && !name.parts.isEmpty()) {
                    part.make(directories(config.execId()), checkpoint);
                }
            });
            Agreement.run(ranks, "beginning branch " + name.id, () -> {
                if (isFirst() && !name.isMade) {
                    branches.make(config.execId(), checkpoint, name.id, record.withParts(name.parts));
                }
            });
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException e) {
            deleteAfter(e, name.id, part);
            throw e;
        }
        return name.id;
    }

    /** Returns the same name on all ranks. Collective. */
    private Name name(BranchRecord record, Optional<String> asked) throws IOException {
        Set<String> taken = new HashSet<>();
        while (true) {
            String proposed = Agreement.call(
                    ranks,
                    "naming a branch of run " + config.execId(),
                    () -> isFirst() ? propose(record, asked, taken) : "");
            String[] words = Agreement.bcast(ranks, proposed, 0).split("\n", -1);
            Name name = new Name(words[0], words[1], !words[2].isEmpty());
            if (name.isMade || isFree(name.id, asked.isPresent())) {
                return name;
            }
            taken.add(name.id);
        }
    }

    private String propose(BranchRecord record, Optional<String> asked, Set<String> taken) throws IOException {
        String id = branches.id(record, asked, taken);
        Optional<BranchRecord> made = BranchRecord.read(directories(id).meta());
        String parts = record.level() == Level.L4.number() ? "" : NodePart.newNumber();
        return id + "\n" + made.map(BranchRecord::parts).orElse(parts) + "\n" + (made.isPresent() ? "made" : "");
    }

    /** Returns whether no node has something else of this name. Collective. */
    private boolean isFree(String id, boolean asked) throws IOException {
        boolean taken = Agreement.call(ranks, "looking for the name " + id + " on the nodes", () -> {
            Optional<Path> other =
                    isFirstOfNode() ? NodePart.other(directories(id).local()) : Optional.empty();
            if (other.isPresent() && asked) {
                throw Branch.nameTaken(id, other.get());
            }
            return other.isPresent();
        });
        return !Agreement.any(ranks, taken);
    }

    /** Deletes the parts if the branch was not made. Collective. */
    private void deleteAfter(IOException failure, String id, NodePart part) {
        try {
            boolean known = Agreement.any(ranks, isFirst() && isKnown(id));
            if (!known && isFirstOfNode()) {
                part.delete();
            }
        } catch (IOException stays) {
            failure.addSuppressed(stays);
        }
    }

    private boolean isKnown(String id) {
        try {
            return PathStatus.exists(directories(id).meta());
        } catch (IOException unknown) {
            return true;
        }
    }

    /**
     * Puts a branch's files on the nodes into their place, if that was not done, and deletes those of branches of this
     * name that were not made to the end. Collective.
     *
     * @param run the directories of the branch
     * @param parts the number of its parts, the same on all ranks
     */
    public static void complete(
            FtiConfig config,
            Communicator ranks,
            Optional<Host> host,
            StorageEngine storage,
            RunDirectory run,
            String parts)
            throws IOException {
        String operation = "putting the files of branch " + config.execId() + " into their place";
        boolean here = Agreement.call(ranks, operation, () -> NodePart.isIn(run.local()));
        if (!Agreement.any(ranks, here)) {
            return;
        }
        NodeBranches nodes = new NodeBranches(config, ranks, host, storage);
        Agreement.run(ranks, operation, () -> {
            if (nodes.isFirstOfNode()) {
                run.requireOwnEntries();
                new NodePart(run.local(), parts, storage).complete();
            }
        });
    }
}
