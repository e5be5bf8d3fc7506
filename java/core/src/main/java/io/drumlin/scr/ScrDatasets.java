package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Datasets as programs write and read them with SCR: into caches in the nodes, protected there, copied to the prefix
 * directory, and found again after a restart (docs/formats/scr.md).
 *
 * <p>The life of a checkpoint: {@link #needCheckpoint}, {@link #startOutput}, {@link #routeFile} for each file of this
 * rank, writing the files, {@link #completeOutput}. That of a restart: {@link #haveRestart}, {@link #startRestart},
 * {@link #routeFile}, reading, {@link #completeRestart}; if that says false, again from the beginning.
 *
 * <p>All calls but {@link #routeFile} are collective over the communicator; what fails on one rank fails on all. A call
 * that does not fit the state is an {@link IllegalStateException}. Not thread-safe.
 */
public final class ScrDatasets implements Closeable {

    private static final System.Logger LOG = System.getLogger(ScrDatasets.class.getName());

    /** SCR's limit, with C's NUL. */
    private static final int MAX_NAME = 1023;

    private enum State {
        IDLE,
        OUTPUT,
        RESTART,
        CLOSED
    }

    /** A file of this rank: where the program wants it, and where it writes or reads it now. */
    private record Routed(Path wanted, Path actual) {}

    private final ScrSettings settings;
    private final Communicator world;
    private final NodeLayout layout;
    private final KvTreeStore store;
    private final ScrPrefix prefix;
    private final IndexFile index;
    private final JobHalt halt;
    private final DatasetCache cache;
    private final DatasetFlush flush;
    private final FileTransfer transfer;

    private State state = State.IDLE;
    private int lastId;
    private int lastCheckpoint;
    private @Nullable DatasetDescriptor dataset;
    private boolean bypass;
    private final Map<String, Routed> routed = new LinkedHashMap<>();
    private final RestartOffer offer = new RestartOffer();
    private final CheckpointPace pace;

    /** What the next restart can have. */
    private static final class RestartOffer {
        private int id = -1;
        private String name = "";
        private boolean inPlace;
        private KvTree files = new KvTree();
    }

    private ScrDatasets(ScrSettings settings, Communicator world, StorageEngine storage) throws IOException {
        this.settings = settings;
        this.world = world;
        this.store = new KvTreeStore(storage);
        this.prefix = new ScrPrefix(settings.prefix());
        this.index = new IndexFile(prefix, storage);
        this.halt = new JobHalt(settings, new HaltFile(prefix, storage));
        this.layout = new NodeLayout(world, settings.node());
        this.cache = new DatasetCache(store, world, layout, settings);
        this.transfer = new FileTransfer(store);
        this.flush = new DatasetFlush(settings, world, store, prefix, cache);
        this.pace = new CheckpointPace(settings);
    }

    /**
     * Begins: makes good what the caches have lost, and finds where to go on. Collective.
     *
     * @param config parameters; their files are read here
     * @param comm all ranks; duplicated
     * @param storage how files are written
     * @return datasets to be closed by the caller
     * @throws IOException a directory cannot be used, or a parameter is wrong
     */
    public static ScrDatasets open(ScrConfig config, Communicator comm, StorageEngine storage) throws IOException {
        Communicator world = comm.dup();
        ScrSettings[] settings = new ScrSettings[1];
        Agreement.run(world, "reading the configuration of SCR", () -> {
            settings[0] = config.read();
            settings[0].copyType();
            if (!settings[0].flag("SCR_ENABLE")) {
                throw DrumlinException.during("opening datasets")
                        .problem("SCR_ENABLE is 0")
                        .advice("unset it, or do without datasets")
                        .exception();
            }
        });
        if (world.rank() == 0) {
            warnOfUnused(settings[0]);
        }
        ScrDatasets datasets = new ScrDatasets(settings[0], world, storage);
        datasets.begin();
        return datasets;
    }

    private static void warnOfUnused(ScrSettings settings) {
        List<String> unused = ScrConfig.unused(settings);
        if (!unused.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "nothing follows from " + String.join(", ", unused)
                            + (settings.text("SCR_FLUSH_ASYNC").equals("1") ? "; all flushes are synchronous" : ""));
        }
    }

    private void begin() throws IOException {
        Agreement.run(world, "preparing the directories of SCR", () -> {
            if (layout.isLeader()) {
                store.makeDirectory(settings.control());
                store.makeDirectory(settings.cache());
            }
            if (world.rank() == 0) {
                store.makeDirectory(prefix.scr());
                KvTree nodes = new KvTree();
                nodes.set("NODES", layout.nodes());
                store.replace(prefix.nodes(), nodes);
            }
        });
        cache.rebuild();
        long[] last = {0, 0};
        onRoot("reading the index", () -> findLast(last));
        world.allreduce(last, Communicator.Op.MAX);
        lastId = (int) last[0];
        lastCheckpoint = (int) last[1];
        onRoot("setting CURRENT", this::applyCurrent);
    }

    /** Ids are never used again, whatever a restart goes back to: what they name stays what it is. */
    private void findLast(long[] last) throws IOException {
        if (Files.exists(index.path())) {
            for (IndexRecord record : index.read().records()) {
                last[0] = Math.max(last[0], record.id());
                last[1] = Math.max(last[1], record.descriptor().checkpoint().orElse(0));
            }
        }
        for (var cached : cache.datasets().entrySet()) {
            last[0] = Math.max(last[0], cached.getKey());
            last[1] = Math.max(last[1], cached.getValue().checkpoint().orElse(0));
        }
    }

    private void applyCurrent() throws IOException {
        String name = settings.text("SCR_CURRENT");
        if (!name.isEmpty() && Files.exists(index.path())) {
            index.update(each -> {
                if (!each.setCurrent(name)) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "SCR_CURRENT=" + name + ": the index knows no such checkpoint");
                }
            });
        }
    }

    /**
     * Whether the program should take a checkpoint now. Collective.
     *
     * @return what SCR_CHECKPOINT_INTERVAL, _SECONDS and _OVERHEAD ask for, or because the job is to halt
     * @throws IOException the halt file cannot be read
     */
    public boolean needCheckpoint() throws IOException {
        require(State.IDLE);
        long[] need = {0};
        onRoot(
                "looking whether to halt",
                () -> need[0] = pace.isDue() || halt.reason().isPresent() ? 1 : 0);
        world.allreduce(need, Communicator.Op.MAX);
        return need[0] != 0;
    }

    /**
     * Whether the job is to halt. Collective.
     *
     * @return what the halt file says
     * @throws IOException the halt file cannot be read
     */
    public boolean shouldExit() throws IOException {
        long[] exit = {0};
        onRoot("looking whether to halt", () -> exit[0] = halt.reason().isPresent() ? 1 : 0);
        world.allreduce(exit, Communicator.Op.MAX);
        return exit[0] != 0;
    }

    /**
     * Begins a dataset. The oldest ones leave the cache to make room. Collective.
     *
     * @param name the same on all ranks, unique in the prefix directory; {@code null} for {@code scr.dataset.ID}
     * @param checkpoint whether the program can restart from it
     * @param output whether it must reach the prefix directory
     * @throws IOException the caches or the index cannot be changed; no dataset was begun
     */
    public void startOutput(@Nullable String name, boolean checkpoint, boolean output) throws IOException {
        require(State.IDLE);
        int id = lastId + 1;
        String common = Agreement.bcast(world, name == null ? "scr.dataset." + id : name, 0);
        Agreement.run(world, "beginning a dataset", () -> checkName(name, common));
        DatasetDescriptor descriptor = DatasetDescriptor.started(id, common, checkpoint, output, created())
                .with("USER", settings.user())
                .with("JOBNAME", settings.text("SCR_JOB_NAME"))
                .with("JOBID", settings.text("SCR_JOB_ID"))
                .with("CLUSTER", settings.text("SCR_CLUSTER_NAME"));
        if (checkpoint) {
            descriptor.withCheckpoint(lastCheckpoint + 1);
        }
        bypass = settings.flag("SCR_CACHE_BYPASS");
        if (bypass) {
            onRoot("indexing dataset " + common, () -> index.update(each -> each.begin(descriptor)));
        } else {
            cache.begin(descriptor, settings.integer("SCR_CACHE_SIZE"));
        }
        lastId = id;
        lastCheckpoint += checkpoint ? 1 : 0;
        dataset = descriptor;
        routed.clear();
        offer.id = -1;
        pace.begin();
        state = State.OUTPUT;
    }

    private static void checkName(@Nullable String name, String common) throws DrumlinException {
        if ((name != null && !name.equals(common)) || common.isEmpty() || common.length() > MAX_NAME) {
            throw DrumlinException.during("beginning a dataset")
                    .problem("its name is '" + name + "' here and '" + common + "' on rank 0")
                    .advice("use one name of 1 to " + MAX_NAME + " characters on all ranks")
                    .exception();
        }
    }

    /** All ranks have the same, that of rank 0. */
    private long created() throws IOException {
        long[] micros = {world.rank() == 0 ? ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) : 0};
        world.allreduce(micros, Communicator.Op.MAX);
        return micros[0];
    }

    /**
     * Says where to write or read a file of this rank. Not collective. Unlike SCR, the cache keeps the directories below the
     * prefix: files with equal names do not meet.
     *
     * @param file where the program wants it, in the prefix directory; in a restart its last name is enough
     * @return where it is now
     * @throws IOException it is outside the prefix directory, or, in a restart, not a file of this rank
     */
    public Path routeFile(Path file) throws IOException {
        if (state == State.RESTART) {
            return routeRestart(file);
        }
        if (state != State.OUTPUT || dataset == null) {
            return file;
        }
        Path wanted = file.toAbsolutePath().normalize();
        if (!wanted.startsWith(prefix.path()) || wanted.equals(prefix.path()) || wanted.startsWith(prefix.scr())) {
            throw DrumlinException.during("routing a file")
                    .path(file)
                    .rank(world.rank())
                    .problem("it is not in the prefix directory " + prefix.path())
                    .advice("use a path in it, or set SCR_PREFIX")
                    .exception();
        }
        String relative = prefix.path().relativize(wanted).toString();
        Path actual = bypass ? wanted : cache.path(dataset.id().orElseThrow()).resolve(relative);
        store.makeDirectory(Objects.requireNonNull(actual.getParent(), "it is below a directory"));
        routed.put(relative, new Routed(wanted, actual));
        return actual;
    }

    private Path routeRestart(Path file) throws IOException {
        Path wanted = file.toAbsolutePath().normalize();
        Path found = null;
        for (Map.Entry<String, KvTree> each : offer.files.entries().entrySet()) {
            Path place = Path.of(each.getKey());
            boolean sameName = file.getNameCount() == 1 && place.endsWith(file);
            if (prefix.path().resolve(place).equals(wanted) || (sameName && found == null)) {
                found = Path.of(each.getValue().value("AT").orElseThrow());
            }
        }
        if (found == null) {
            throw DrumlinException.during("routing a file")
                    .path(file)
                    .rank(world.rank())
                    .problem("dataset " + offer.name + " has no such file of this rank")
                    .exception();
        }
        return found;
    }

    /**
     * Ends the dataset: protects it in the caches and, when it is its turn, copies it to the prefix directory. Collective.
     *
     * @param valid whether the files of this rank are good
     * @return whether those of all ranks are; if not, the dataset is given up
     * @throws IOException it could not be protected or copied; the index does not list it as complete
     */
    public boolean completeOutput(boolean valid) throws IOException {
        require(State.OUTPUT);
        state = State.IDLE;
        DatasetDescriptor descriptor = Objects.requireNonNull(dataset, "a dataset was begun");
        int id = descriptor.id().orElseThrow();
        KvTree files = new KvTree();
        IOException failure = Agreement.attempt(world, "looking at the files of dataset " + id, () -> record(files));
        long[] sums = {failure == null ? files.size() : 0, bytes(files)};
        world.allreduce(sums, Communicator.Op.SUM);
        long[] good = {valid && failure == null ? 1 : 0};
        world.allreduce(good, Communicator.Op.MIN);
        descriptor.completed(sums[0], sums[1], good[0] == 1);
        if (good[0] == 0) {
            if (!bypass) {
                cache.delete(id);
            }
            Agreement.agree(world, "completing dataset " + id, failure);
            return false;
        }
        if (bypass) {
            flush.publish(descriptor, files, true);
        } else {
            protect(descriptor, files);
            if (flush.isDue(descriptor)) {
                flush.copy(descriptor, files);
            }
        }
        if (descriptor.isCheckpoint()) {
            onRoot("counting checkpoints", halt::count);
        }
        pace.end();
        return true;
    }

    private void protect(DatasetDescriptor descriptor, KvTree files) throws IOException {
        try (RedundancySet set = layout.set(
                settings.copyType(), settings.integer("SCR_SET_FAILURES"), settings.integer("SCR_SET_SIZE"))) {
            cache.complete(descriptor, files, set);
        }
        flush.changeStates(states -> states.cached(descriptor));
    }

    private void record(KvTree files) throws IOException {
        for (Routed file : routed.values()) {
            KvTree meta = new KvTree();
            meta.set("RANKS", world.size());
            meta.set("ORIG", file.wanted().toString());
            meta.set("PATH", String.valueOf(file.wanted().getParent()));
            meta.set("NAME", String.valueOf(file.wanted().getFileName()));
            meta.set("COMPLETE", 1);
            meta.merge(FileStat.of(file.actual()));
            meta.set("CRC", DatasetFile.hexadecimal(store.crc32(file.actual())));
            files.add(file.actual().toString()).put("META", meta);
        }
    }

    private static long bytes(KvTree files) {
        return files.entries().values().stream()
                .mapToLong(file -> CachedFile.of(file).size().orElse(0))
                .sum();
    }

    /**
     * Finds a checkpoint to restart from: the newest in the caches, otherwise one of the prefix directory, which is fetched.
     * Collective.
     *
     * @return its name; empty if there is none
     * @throws IOException the index cannot be read or changed
     */
    public Optional<String> haveRestart() throws IOException {
        require(State.IDLE);
        if (offer.id >= 0) {
            return Optional.of(offer.name);
        }
        Optional<DatasetDescriptor> cached = cache.datasets().values().stream()
                .filter(DatasetDescriptor::isCheckpoint)
                .reduce((older, newer) -> newer);
        if (cached.isPresent()) {
            offer(cached.get());
            return Optional.of(offer.name);
        }
        return settings.flag("SCR_FETCH") ? fetch() : Optional.empty();
    }

    private void offer(DatasetDescriptor descriptor) throws IOException {
        int id = descriptor.id().orElseThrow();
        KvTree files = new KvTree();
        Agreement.run(world, "reading the map of cached files", () -> {
            for (Map.Entry<String, KvTree> file :
                    cache.open(id).readMap().entries().entrySet()) {
                Path place = CachedFile.of(file.getValue()).place(prefix);
                files.add(prefix.path().relativize(place).toString()).set("AT", file.getKey());
            }
        });
        offer.id = id;
        offer.name = descriptor.name().orElse("");
        offer.inPlace = false;
        offer.files = files;
    }

    /** The walk of docs/formats/scr.md, section 6. */
    private Optional<String> fetch() throws IOException {
        RestartSearch[] search = new RestartSearch[1];
        ScrIndex[] read = new ScrIndex[1];
        onRoot("reading the index", () -> {
            read[0] = Files.exists(index.path()) ? index.read() : ScrIndex.empty(Dialect.FLAT);
            search[0] = new RestartSearch(read[0]);
        });
        while (true) {
            String[] next = {""};
            onRoot("looking for a restart", () -> {
                next[0] = search[0].next().orElse("");
                if (!next[0].isEmpty()) {
                    change(read[0], each -> each.fetching(next[0], now()));
                }
            });
            String name = Agreement.bcast(world, next[0], 0);
            if (name.isEmpty()) {
                return Optional.empty();
            }
            try {
                fetch(name, read[0]);
                onRoot("setting CURRENT", () -> change(read[0], each -> each.fetched(name)));
                return Optional.of(name);
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "dataset " + name + " cannot be fetched: " + e.getMessage());
                onRoot("noting a failure", () -> change(read[0], each -> each.failed(name, now())));
            }
        }
    }

    /** On disk and in the copy that the search looks at. */
    private void change(ScrIndex copy, IndexFile.Change change) throws IOException {
        index.update(change);
        change.apply(copy);
    }

    private void fetch(String name, @Nullable ScrIndex read) throws IOException {
        KvTree found = new KvTree();
        onRoot("fetching dataset " + name, () -> {
            IndexRecord record = Objects.requireNonNull(read, "rank 0 has read it")
                    .record(name)
                    .orElseThrow(() -> DrumlinException.during("fetching dataset " + name)
                            .problem("the index does not know it")
                            .exception());
            DatasetMetadata metadata = DatasetMetadata.of(prefix, record, store.storage());
            metadata.checkFetchable(world.size()).addTo(found.add("RANK"), metadata);
            found.put("DSET", metadata.readDescriptor().tree());
        });
        KvTree all = Messages.bcast(world, found, 0);
        KvTree descriptor = all.get("DSET");
        KvTree own = all.find("RANK", Integer.toString(world.rank()));
        DatasetDescriptor dataset = DatasetDescriptor.of(descriptor == null ? new KvTree() : descriptor);
        if (settings.flag("SCR_FETCH_BYPASS")) {
            offerInPlace(dataset, own == null ? new KvTree() : own);
        } else {
            copyToCache(dataset, own == null ? new KvTree() : own);
        }
    }

    private void offerInPlace(DatasetDescriptor descriptor, KvTree own) throws IOException {
        Agreement.run(world, "checking the files of a dataset", () -> {
            for (Map.Entry<String, KvTree> file : own.entries().entrySet()) {
                Path path = Path.of(file.getValue().value("AT").orElseThrow());
                OptionalLong crc = Fields.number(file.getValue(), "CRC");
                if (crc.isPresent() && crc.getAsLong() != store.crc32(path)) {
                    throw DrumlinException.during("checking a file of a dataset")
                            .path(path)
                            .problem("its CRC32 is not that which was written")
                            .exception();
                }
            }
        });
        offer.id = descriptor.id().orElse(0);
        offer.name = descriptor.name().orElse("");
        offer.inPlace = true;
        offer.files = own;
    }

    private void copyToCache(DatasetDescriptor descriptor, KvTree own) throws IOException {
        int id = descriptor.id().orElseThrow();
        cache.begin(descriptor, settings.integer("SCR_CACHE_SIZE"));
        routed.clear();
        try {
            Agreement.run(world, "fetching dataset " + id, () -> {
                for (Map.Entry<String, KvTree> file : own.entries().entrySet()) {
                    Path from = Path.of(file.getValue().value("AT").orElseThrow());
                    Path to = cache.path(id)
                            .resolve(prefix.path().relativize(from).toString());
                    transfer.copy(
                            from, to, Fields.number(file.getValue(), "SIZE"), Fields.number(file.getValue(), "CRC"));
                    routed.put(file.getKey(), new Routed(from, to));
                }
            });
            KvTree files = new KvTree();
            Agreement.run(world, "looking at the files of dataset " + id, () -> record(files));
            protect(descriptor, files);
            flush.changeStates(states -> states.flushed(id, true));
            offer(descriptor);
        } catch (IOException e) {
            cache.delete(id);
            throw e;
        }
    }

    /**
     * Begins to restart from what {@link #haveRestart} found. Collective.
     *
     * @return the name of the checkpoint
     */
    public String startRestart() {
        require(State.IDLE);
        if (offer.id < 0) {
            throw new IllegalStateException("there is nothing to restart from; haveRestart says so");
        }
        state = State.RESTART;
        return offer.name;
    }

    /**
     * Ends the restart. Collective.
     *
     * @param valid whether this rank could read its files
     * @return whether all ranks could; if not, the checkpoint counts as failed, and the next one may be tried
     * @throws IOException the failure could not be noted
     */
    public boolean completeRestart(boolean valid) throws IOException {
        require(State.RESTART);
        state = State.IDLE;
        long[] good = {valid ? 1 : 0};
        world.allreduce(good, Communicator.Op.MIN);
        int id = offer.id;
        String name = offer.name;
        boolean cached = !offer.inPlace;
        offer.id = -1;
        if (good[0] == 1) {
            return true;
        }
        onRoot("noting a failure", () -> {
            if (Files.exists(index.path())) {
                index.update(each -> {
                    if (each.record(name).isPresent()) {
                        each.failed(name, now());
                    }
                });
            }
        });
        if (cached) {
            cache.delete(id);
            flush.changeStates(states -> states.remove(id));
        }
        return false;
    }

    /**
     * Lets the next restart begin with a checkpoint. Collective.
     *
     * @param name its name; nothing happens if the index knows no such checkpoint
     * @throws IOException the index could not be changed
     */
    public void current(String name) throws IOException {
        onRoot(
                "setting CURRENT",
                () -> index.update(each -> {
                    if (each.setCurrent(name) && settings.flag("SCR_DROP_AFTER_CURRENT")) {
                        each.removeAfter(name);
                    }
                }));
    }

    /**
     * Takes a dataset out of the index; its files stay. Collective.
     *
     * @param name its name; nothing happens if the index does not know it
     * @throws IOException the index could not be changed
     */
    public void drop(String name) throws IOException {
        onRoot("dropping dataset " + name, () -> index.update(each -> each.remove(name)));
    }

    /**
     * Deletes a dataset: its files in the prefix directory and in the caches, and its record. Collective.
     *
     * @param name its name; nothing happens if the index does not know it
     * @throws IOException something could not be deleted; the index may have forgotten it nevertheless
     */
    public void delete(String name) throws IOException {
        for (var cached : Map.copyOf(cache.datasets()).entrySet()) {
            if (cached.getValue().name().filter(name::equals).isPresent()) {
                cache.delete(cached.getKey());
                flush.changeStates(states -> states.remove(cached.getKey()));
            }
        }
        onRoot("deleting dataset " + name, () -> new PrefixFiles(prefix, store).delete(name));
    }

    private void onRoot(String operation, Agreement.Step step) throws IOException {
        Root.run(world, operation, step);
    }

    private static LocalDateTime now() {
        return LocalDateTime.now(ZoneId.systemDefault());
    }

    private void require(State wanted) {
        if (state != wanted) {
            throw new IllegalStateException("this call needs the state " + wanted + ", but it is " + state);
        }
    }

    /**
     * Ends: copies the newest checkpoint to the prefix directory if SCR_FLUSH is above 0 and it is not there, and notes that
     * the job ended by itself. A second call does nothing. Collective.
     *
     * @throws IOException the checkpoint could not be copied
     */
    @Override
    public void close() throws IOException {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        try {
            flushNewest();
            onRoot("noting the end", () -> {
                if (halt.reason().isEmpty()) {
                    halt.finish();
                }
            });
        } finally {
            layout.close();
            world.close();
        }
    }

    private void flushNewest() throws IOException {
        Optional<DatasetDescriptor> newest = cache.datasets().values().stream()
                .filter(each -> each.isCheckpoint()
                        && Fields.integer(each.tree(), "COMPLETE").orElse(0) == 1)
                .reduce((older, newer) -> newer);
        if (newest.isEmpty() || settings.integer("SCR_FLUSH") <= 0) {
            return;
        }
        int id = newest.get().id().orElseThrow();
        if (flush.isNeeded(id)) {
            KvTree files = new KvTree();
            Agreement.run(
                    world,
                    "reading the map of cached files",
                    () -> files.merge(cache.open(id).readMap()));
            flush.copy(newest.get(), files);
        }
    }
}
