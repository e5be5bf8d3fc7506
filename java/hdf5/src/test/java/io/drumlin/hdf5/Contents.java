package io.drumlin.hdf5;

import io.drumlin.format.ByteSource;
import io.drumlin.format.hdf5.Hdf5Reader;
import io.drumlin.format.hdf5.StoredDataset;
import io.drumlin.format.hdf5.internal.Hdf5Library;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The elements of all datasets of a file, byte by byte. */
final class Contents {

    private Contents() {}

    /** As Drumlin reads the file, or, where it does not, the library. */
    static Map<String, List<Byte>> of(Path path) throws IOException {
        Map<String, List<Byte>> all = new TreeMap<>();
        try (BlockFile file = new NioEngine().open(path, EnumSet.of(OpenMode.READ));
                Hdf5Reader reader = Hdf5Reader.open(new BlockFileSource(file), path, false)) {
            reader.verify();
            for (StoredDataset dataset : reader.datasets()) {
                all.put(dataset.path(), bytes(dataset, reader.elements()));
            }
        }
        return all;
    }

    private static List<Byte> bytes(StoredDataset dataset, ByteSource elements) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) dataset.storedBytes());
        for (StoredDataset.Chunk chunk : dataset.chunks()) {
            elements.readFully(chunk.offset(), bytes.slice((int) chunk.from(), (int) chunk.length()));
        }
        return list(bytes.array());
    }

    /** As the library reads the file. */
    static Map<String, List<Byte>> of(Hdf5Library.Content content) throws IOException {
        Map<String, List<Byte>> all = new TreeMap<>();
        for (Hdf5Library.Dataset dataset : content.datasets()) {
            long size =
                    dataset.dimensions().stream().reduce((long) dataset.type().size(), (a, b) -> a * b);
            ByteBuffer bytes = ByteBuffer.allocate(dataset.written() ? (int) size : 0);
            content.read(dataset.path(), 0, bytes);
            all.put(dataset.path(), list(bytes.array()));
        }
        return all;
    }

    private static List<Byte> list(byte[] bytes) {
        List<Byte> list = new ArrayList<>(bytes.length);
        for (byte each : bytes) {
            list.add(each);
        }
        return list;
    }
}
