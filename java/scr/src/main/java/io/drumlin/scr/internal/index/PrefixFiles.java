package io.drumlin.scr.internal.index;

import io.drumlin.DrumlinException;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** The files of datasets in a prefix directory. */
public final class PrefixFiles {

    private final ScrPrefix prefix;
    private final KvTreeStore store;

    public PrefixFiles(ScrPrefix prefix, KvTreeStore store) {
        this.prefix = prefix;
        this.store = store;
    }

    /** Makes a file that the program wrote durable. */
    public void sync(Path path) throws IOException {
        try (BlockFile file = store.storage().open(path, EnumSet.of(OpenMode.READ))) {
            file.sync();
        }
        Path parent = path.getParent();
        if (parent != null) {
            store.storage().syncDirectory(parent);
        }
    }

    /** Deletes a dataset. The index forgets it first, so that it never lists a dataset that is partly deleted. */
    public void delete(String name) throws IOException {
        IndexFile file = new IndexFile(prefix, store.storage());
        Optional<IndexRecord> record =
                PathStatus.exists(file.path()) ? file.read().record(name) : Optional.empty();
        if (record.isEmpty()) {
            return;
        }
        DatasetMetadata metadata = metadata(record.get());
        TreeSet<Path> directories = new TreeSet<>(Collections.reverseOrder());
        List<Path> files = PathStatus.exists(metadata.map()) ? locate(metadata) : List.of();
        for (Path path : files) {
            requireInside(path);
        }
        requireInside(metadata.summary());
        file.update(index -> index.remove(name));
        for (Path path : files) {
            store.storage().delete(path);
            for (Path parent = path.getParent();
                    parent != null && parent.startsWith(prefix.path()) && !parent.equals(prefix.path());
                    parent = parent.getParent()) {
                directories.add(parent);
            }
        }
        deleteMetadata(metadata.directory());
        for (Path directory : directories) {
            deleteIfEmpty(directory);
        }
    }

    /** Deletes all datasets that the index lists, the oldest first. */
    public void deleteAll() throws IOException {
        IndexFile file = new IndexFile(prefix, store.storage());
        if (PathStatus.exists(file.path())) {
            List<IndexRecord> records = new ArrayList<>(file.read().records());
            Collections.reverse(records);
            for (IndexRecord record : records) {
                delete(record.name());
            }
        }
    }

    private DatasetMetadata metadata(IndexRecord record) throws IOException {
        try {
            return DatasetMetadata.of(prefix, record, store.storage());
        } catch (DrumlinException e) {
            KvTreeStore.requireDamage(e);
            throw DrumlinException.during("deleting dataset " + record.name())
                    .path(prefix.index())
                    .problem(String.valueOf(e.getMessage()))
                    .advice("drumlin index drop takes the dataset out of the index and deletes no file")
                    .cause(e)
                    .exception();
        }
    }

    /**
     * Requires that a path is inside the prefix directory once all links are resolved. Names lead nowhere else, but
     * links in the place of directories may.
     */
    private void requireInside(Path path) throws IOException {
        Path directory = path.getParent();
        if (directory != null
                && PathStatus.exists(directory)
                && !directory.toRealPath().startsWith(prefix.path().toRealPath())) {
            throw DrumlinException.during("deleting a dataset")
                    .path(path)
                    .problem("a symbolic link leads out of " + prefix.path())
                    .advice(
                            "nothing was deleted; if these are its files, delete them by hand, and take the dataset out of the"
                                    + " index by drumlin index drop")
                    .exception();
        }
    }

    private static List<Path> locate(DatasetMetadata metadata) throws IOException {
        List<Path> paths = new ArrayList<>();
        for (List<DatasetFile> files : metadata.readFiles().files().values()) {
            for (DatasetFile file : files) {
                paths.add(metadata.locate(file));
            }
        }
        return paths;
    }

    public void deleteMetadata(Path directory) throws IOException {
        if (PathStatus.isDirectory(directory)) {
            for (Path path : PathStatus.entries(directory)) {
                store.storage().delete(path);
            }
            store.storage().delete(directory);
        }
    }

    private static void deleteIfEmpty(Path directory) throws IOException {
        try {
            Files.deleteIfExists(directory);
        } catch (DirectoryNotEmptyException e) {
            // The directory holds other files of the program.
        }
    }

    /** Deletes complete checkpoints that are older than the newest ones. Checkpoints that are also output stay. */
    public void keepNewest(int count, int newest) throws IOException {
        if (count <= 0) {
            return;
        }
        int kept = 1;
        for (IndexRecord record : new IndexFile(prefix, store.storage()).read().records()) {
            if (record.id() < newest && record.isComplete() && record.isCheckpoint() && kept++ >= count) {
                if (!record.descriptor().isOutput()) {
                    delete(record.name());
                }
            }
        }
    }
}
