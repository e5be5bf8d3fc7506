package io.drumlin.scr.internal.flush;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.cache.DatasetCache;
import io.drumlin.scr.internal.index.PrefixFiles;
import io.drumlin.scr.internal.redundancy.NodeLayout;
import io.drumlin.scr.internal.scavenge.Scavenge;
import io.drumlin.scr.internal.settings.ScrSettings;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.RootRank;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.OwnDirectory;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;

/** The work of {@code SCR_Init} before the program continues: directories, purges, caches, and flushes that are due. */
public final class JobStart {

    private static final System.Logger LOG = System.getLogger(JobStart.class.getName());

    private final ScrSettings settings;
    private final Communicator world;
    private final NodeLayout layout;
    private final ScrPrefix prefix;
    private final DatasetCache cache;
    private final DatasetFlush flush;

    public JobStart(
            ScrSettings settings,
            Communicator world,
            NodeLayout layout,
            ScrPrefix prefix,
            DatasetCache cache,
            DatasetFlush flush) {
        this.settings = settings;
        this.world = world;
        this.layout = layout;
        this.prefix = prefix;
        this.cache = cache;
        this.flush = flush;
    }

    /**
     * Does this work. Collective.
     *
     * @param program parameters that the program set, for SCR's scripts
     */
    public void run(String program, StorageEngine storage) throws IOException {
        KvTreeStore store = new KvTreeStore(storage);
        Agreement.run(world, "preparing the directories of SCR", () -> prepare(program, store));
        requireOnePrefix(store);
        RootRank.run(world, "listing datasets that were copied", new Scavenge(prefix, storage)::listCopied);
        cache.checkSets();
        if (settings.flag("SCR_PREFIX_PURGE")) {
            RootRank.run(world, "deleting all datasets", () -> new PrefixFiles(prefix, store).deleteAll());
            cache.flushFile().change(states -> states.ids().forEach(states::remove));
        }
        if (settings.flag("SCR_CACHE_PURGE")) {
            cache.purge();
            return;
        }
        cache.rebuild();
        if (settings.flag("SCR_GLOBAL_RESTART")) {
            flush.copyLeft();
            cache.purge();
        } else {
            copyLeft();
        }
    }

    private void prepare(String program, KvTreeStore store) throws IOException {
        if (layout.isLeader()) {
            makeOwn(settings.control(), store);
            makeOwn(settings.cache(), store);
        }
        if (world.rank() == 0) {
            store.makeDirectory(prefix.scr());
            KvTree nodes = new KvTree();
            nodes.set("NODES", layout.nodes());
            store.replace(prefix.nodes(), nodes);
            store.replace(prefix.applicationConfig(), StandardCharsets.UTF_8.encode(program));
        }
    }

    /**
     * Requires that all nodes have the same directory at the path of the prefix directory. Otherwise flushes would go
     * elsewhere.
     */
    private void requireOnePrefix(KvTreeStore store) throws IOException {
        String operation = "looking for the prefix directory in all nodes";
        String start = Agreement.bcast(world, "start." + UUID.randomUUID(), 0);
        // No node can have a name in its cache that is new.
        Path mark = prefix.scr().resolve(start);
        RootRank.run(world, operation, () -> store.replace(mark, new KvTree()));
        IOException failure = Agreement.attempt(world, operation, () -> {
            if (layout.isLeader() && !PathStatus.exists(mark)) {
                throw DrumlinException.during(operation)
                        .path(prefix.path())
                        .rank(world.rank())
                        .problem("node " + settings.node() + " does not see there what rank 0 has written")
                        .advice("mount the file system on that node, or start without the node; SCR_PREFIX must be one"
                                + " directory for all")
                        .exception();
            }
        });
        try {
            Agreement.agree(world, operation, failure);
        } finally {
            if (world.rank() == 0) {
                store.storage().delete(mark);
            }
        }
    }

    /**
     * Makes the directories of the user and the job. Anyone may write to the parents of these directories, so their
     * owners are checked.
     */
    private static void makeOwn(Path directory, KvTreeStore store) throws IOException {
        Path ofUser = directory.getParent();
        if (ofUser != null) {
            OwnDirectory.require(ofUser);
        }
        OwnDirectory.require(directory);
        store.makeDirectory(directory);
    }

    /** If the copy fails, a restart from the caches is still possible. */
    private void copyLeft() {
        try {
            flush.copyLeft();
        } catch (IOException e) {
            if (world.rank() == 0) {
                LOG.log(System.Logger.Level.WARNING, "what is in the caches only stays there: " + e.getMessage());
            }
        }
    }
}
