package io.drumlin.scr.internal.index;

import io.drumlin.DrumlinException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The metadata of one dataset that a prefix directory keeps beside its index: summary and maps (docs/formats/scr.md,
 * section 7). Thread-safe.
 */
public final class DatasetMetadata {

    private static final int SUMMARY_VERSION = 6;

    private static final String RANKS = "RANKS";

    private final KvTreeStore store;
    private final Path directory;
    private final Path base;
    private final String map;

    private DatasetMetadata(KvTreeStore store, Path directory, Path base, String map) {
        this.store = store;
        this.directory = directory;
        this.base = base;
        this.map = map;
    }

    /**
     * Returns the metadata of a dataset in the form of SCR 3.
     *
     * @param prefix the prefix directory
     * @param id number of the dataset
     * @param storage the engine that writes the files
     * @return metadata that need not exist
     */
    public static DatasetMetadata of(ScrPrefix prefix, int id, StorageEngine storage) {
        return at(prefix, prefix.metadata(id), storage);
    }

    /** Returns the metadata in a directory, for a dataset of SCR 3. */
    public static DatasetMetadata at(ScrPrefix prefix, Path directory, StorageEngine storage) {
        return new DatasetMetadata(new KvTreeStore(storage), directory, prefix.path(), "rank2file");
    }

    /**
     * Returns the metadata of a dataset in the index.
     *
     * @param prefix the prefix directory
     * @param record the record of the dataset; the form of its index tells where metadata are
     * @param storage the engine that writes the files
     * @return metadata that need not exist
     * @throws IOException the record leads out of the prefix directory, or its contents cannot be examined
     */
    public static DatasetMetadata of(ScrPrefix prefix, IndexRecord record, StorageEngine storage) throws IOException {
        KvTreeStore store = new KvTreeStore(storage);
        if (PathStatus.exists(prefix.metadata(record.id()).resolve("rank2file"))) {
            // SCR 3 or Drumlin wrote these metadata. Both leave an older index in its form.
            return of(prefix, record.id(), storage);
        }
        return switch (record.format()) {
            case DIR -> {
                Path base = prefix.locate(record.name());
                yield new DatasetMetadata(store, base.resolve(".scr"), base, "rank2file.scr");
            }
            case NAME -> new DatasetMetadata(store, prefix.metadata(record.id()), prefix.path(), "rank2file.scr");
            case FLAT -> of(prefix, record.id(), storage);
        };
    }

    /**
     * Returns the directory of the summary and the maps.
     *
     * @return a directory that need not exist
     */
    public Path directory() {
        return directory;
    }

    /**
     * Returns the directory to which the paths of the dataset's files are relative.
     *
     * @return the prefix directory, or in SCR 1.1 that of the dataset
     */
    public Path base() {
        return base;
    }

    /** Returns the path of the map of the dataset's files. */
    Path map() {
        return directory.resolve(map);
    }

    /** Returns the path of the summary of the dataset. */
    public Path summary() {
        return directory.resolve("summary.scr");
    }

    /**
     * Reads the descriptor of the dataset.
     *
     * @return the descriptor in the summary
     * @throws IOException there is no summary, or it cannot be read
     */
    public DatasetDescriptor readDescriptor() throws IOException {
        return descriptor(store.read(summary()));
    }

    private DatasetDescriptor descriptor(KvTree summary) throws DrumlinException {
        KvTree descriptor = summary.get("DSET");
        if (descriptor == null) {
            throw DrumlinException.during("reading the summary of a dataset")
                    .path(summary())
                    .problem("it has no DSET")
                    .exception();
        }
        return DatasetDescriptor.of(descriptor);
    }

    /**
     * Reads whether the whole dataset was copied.
     *
     * @return COMPLETE of the summary
     * @throws IOException there is no summary, or it cannot be read
     */
    public boolean readComplete() throws IOException {
        return KvFields.integer(store.read(summary()), "COMPLETE").orElse(0) == 1;
    }

