package io.drumlin.checkpoint.internal.hdf5;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.internal.data.DatasetDefinition;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.data.RunGroup;
import io.drumlin.checkpoint.internal.file.FileImage;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.format.hdf5.internal.Fletcher32;
import io.drumlin.format.hdf5.internal.NewDataset;
import io.drumlin.format.hdf5.internal.NewDataset.NewChunk;
import io.drumlin.format.hdf5.internal.NewFile;
import io.drumlin.format.hdf5.internal.NewGroup;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The plan of a file in the mode HDF5: the layout of the file, and the sources of its bytes. */
final class Hdf5Plan {

    private final Map<Integer, ProtectedData> data;
    private final NewFile file;
    private final Map<Integer, NewDataset> datasets = new LinkedHashMap<>();
    private final Map<NewDataset, List<ByteBuffer>> compressed = new HashMap<>();

    /**
     * @param data the variables, in the order in which types are named
     * @throws DrumlinException an HDF5 file cannot hold the data
     */
    Hdf5Plan(Map<Integer, ProtectedData> data) throws DrumlinException {
        this(data, 0, 0);
    }

    /**
     * @param compression 1 to 9 for gzip, 0 for none
     * @param mostBytes largest compressed file; a file that would be larger is not compressed
     */
    Hdf5Plan(Map<Integer, ProtectedData> data, int compression, long mostBytes) throws DrumlinException {
        this.data = data;
        Optional<NewFile> small = compression > 0 ? compress(compression, mostBytes) : Optional.empty();
        if (small.isEmpty()) {
            datasets.clear();
            compressed.clear();
        }
        file = small.isPresent() ? small.get() : place(describe(0));
    }

    private static NewFile place(NewGroup root) throws DrumlinException {
        try {
            return NewFile.of(root);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw refused("", e);
        }
    }

    /** Makes the groups, types and datasets. */
    private NewGroup describe(int compression) throws DrumlinException {
        String problem = "the groups: ";
        try {
            RunGroup groups = data.values().stream()
                    .findFirst()
                    .map(first -> first.dataset().group().root())
                    .orElseGet(RunGroup::new);
            Hdf5Tree tree = new Hdf5Tree(groups);
            for (Map.Entry<Integer, ProtectedData> entry : data.entrySet()) {
                problem = "variable " + entry.getKey() + ": ";
                add(entry.getKey(), entry.getValue(), tree, compression);
            }
            return tree.root();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw refused(problem, e);
        }
    }

    private static DrumlinException refused(String where, RuntimeException e) {
        return DrumlinException.during("making an HDF5 file")
                .problem(where + e.getMessage())
                .cause(e)
                .exception();
    }

    private void add(int id, ProtectedData variable, Hdf5Tree tree, int compression) {
        DataType type = variable.type();
        tree.nameOnce(type);
        long count = variable.size() / type.size();
        DatasetDefinition definition = variable.dataset();
        List<Long> dimensions = definition.dimensions(variable.dimensions(), count);
        NewDataset dataset = compression == 0
                ? NewDataset.chunked(tree.describe(type), tree.named(type), dimensions)
                : NewDataset.compressed(tree.describe(type), tree.named(type), dimensions, compression);
        datasets.put(id, tree.group(definition.group()).add(definition.name(id), dataset));
    }

    /** Compresses all variables; returns nothing, and stops early, if the file would be too large. */
    private Optional<NewFile> compress(int level, long mostBytes) throws DrumlinException {
        NewGroup root = describe(level);
        long bytes = 0;
        for (Map.Entry<Integer, NewDataset> entry : datasets.entrySet()) {
            NewDataset dataset = entry.getValue();
            ProtectedData variable = Objects.requireNonNull(data.get(entry.getKey()));
            List<ByteBuffer> chunks = new ArrayList<>();
            compressed.put(dataset, chunks);
            Optional<ByteBuffer> chunk = dataset.compress(variable::copyOut);
            while (chunk.isPresent()) {
                chunks.add(chunk.get());
                bytes += chunk.get().remaining();
                if (bytes > mostBytes) {
                    return Optional.empty();
                }
                chunk = dataset.compress(variable::copyOut);
            }
        }
        return Optional.of(place(root)).filter(made -> made.size() <= mostBytes);
    }

