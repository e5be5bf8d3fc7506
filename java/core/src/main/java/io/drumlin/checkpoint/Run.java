package io.drumlin.checkpoint;

import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What is known of a run before its checkpoints are looked at: the first steps of {@code FTI_Init}.
 *
 * @param former what is known of the run that is restarted
 * @param app the ranks of the application; on a head the heads
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
        Optional<HeadLink> headLink) {

    /**
     * What {@code Topology.fti} tells.
     *
     * @param sameNodes whether it had as many nodes as this one
     * @param numberedByNode whether the ranks of each node followed each other
     */
    record Former(boolean sameNodes, boolean numberedByNode) {}

    /**
     * Reads the configuration, makes directories, finds nodes and ranks. Collective.
     *
     * @param given storage engine; otherwise the configuration or {@link StorageEngines} chooses
     * @param anyNumberOfRanks whether a restart may have another number of nodes
     */
    static Run prepare(Path configFile, Communicator ranks, Optional<StorageEngine> given, boolean anyNumberOfRanks)
            throws IOException {
        String text = readOnce(ranks, configFile);
        FtiConfig[] parsed = new FtiConfig[1];
        Agreement.run(ranks, "reading " + configFile, () -> parsed[0] = FtiConfig.parse(text, configFile.toString()));
        FtiConfig config = parsed[0];
        boolean restart = config.failure() != 0;
        String execId = restart
                ? config.execId()
                : Agreement.bcast(ranks, UUID.randomUUID().toString(), 0);
        StorageEngine[] engine = new StorageEngine[1];
        RunDirectory directories = new RunDirectory(config, execId, ranks.rank());
        Agreement.run(ranks, "making the directories of run " + execId, () -> {
            engine[0] = given.isPresent() ? given.get() : engine(config);
            directories.create(engine[0]);
        });
        Path topologyFile = directories.topologyFile();
        List<String> earlier = List.of();
        Optional<Former> former = Optional.empty();
        if (restart) {
            IniFile ini = IniFile.parse(readOnce(ranks, topologyFile), topologyFile.toString());
            earlier = Topology.nodeNames(ini, topologyFile.toString());
            boolean sameNodes = earlier.size() * (long) config.nodeSize() == ranks.size();
            former = Optional.of(new Former(sameNodes, Topology.isNumberedByNode(ini)));
            if (anyNumberOfRanks && !sameNodes) {
                // Their nodes are none of this run's.
                earlier = List.of();
            }
        }
        Topology topology = Topology.of(ranks, config, earlier);
        Agreement.run(ranks, "writing " + topologyFile, () -> {
            if (!restart && topology.isGlobalMaster() && !topology.isHead()) {
                TextFiles.replace(topologyFile, topology.toIni(config.ini()), engine[0]);
            }
        });
        Communicator app = topology.own(ranks);
        Optional<HeadLink> headLink =
                config.heads() == 0 ? Optional.empty() : Optional.of(HeadLink.of(ranks, topology));
        return new Run(configFile, config, execId, engine[0], directories, topology, former, app, headLink);
    }

    private static StorageEngine engine(FtiConfig config) throws IOException {
        boolean propertyDecides = System.getProperty(StorageEngines.PROPERTY) != null;
        return config.storage().isPresent() && !propertyDecides
                ? StorageEngines.byName(config.storage().get())
                : StorageEngines.best();
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
