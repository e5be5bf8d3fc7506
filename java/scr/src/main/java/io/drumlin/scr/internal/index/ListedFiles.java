package io.drumlin.scr.internal.index;

import io.drumlin.DrumlinException;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of the complete datasets in the index. A dataset that is saved from caches may be incomplete in the end, so
 * it must not replace them. The maps are read when a file is first asked for. Not thread-safe.
 */
public final class ListedFiles {

    private final ScrPrefix prefix;
    private final KvTreeStore store;
    private final DatasetDescriptor own;
    private @Nullable Map<Path, String> datasets;

    /** @param own the dataset that may replace its own files */
    public ListedFiles(ScrPrefix prefix, KvTreeStore store, DatasetDescriptor own) {
        this.prefix = prefix;
        this.store = store;
        this.own = own;
    }

    /** Refuses a place if the file there belongs to another dataset. */
    public void requireFree(Path place) throws IOException {
        if (datasets == null) {
            datasets = read();
        }
        String owner = datasets.get(place);
        if (owner != null) {
            throw DrumlinException.during("saving dataset " + own.name().orElse("") + " from caches")
                    .path(place)
                    .problem("this file belongs to the complete dataset " + owner)
                    .advice("it was not replaced; if you can do without " + owner
                            + ", take it out of the index (drumlin index drop) and scavenge again, while the nodes have"
                            + " their caches")
                    .exception();
        }
    }

    private Map<Path, String> read() throws IOException {
        Map<Path, String> files = new HashMap<>();
        IndexFile file = new IndexFile(prefix, store.storage());
        List<IndexRecord> records = PathStatus.exists(file.path()) ? file.read().records() : List.of();
        for (IndexRecord record : records) {
            if (record.isComplete() && !record.descriptor().isOfSame(own)) {
                add(record, files);
            }
        }
        return files;
    }

    private void add(IndexRecord record, Map<Path, String> files) throws IOException {
        try {
            DatasetMetadata metadata = DatasetMetadata.of(prefix, record, store.storage());
            for (List<DatasetFile> owned : metadata.readFiles().files().values()) {
                for (DatasetFile each : owned) {
                    files.put(metadata.locate(each), record.name());
                }
            }
        } catch (IOException e) {
            // Nobody can restart from a dataset without a whole map.
            KvTreeStore.requireDamage(e);
        }
    }
}