    /**
     * Reads the map of the dataset's files.
     *
     * @return the files of each rank
     * @throws IOException a part of the map is missing, cannot be read or contradicts another
     */
    public RankFiles readFiles() throws IOException {
        return RankFiles.read(store, map(), base);
    }

    /**
     * Writes the maps and then the summary, durably. All files must be there, because the summary says so.
     *
     * @param descriptor the descriptor of the dataset
     * @param files the files of all ranks
     * @throws IOException the metadata are incomplete
     */
    public void write(DatasetDescriptor descriptor, RankFiles files) throws IOException {
        write(descriptor, files, false);
    }

    /**
     * Writes the maps and then the summary, durably. With {@code counted}, the maps count each rank's files like those
     * of {@code scr_index --build}.
     */
    public void write(DatasetDescriptor descriptor, RankFiles files, boolean counted) throws IOException {
        store.makeDirectory(directory);
        files.write(store, map(), counted);
        KvTree summary = new KvTree();
        summary.set("VERSION", SUMMARY_VERSION);
        summary.set("COMPLETE", 1);
        summary.put("DSET", descriptor.tree().copy());
        store.replace(summary(), summary);
    }

    /**
     * Returns the path of a file of the dataset.
     *
     * @param file a file of the map
     * @return its path
     * @throws DrumlinException the map leads out of the prefix directory
     */
    public Path locate(DatasetFile file) throws DrumlinException {
        try {
            return new ScrPrefix(base).locate(file.path());
        } catch (DrumlinException e) {
            throw DrumlinException.during("following the map of a dataset's files")
                    .path(map())
                    .problem(String.valueOf(e.getMessage()))
                    .cause(e)
                    .exception();
        }
    }

    /** The file that tells of which dataset the files are that are copied here before it has a summary. */
    public Path order() {
        return directory.resolve("scavenge.scr");
    }

    /**
     * Writes the file that {@link #order} names.
     *
     * @param ranks number of ranks of the job, if it copies the dataset itself, each rank its own files; otherwise 0
     */
    public void writeOrder(DatasetDescriptor descriptor, int ranks) throws IOException {
        store.makeDirectory(directory);
        KvTree order = new KvTree();
        order.put("DSETDESC", descriptor.tree().copy());
        if (ranks > 0) {
            order.set(RANKS, ranks);
        }
        store.replace(order(), order);
    }

    public DatasetDescriptor readOrder() throws IOException {
        KvTree descriptor = store.read(order()).get("DSETDESC");
        return DatasetDescriptor.of(descriptor == null ? new KvTree() : descriptor);
    }

    /** Returns the place of a rank's filemap, which is copied when all of its files were. */
    public Path filemap(int rank) {
        return directory.resolve("filemap_" + rank);
    }

    /** Returns all ranks of the job, if each of them has copied its files itself; otherwise none. */
    public Set<Integer> ranksCopied() throws IOException {
        int ranks = KvFields.integer(store.readIfWhole(order()), RANKS).orElse(0);
        Set<Integer> copied = new HashSet<>();
        while (copied.size() < ranks && PathStatus.exists(filemap(copied.size()))) {
            copied.add(copied.size());
        }
        return copied.size() == ranks ? copied : Set.of();
    }

    /**
     * Reads how many ranks wrote the dataset.
     *
     * @return RANKS of the map
     * @throws IOException there is no map, or it cannot be read
     */
    public int readRanks() throws IOException {
        return KvFields.integer(store.read(map()), RANKS).orElse(0);
    }

