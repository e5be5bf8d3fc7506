package io.drumlin.scr.internal.index;

import io.drumlin.DrumlinException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.store.KvFields;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The index of a prefix directory: its datasets, their completeness, and the one that a restart takes
 * (docs/formats/scr.md, sections 3, 5 and 6).
 *
 * <p>An index keeps its {@link IndexFormat} and every unknown key. Looking up a name takes constant time; finding the
 * newest dataset takes time in proportion to their number. Not thread-safe. {@link IndexFile} keeps it on disk.
 */
public final class ScrIndex {

    private static final String VERSION = "VERSION";
    private static final String CURRENT = "CURRENT";
    private static final String DSET = "DSET";
    private static final String COMPLETE = "COMPLETE";
    private static final String FLUSHED = "FLUSHED";
    private static final String FETCHED = "FETCHED";
    private static final String FAILED = "FAILED";

    /** SCR stores local time without a zone. */
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT);

    private final KvTree tree;
    private final IndexFormat format;

    private ScrIndex(KvTree tree, IndexFormat format) {
        this.tree = tree;
        this.format = format;
    }

    /** Returns the current time for its time stamps. */
    public static LocalDateTime now() {
        return LocalDateTime.now(ZoneId.systemDefault());
    }

    /**
     * Makes an index without datasets.
     *
     * @param format the format of the index; {@link IndexFormat#FLAT} unless SCR 2 or older is to read it
     * @return the index
     */
    public static ScrIndex empty(IndexFormat format) {
        KvTree tree = new KvTree();
        tree.set(VERSION, format.version());
        return new ScrIndex(tree, format);
    }

    /**
     * Wraps an index that was read.
     *
     * @param tree used and changed, not copied
     * @return the index
     * @throws DrumlinException the index has no VERSION or an unknown one; a change would lose content
     */
    public static ScrIndex of(KvTree tree) throws DrumlinException {
        Optional<IndexFormat> format = IndexFormat.of(tree);
        if (format.isEmpty()) {
            throw DrumlinException.during("reading an SCR index")
                    .problem(
                            tree.has(VERSION)
                                    ? "it has VERSION " + tree.value(VERSION).orElse("(several)")
                                            + "; known are 1 and 2"
                                    : "it has no VERSION")
                    .advice(
                            tree.isEmpty()
                                    ? "a crash may have emptied it; remove it and add each dataset again"
                                    : "it is left as it is")
                    .exception();
        }
        return new ScrIndex(tree, format.get());
    }

    /**
     * Returns the format of this index.
     *
     * @return the format, which never changes
     */
    public IndexFormat format() {
        return format;
    }

    /**
     * Returns the index as it is stored.
     *
     * @return the tree itself
     */
    public KvTree tree() {
        return tree;
    }

    /**
     * Returns the dataset with which a restart begins.
     *
     * @return a name, perhaps of no dataset
     */
    public Optional<String> current() {
        return tree.value(CURRENT);
    }

    /**
     * Returns the id of a name. After ids were used again, several names may share one.
     *
     * @param name any text
     * @return empty if the index does not list it
     */
    public OptionalInt id(String name) {
        return KvFields.integer(tree.find(format.names(), name), DSET);
    }

    /**
     * Returns all datasets.
     *
     * @return records by descending id
     */
    public List<IndexRecord> records() {
        return stream()
                .sorted(Comparator.comparingInt(IndexRecord::id).reversed())
                .toList();
    }

    /**
     * Returns a dataset.
     *
     * @param name any text
     * @return empty if the index does not list it
     */
    public Optional<IndexRecord> record(String name) {
        OptionalInt id = id(name);
        KvTree record = id.isEmpty() ? null : find(id.getAsInt(), name);
        return record == null ? Optional.empty() : Optional.of(new IndexRecord(id.getAsInt(), name, format, record));
    }

    /**
     * Returns the newest dataset that a restart may choose by itself.
     *
     * @param wanted a further condition
     * @return the record with the highest id
     */
    public Optional<IndexRecord> newestRestartable(Predicate<IndexRecord> wanted) {
        IndexRecord newest = null;
        for (IndexRecord record : (Iterable<IndexRecord>) stream()::iterator) {
            // Of several names with one id, the first counts.
            boolean newer = newest == null || record.id() > newest.id();
            if (newer
                    && wanted.test(record)
                    && record.isRestartable()
                    && !record.name().isEmpty()) {
                newest = record;
            }
        }
        return Optional.ofNullable(newest);
    }

    /**
     * Records that a dataset is about to be written to the prefix directory. From now on it is listed as incomplete.
     *
     * @param descriptor the descriptor of the dataset; copied
     * @throws DrumlinException it has no name or id, or another dataset has the id
     */
    public void begin(DatasetDescriptor descriptor) throws DrumlinException {
        String name = name(descriptor);
        for (IndexRecord record : records()) {
            if (descriptor.id().equals(OptionalInt.of(record.id()))
                    && !record.name().equals(name)) {
                throw DrumlinException.during("indexing dataset " + name)
                        .problem("its id " + record.id() + " is that of " + record.name())
                        .advice(
                                "another program has listed it in the same prefix directory since the dataset was begun;"
                                        + " remove that one from the index, or go on with the next dataset")
                        .exception();
            }
        }
        replace(descriptor).set(COMPLETE, 0);
    }

    /**
     * Records that a whole dataset is in the prefix directory.
     *
     * @param descriptor the descriptor of the dataset; copied
     * @param time the current time
     * @throws DrumlinException it has no name or id
     */
    public void complete(DatasetDescriptor descriptor, LocalDateTime time) throws DrumlinException {
        String name = name(descriptor);
        KvTree record = replace(descriptor);
        record.set(COMPLETE, 1);
        record.set(FLUSHED, TIME.format(time));
        if (new IndexRecord(0, name, format, record).isCheckpoint()) {
            tree.set(CURRENT, name);
        }
    }

    /**
     * Adds a dataset that is already in the prefix directory. CURRENT does not change, unless it was the dataset's old
     * record.
     *
     * @param descriptor the descriptor of the dataset, from its summary; copied
     * @param complete whether the whole dataset is there, from its summary
     * @param time the current time
     * @throws DrumlinException it has no name or id
     */
    public void add(DatasetDescriptor descriptor, boolean complete, LocalDateTime time) throws DrumlinException {
        KvTree record = replace(descriptor);
        record.set(COMPLETE, complete ? 1 : 0);
        record.set(FLUSHED, TIME.format(time));
    }

    private KvTree replace(DatasetDescriptor descriptor) throws DrumlinException {
        String name = name(descriptor);
        int id = descriptor.id().orElseThrow(() -> DrumlinException.during("indexing dataset " + name)
                .problem("its descriptor has no ID")
                .exception());
        remove(name);
        KvTree record = new KvTree();
        KvTree copy = descriptor.tree().copy();
        if (!format.hasFlags()) {
            copy.remove("FLAG_CKPT");
            copy.remove("FLAG_OUTPUT");
        }
        record.put(DSET, copy);
        place(id, name, record);
        return record;
    }

    private static String name(DatasetDescriptor descriptor) throws DrumlinException {
        return descriptor.name().orElseThrow(() -> DrumlinException.during("indexing a dataset")
                .problem("its descriptor has no NAME")
                .exception());
    }

    private void place(int id, String name, KvTree record) {
        tree.addPath(format.names(), name).set(DSET, id);
        String key = Integer.toString(id);
        if (format == IndexFormat.FLAT) {
            tree.add(DSET).put(key, record);
        } else {
            tree.addPath(DSET, key, format.names()).put(name, record);
        }
    }

    /**
     * Forgets a dataset; its files stay. If it was CURRENT, the newest older checkpoint that a restart may choose
     * becomes CURRENT.
     *
     * @param name any text
     * @return whether the index listed it; if CURRENT had this name, it is removed in any case
     */
    public boolean remove(String name) {
        OptionalInt id = id(name);
        boolean wasCurrent = current().filter(name::equals).isPresent();
        if (id.isPresent()) {
            removeKey(tree, format.names(), name);
            removeRecord(id.getAsInt(), name);
        }
        if (wasCurrent) {
            tree.remove(CURRENT);
            id.ifPresent(removed -> newestRestartable(record -> record.id() < removed)
                    .ifPresent(record -> tree.set(CURRENT, record.name())));
        }
        return id.isPresent();
    }

    private void removeRecord(int id, String name) {
        String key = Integer.toString(id);
        KvTree datasets = tree.get(DSET);
        KvTree dataset = datasets == null ? null : datasets.get(key);
        if (datasets == null || dataset == null) {
            return;
        }
        if (format != IndexFormat.FLAT) {
            removeKey(dataset, format.names(), name);
        }
        if (format == IndexFormat.FLAT || dataset.isEmpty()) {
            removeKey(tree, DSET, key);
        }
    }

    /** Removes a key of a subtree, and the subtree itself once it is empty. */
    private static void removeKey(KvTree node, String subtree, String key) {
        KvTree below = node.get(subtree);
        if (below != null) {
            below.remove(key);
            if (below.isEmpty()) {
                node.remove(subtree);
            }
        }
    }

    /**
     * Forgets every dataset with a higher id, in ascending order.
     *
     * @param name the name of the last dataset to keep
     * @return whether the index lists it; if not, nothing has changed
     */
    public boolean removeAfter(String name) {
        OptionalInt id = id(name);
        if (id.isEmpty()) {
            return false;
        }
        List<IndexRecord> newer = new ArrayList<>(records());
        newer.removeIf(record -> record.id() <= id.getAsInt());
        newer.sort(Comparator.comparingInt(IndexRecord::id));
        for (IndexRecord record : newer) {
            if (id(record.name()).orElse(-1) != record.id() || !remove(record.name())) {
                removeRecord(record.id(), record.name());
            }
        }
        return true;
    }

    /**
     * Makes the next restart begin with a checkpoint.
     *
     * @param name the name of the checkpoint
     * @return whether the index lists such a checkpoint; if not, nothing has changed
     */
    public boolean setCurrent(String name) {
        if (record(name).filter(IndexRecord::isCheckpoint).isEmpty()) {
            return false;
        }
        tree.set(CURRENT, name);
        return true;
    }

    /** Makes the next restart begin with the newest checkpoint. */
    public void clearCurrent() {
        tree.remove(CURRENT);
    }

    /**
     * Records that a restart is about to fetch a dataset. Does nothing if the index does not list it.
     *
     * @param name the name of the dataset
     * @param time the current time
     */
    public void fetching(String name, LocalDateTime time) {
        OptionalInt id = id(name);
        if (id.isPresent() && id.getAsInt() != -1) {
            recordOf(id.getAsInt(), name).add(FETCHED).add(TIME.format(time));
        }
    }

    /**
     * Records that a dataset was fetched, and makes it CURRENT.
     *
     * @param name the name of the dataset
     */
    public void fetched(String name) {
        tree.set(CURRENT, name);
    }

    /**
     * Records that a dataset could not be fetched, or that the program did not accept it. It is no longer CURRENT. As
     * in SCR, a name that the index does not list gets a record with id -1.
     *
     * @param name the name of the dataset
     * @param time the current time
     */
    public void failed(String name, LocalDateTime time) {
        tree.remove(CURRENT);
        int id = id(name).orElse(-1);
        recordOf(id, name).set(FAILED, TIME.format(time));
        tree.addPath(format.names(), name).set(DSET, id);
    }

    private KvTree recordOf(int id, String name) {
        KvTree dataset = tree.addPath(DSET, Integer.toString(id));
        return format == IndexFormat.FLAT ? dataset : dataset.addPath(format.names(), name);
    }

    private @Nullable KvTree find(int id, String name) {
        String key = Integer.toString(id);
        return format == IndexFormat.FLAT ? tree.find(DSET, key) : tree.find(DSET, key, format.names(), name);
    }

    /** Returns all records in the order of the file. */
    private Stream<IndexRecord> stream() {
        KvTree datasets = tree.get(DSET);
        return datasets == null
                ? Stream.empty()
                : datasets.entries().entrySet().stream().flatMap(this::recordsOf);
    }

    private Stream<IndexRecord> recordsOf(Map.Entry<String, KvTree> dataset) {
        int id = KvFields.leadingInteger(dataset.getKey());
        if (format == IndexFormat.FLAT) {
            KvTree descriptor = dataset.getValue().get(DSET);
            String name = descriptor == null ? "" : descriptor.value("NAME").orElse("");
            return Stream.of(new IndexRecord(id, name, format, dataset.getValue()));
        }
        KvTree names = dataset.getValue().get(format.names());
        return names == null
                ? Stream.empty()
                : names.entries().entrySet().stream()
                        .map(entry -> new IndexRecord(id, entry.getKey(), format, entry.getValue()));
    }
}
