package io.drumlin.scr.internal.cache;

import io.drumlin.DrumlinException;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A file of a rank as its filemap describes it (docs/formats/scr.md, section 10).
 *
 * @param meta the subtree META
 */
public record CachedFile(KvTree meta) {

    /** Reads an entry of a filemap. */
    public static CachedFile of(@Nullable KvTree entry) {
        KvTree meta = entry == null ? null : entry.get("META");
        return new CachedFile(meta == null ? new KvTree() : meta);
    }

    public OptionalLong size() {
        return KvFields.number(meta, "SIZE");
    }

    public OptionalLong crc() {
        return KvFields.number(meta, "CRC");
    }

    public boolean isComplete() {
        return KvFields.integer(meta, "COMPLETE").orElse(0) == 1;
    }

    /** Returns the number of ranks of the job. */
    public int ranks() {
        return KvFields.integer(meta, "RANKS").orElse(0);
    }

    /** Returns the path of the file in the prefix directory. */
    public Path place(ScrPrefix prefix) throws DrumlinException {
        return place(prefix, prefix.path());
    }

    /**
     * Returns the path of the file in the prefix directory.
     *
     * @param recorded the path that the filemap records for the prefix directory
     */
    public Path place(ScrPrefix prefix, Path recorded) throws DrumlinException {
        Path named = StoredNames.file(
                        StoredNames.path(meta.value("PATH").orElse("/")),
                        meta.value("NAME").orElse(""))
                .normalize();
        Path place = named.startsWith(recorded)
                ? prefix.path().resolve(recorded.relativize(named).toString())
                : prefix.path();
        if (place.equals(prefix.path()) || place.startsWith(prefix.scr())) {
            throw DrumlinException.during("locating a file of a dataset")
                    .path(named)
                    .problem("it is not below " + recorded)
                    .advice("if the prefix directory was moved, say what the job called it; otherwise do not trust its"
                            + " files")
                    .exception();
        }
        return place;
    }

    /** Reads the file and returns whether it has the CRC32 of the filemap, if that has one. */
    boolean isIntact(Path path, KvTreeStore store) throws IOException {
        return crc().isEmpty() || crc().getAsLong() == store.crc32(path);
    }

    /** Reads the file and compares its CRC32, if the filemap has one. */
    public void check(Path path, KvTreeStore store) throws IOException {
        if (!isIntact(path, store)) {
            throw DrumlinException.during("checking a file of a dataset")
                    .path(path)
                    .problem("its CRC32 is not that which was written")
                    .exception();
        }
    }

    /** Sets SIZE and CRC for the map of the prefix directory. The maps of SCR 3 have neither. */
    public void describe(KvTree entry) {
        if (crc().isPresent()) {
            for (String key : new String[] {"SIZE", "CRC"}) {
                KvTree values = meta.get(key);
                if (values != null) {
                    entry.put(key, values.copy());
                }
            }
        }
    }
}