    /**
     * Checks that a job can restart from the dataset.
     *
     * @param ranks number of ranks of the job
     * @return the map of the dataset's files
     * @throws IOException something is missing or wrong; the message names it
     */
    public RankFiles checkFetchable(int ranks) throws IOException {
        if (readDescriptor().checkpoint().isEmpty()) {
            throw DrumlinException.during("fetching a dataset")
                    .path(summary())
                    .problem("it is no checkpoint")
                    .exception();
        }
        RankFiles map = check();
        if (map.ranks() != ranks) {
            throw DrumlinException.during("fetching a dataset")
                    .path(map())
                    .problem("it was written by " + map.ranks() + " ranks, but there are " + ranks)
                    .advice("run as many ranks as wrote it")
                    .exception();
        }
        return map;
    }

    /**
     * Checks that the dataset is complete: the metadata, every file and every known size. SCR itself checks no sizes.
     * This method detects a truncated file, in datasets of SCR 3 by the sum of all sizes.
     *
     * @return the map of the dataset's files
     * @throws IOException something is missing or wrong; the message names it
     */
    public RankFiles check() throws IOException {
        DatasetDescriptor descriptor = readDescriptor();
        RankFiles map = readFiles();
        long total = checkSizes(map);
        OptionalLong expected = descriptor.size();
        if (expected.isPresent() && expected.getAsLong() != total) {
            throw DrumlinException.during(
                            "checking dataset " + descriptor.name().orElse(""))
                    .path(base)
                    .problem("its files have " + total + " bytes, but its summary says " + expected.getAsLong())
                    .exception();
        }
        return map;
    }

    /** Checks that all files of a map are there and returns the sum of their sizes. */
    long checkSizes(RankFiles map) throws IOException {
        long total = 0;
        for (List<DatasetFile> files : map.files().values()) {
            for (DatasetFile file : files) {
                total += checkSize(file);
            }
        }
        return total;
    }

    /**
     * Checks that this process sees all files of a map. It lists each directory once: looking at each file would be one
     * operation for every rank of the job.
     */
    public void requireVisible(RankFiles map) throws IOException {
        Map<Path, Set<Path>> seen = new HashMap<>();
        for (List<DatasetFile> files : map.files().values()) {
            for (DatasetFile file : files) {
                Path path = locate(file);
                Path directory = Objects.requireNonNull(path.getParent(), "it is below the prefix directory");
                if (!seen.containsKey(directory)) {
                    seen.put(directory, Set.copyOf(PathStatus.entries(directory)));
                }
                if (!seen.get(directory).contains(path)) {
                    throw absent(path);
                }
            }
        }
    }

    private long checkSize(DatasetFile file) throws IOException {
        Path path = locate(file);
        if (!PathStatus.isRegularFile(path)) {
            throw absent(path);
        }
        long size = PathStatus.size(path);
        if (file.size().isPresent() && file.size().getAsLong() != size) {
            throw DrumlinException.during("checking a file of a dataset")
                    .path(path)
                    .problem("it has " + size + " bytes, but " + file.size().getAsLong() + " were written")
                    .exception();
        }
        return size;
    }

    private static DrumlinException absent(Path path) {
        return DrumlinException.during("checking a file of a dataset")
                .path(path)
                .errno("ENOENT")
                .problem("no such file")
                .advice("the node that wrote it may have another file system at this path")
                .exception();
    }

    /**
     * Reads all files that have a CRC32 in the map and compares it.
     *
     * @param map the map of the dataset
     * @throws IOException a file cannot be read, or has another CRC32
     */
    public void checkContent(RankFiles map) throws IOException {
        for (List<DatasetFile> files : map.files().values()) {
            for (DatasetFile file : files) {
                if (file.crc().isPresent()) {
                    checkCrc(locate(file), file.crc().getAsLong());
                }
            }
        }
    }

    private void checkCrc(Path path, long expected) throws IOException {
        long crc = store.crc32(path);
        if (crc != expected) {
            throw DrumlinException.during("checking a file of a dataset")
                    .path(path)
                    .problem("it has CRC32 " + DatasetFile.hexadecimal(crc) + ", but "
                            + DatasetFile.hexadecimal(expected) + " was written")
                    .exception();
        }
    }
}
