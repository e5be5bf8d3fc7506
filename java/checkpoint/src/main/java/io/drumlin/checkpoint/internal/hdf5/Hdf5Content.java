package io.drumlin.checkpoint.internal.hdf5;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkedFile;
import io.drumlin.checkpoint.internal.file.IncrementalWriter;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.posix.PosixFileFormat;
import io.drumlin.checkpoint.internal.posix.PosixFilePlan;
import io.drumlin.checkpoint.internal.posix.PosixIncrementalWriter;
import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.VariableEntry;
import io.drumlin.format.hdf5.Hdf5Reader;
import io.drumlin.format.hdf5.StoredDataset;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** An HDF5 file with a dataset for each variable (docs/formats/fti-hdf5.md). */
public final class Hdf5Content implements PosixFileFormat {

    private static final int WINDOW = 1 << 20;

    private final StorageEngine storage;
    private final SlabPool slabs;
    private final int compression;

    /**
     * @param compression 1 to 9 for gzip, 0 for none
     */
    public Hdf5Content(StorageEngine storage, SlabPool slabs, int compression) {
        this.storage = storage;
        this.slabs = slabs;
        this.compression = compression;
    }

    @Override
    public String suffix() {
        return FileNames.HDF5;
    }

    @Override
    public PosixFilePlan planFile(int ckptId, String fileName, Map<Integer, ProtectedData> data, List<Integer> order)
            throws IOException {
        // A restart could not read a larger file.
        Hdf5Plan plan = new Hdf5Plan(data, compression, Hdf5Reader.MOST_COMPARED_BYTES);
        Map<Integer, VariableEntry> entries = new HashMap<>();
        // Only the file itself says where the variables are.
        data.forEach((id, variable) -> entries.put(id, PosixFilePlan.entry(id, variable, 0)));
        return new PosixFilePlan(
                ckptId, fileName, plan.image(), order.stream().map(entries::get).toList(), this);
    }

    @Override
    public IncrementalWriter incrementalWriter(
            ChunkedFile file, Function<PosixFileFormat, PosixIncrementalWriter.FilePlanner> planner) {
        // The places of all variables are known before the first one is written, so nothing is compressed.
        return new Hdf5IncrementalWriter(file, storage, slabs, planner.apply(new Hdf5Content(storage, slabs, 0)));
    }

    @Override
    public FileEntry described(FileEntry entry) {
        return entry.withChecksum("").withOwnChecksum(entry.checksum().isEmpty() ? null : entry.checksum());
    }

    @Override
    public StoredFile stored(int ckptId, FileEntry entry) {
        boolean digested = !entry.digest().isEmpty();
        return PosixFilePlan.stored(
                ckptId, entry, List.of(), Optional.of((file, path, data) -> locate(file, path, data, digested)));
    }

    @Override
    public void check(Path path) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            with(new BlockFileSource(file), path, false, read -> {
                read.verify();
                for (StoredDataset dataset : read.datasets()) {
                    requireElements("verifying", path, dataset);
                }
            });
        }
    }

    /** Work on the datasets of a file. */
    @FunctionalInterface
    private interface Work {
        void on(Hdf5Reader file) throws IOException;
    }

    private static void with(ByteSource file, Path path, boolean compared, Work work) throws IOException {
        try (Hdf5Reader read = Hdf5Reader.open(file, path, compared)) {
            work.on(read);
        } catch (FormatException e) {
            throw e.in(path);
        }
    }

    /** Checks that a dataset was not only created but also written. */
    public static void requireElements(String operation, Path path, StoredDataset dataset) throws DrumlinException {
        if (dataset.storedBytes() < dataset.bytes()) {
            throw DrumlinException.during(operation)
                    .path(path)
                    .problem("dataset " + dataset.path() + " has " + dataset.storedBytes() + " of " + dataset.bytes()
                            + " bytes in it")
                    .advice("recover from another checkpoint, this one was never written whole")
                    .exception();
        }
    }

    /**
     * Returns where the variables are, by the present names of their datasets. If a library decodes the file, the
     * variables are copied, and nothing is left to be read.
     *
     * @param digested whether {@code source} compares all bytes with the digest of the file
     */
    private static List<StoredFile.Chunk> locate(
            ByteSource source, Path path, Map<Integer, ProtectedData> data, boolean digested) throws IOException {
        List<StoredFile.Chunk> chunks = new ArrayList<>();
        with(source, path, digested, file -> {
            if (!digested && !file.isDecoded()) {
                file.verify();
            }
            for (Map.Entry<Integer, ProtectedData> entry : data.entrySet()) {
                int id = entry.getKey();
                for (StoredDataset.Chunk chunk :
                        dataset(path, file, id, entry.getValue()).chunks()) {
                    chunks.add(
                            new StoredFile.Chunk(id, chunk.from(), chunk.offset(), chunk.length(), Optional.empty()));
                }
            }
            if (file.isDecoded()) {
                copy(file.elements(), chunks, data);
                chunks.clear();
            }
        });
        return chunks;
    }

    private static void copy(ByteSource elements, List<StoredFile.Chunk> chunks, Map<Integer, ProtectedData> data)
            throws IOException {
        ByteBuffer window = ByteBuffer.allocateDirect(WINDOW);
        for (StoredFile.Chunk chunk : chunks) {
            ProtectedData variable = Objects.requireNonNull(data.get(chunk.id()));
            for (long at = 0; at < chunk.length(); at += window.capacity()) {
                elements.readFully(
                        chunk.offset() + at, window.clear().limit((int) Math.min(WINDOW, chunk.length() - at)));
                variable.copyIn(chunk.from() + at, window.flip());
            }
        }
    }

    private static StoredDataset dataset(Path path, Hdf5Reader file, int id, ProtectedData variable)
            throws DrumlinException {
        String name = variable.dataset().path(id);
        Optional<StoredDataset> found = file.dataset(name);
        if (found.isEmpty() || found.get().bytes() != variable.size()) {
            throw DrumlinException.during("recovery of variable " + id)
                    .path(path)
                    .problem(
                            found.isEmpty()
                                    ? "it has no dataset " + name
                                    : "dataset " + name + " has " + found.get().bytes() + " bytes, and the variable "
                                            + variable.size())
                    .advice("define group, name and dimensions of the dataset as they were when it was written")
                    .exception();
        }
        requireType(path, found.get(), id, variable.type());
        requireElements("recovery of variable " + id, path, found.get());
        return found.get();
    }

    private static void requireType(Path path, StoredDataset dataset, int id, DataType type) throws DrumlinException {
        Optional<String> difference = Hdf5Tree.difference(dataset, type);
        if (difference.isPresent()) {
            throw DrumlinException.during("recovery of variable " + id)
                    .path(path)
                    .problem("dataset " + dataset.path() + " has another type than the variable: " + difference.get())
                    .advice("protect the variable with the type that it had when it was written, see"
                            + " protect(id, variable, count, type)")
                    .exception();
        }
    }
}