    long size() {
        return file.size();
    }

    /** Returns the first bytes of the file: everything but elements and checksums. */
    ByteBuffer metadata() {
        return file.metadata();
    }

    /** Returns the bytes of a variable; -1 if it is not in the file. */
    long bytes(int id) {
        NewDataset dataset = datasets.get(id);
        return dataset == null ? -1 : dataset.bytes();
    }

    /** Returns all bytes of the file. Checksums are computed as the data are read, in any order. */
    FileImage image() {
        FileImage image = new FileImage(size());
        image.put(0, metadata());
        datasets.forEach((id, dataset) -> put(id, dataset, image));
        return image;
    }

    /** Returns the chunks of one variable, in the image of a file that contains nothing else. */
    FileImage image(int id) {
        FileImage image = new FileImage(size());
        NewDataset dataset = datasets.get(id);
        if (dataset != null) {
            put(id, dataset, image);
        }
        return image;
    }

    /** Returns the ranges of the file with the chunks of a variable and their checksums. */
    List<FilePlan.Chunk> chunks(int id) {
        NewDataset dataset = datasets.get(id);
        List<FilePlan.Chunk> ranges = new ArrayList<>();
        if (dataset != null && dataset.bytes() > 0) {
            for (NewChunk chunk : dataset.chunks()) {
                long length = chunk.length() + chunk.padding() + Integer.BYTES;
                ranges.add(new FilePlan.Chunk(chunk.offset(), length, length));
            }
        }
        return ranges;
    }

    private void put(int id, NewDataset dataset, FileImage image) {
        ProtectedData variable = data.get(id);
        if (variable == null || dataset.bytes() == 0) {
            return;
        }
        if (dataset.isCompressed()) {
            List<ByteBuffer> stored = Objects.requireNonNull(compressed.get(dataset));
            for (int i = 0; i < stored.size(); i++) {
                image.put(dataset.chunks().get(i).offset(), stored.get(i));
            }
            return;
        }
        for (NewChunk chunk : dataset.chunks()) {
            Summed summed = new Summed(variable, chunk);
            image.put(chunk.offset(), chunk.length(), summed::copyOut);
            image.put(chunk.offset() + chunk.length() + chunk.padding(), Integer.BYTES, summed::copySum);
        }
    }

    /** The elements of a chunk, whose checksum is computed when they are read for the first time. */
    private static final class Summed {

        private static final int PIECE = 1 << 16;

        private final ProtectedData data;
        private final NewChunk chunk;
        private final Fletcher32 sum = new Fletcher32();

        /** Number of bytes that the checksum covers so far. */
        private long summed;

        Summed(ProtectedData data, NewChunk chunk) {
            this.data = data;
            this.chunk = chunk;
        }

        void copyOut(long from, ByteBuffer target) {
            int start = target.position();
            data.copyOut(chunk.from() + from, target);
            long skipped = summed - from;
            int length = target.position() - start;
            if (skipped >= 0 && skipped < length) {
                add(target.slice(start + (int) skipped, length - (int) skipped));
            }
        }

        private void add(ByteBuffer bytes) {
            summed += bytes.remaining();
            sum.update(bytes);
            if (summed == chunk.length()) {
                sum.zeros(chunk.padding());
            }
        }

        void copySum(long from, ByteBuffer target) {
            // Needed only if the checksum is read before the elements.
            while (summed < chunk.length()) {
                ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE, chunk.length() - summed));
                data.copyOut(chunk.from() + summed, piece);
                add(piece.flip());
            }
            ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(0, sum.value());
            target.put(bytes.slice((int) from, target.remaining()));
        }
    }
}
