package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a run before its checkpoints are looked at: the first steps of {@code FTI_Init}.
 *
 * @param former what is known of the run that is restarted
 * @param app the ranks of the application; on a head the heads
 * @param lease on the first rank of the application
 * @param headLink between the ranks of this node, if it has a head
 */
record Run(
        Path configFile,
        FtiConfig config,
        String execId,
        StorageEngine storage,
        RunDirectory directories,
        Topology topology,
        Optional<Former> former,
        Communicator app,
        Optional<HeadLink> headLink,
        Optional<Lease> lease) {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /**
     * What {@code Topology.fti} tells.
     *
     * @param sameNodes whether it had as many nodes as this one
     * @param numberedByNode whether the ranks of each node followed each other, as far as that is known
     * @param numberingKnown whether it is known
     * @param nodes how many it had
     * @param ranks how many its application had, 0 if that is not known
     */
    record Former(boolean sameNodes, boolean numberedByNode, boolean numberingKnown, int nodes, int ranks) {}

    /**
     * Reads the configuration, makes directories, finds nodes and ranks. Collective.
     *
     * @param given storage engine; otherwise the configuration or {@link StorageEngines} chooses
     * @param anyNumberOfRanks whether a restart may have another number of nodes
     * @param host of this rank, if it is an invented one
     */
    static Run prepare(
            Path configFile,
            Communicator ranks,
            Optional<StorageEngine> given,
            boolean anyNumberOfRanks,
            Optional<Host> host)
            throws IOException {
        String text = readOnce(ranks, configFile);
        FtiConfig[] parsed = new FtiConfig[1];
        Agreement.run(ranks, "reading " + configFile, () -> parsed[0] = FtiConfig.parse(text, configFile.toString()));
        FtiConfig config = parsed[0];
        boolean restart = config.failure() != 0;
        String execId = restart ? config.execId() : Agreement.bcast(ranks, ranks.rank() == 0 ? newExecId() : "", 0);
        StorageEngine[] engine = new StorageEngine[1];
        Path ckptDir = host.map(Host::localRoot).orElse(config.ckptDir());
        RunDirectory directories = new RunDirectory(config, ckptDir, execId, ranks.rank());
        Agreement.run(ranks, "making the directories of run " + execId, () -> {
            engine[0] = given.isPresent() ? given.get() : engine(config);
            directories.create(engine[0]);
        });
        Path topologyFile = directories.topologyFile();
        Former[] found = new Former[1];
        Topology topology = Topology.of(ranks, config, host, nameOfRank -> {
            List<String> earlier = List.of();
            if (restart) {
                IniFile ini = IniFile.parse(TextFiles.read(topologyFile), topologyFile.toString());
                earlier = TopologyFile.nodeNames(ini, topologyFile.toString());
                boolean sameNodes = earlier.size() * (long) config.nodeSize() == ranks.size();
                Optional<Boolean> byNode = TopologyFile.numberedByNode(ini);
                found[0] = new Former(
                        sameNodes,
                        byNode.orElse(true),
                        byNode.isPresent(),
                        earlier.size(),
                        TopologyFile.ranks(ini).orElse(0));
                if (anyNumberOfRanks && !sameNodes) {
                    // Their nodes are none of this run's.
                    earlier = List.of();
                }
            }
            return NodeList.of(config, nameOfRank, earlier);
        });
        Optional<Former> former = restart ? Optional.of(bcast(ranks, found[0])) : Optional.empty();
        Communicator app = topology.own(ranks);
        List<String> nodeNames = restart ? List.of() : topology.nodeNames(app);
        List<Lease> lease = new ArrayList<>();
        Agreement.Step begin = () -> {
            if (!topology.isHead() && app.rank() == 0) {
                lease(config, directories.lease()).ifPresent(lease::add);
            }
            if (!restart && topology.isGlobalMaster() && !topology.isHead()) {
                TextFiles.replace(topologyFile, TopologyFile.toIni(config, nodeNames, topology), engine[0]);
            }
        };
        try {
            Agreement.run(ranks, "taking the directories of run " + execId, begin);
            Optional<HeadLink> headLink =
                    config.heads() == 0 ? Optional.empty() : Optional.of(HeadLink.of(ranks, topology));
            return new Run(
                    configFile,
                    config,
                    execId,
                    engine[0],
                    directories,
                    topology,
                    former,
                    app,
                    headLink,
                    lease.stream().findFirst());
        } catch (IOException | RuntimeException | Error e) {
            lease.forEach(Lease::close);
            throw e;
        }
    }

    /** Before anything in the run's directories is changed. */
    private static Optional<Lease> lease(FtiConfig config, Path file) throws DrumlinException {
        if (config.lease().isZero()) {
            return Optional.empty();
        }
        try {
            return Lease.take(file, LeaseHolder.here(System::getenv), config.lease(), Lease.GRACE);
        } catch (DrumlinException refused) {
            throw refused;
        } catch (IOException e) {
            LOG.log(Logger.Level.WARNING, "this process cannot be named in {0}: {1}", file, e.toString());
            return Optional.empty();
        }
    }

    /** Refuses to go on where another job has taken over. For the ranks of the application; on all but the first nothing is looked at. */
    void requireLease() throws DrumlinException {
        if (lease.isPresent()) {
            lease.get().requireOwn();
        }
    }

    /** What rank 0 has. */
    private static Former bcast(Communicator ranks, @Nullable Former former) throws IOException {
        long[] values = {
            former != null && former.sameNodes ? 1 : 0,
            former != null && former.numberedByNode ? 1 : 0,
            former != null && former.numberingKnown ? 1 : 0,
            former != null ? former.nodes : 0,
            former != null ? former.ranks : 0
        };
        ranks.allreduce(values, Op.MAX);
        return new Former(values[0] == 1, values[1] == 1, values[2] == 1, (int) values[3], (int) values[4]);
    }

    private static StorageEngine engine(FtiConfig config) throws IOException {
        boolean propertyDecides = System.getProperty(StorageEngines.PROPERTY) != null;
        return config.storage().isPresent() && !propertyDecides
                ? StorageEngines.byName(config.storage().get())
                : StorageEngines.best();
    }

    /** From the kernel: the classes of a SecureRandom take longer to load than a small checkpoint takes. */
    private static String newExecId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/uuid")).strip();
        } catch (IOException e) {
            return UUID.randomUUID().toString();
        }
    }

    /** Rank 0 reads, so that thousands of ranks do not open one file. */
    private static String readOnce(Communicator ranks, Path file) throws IOException {
        String[] text = {""};
        Agreement.run(ranks, "reading " + file, () -> {
            if (ranks.rank() == 0) {
                text[0] = TextFiles.read(file);
            }
        });
        return Agreement.bcast(ranks, text[0], 0);
    }
}
