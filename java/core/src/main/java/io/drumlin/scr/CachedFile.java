package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.format.StoredNames;
import io.drumlin.format.kvtree.KvTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A file of a rank as its filemap knows it (docs/formats/scr.md, section 10).
 *
 * @param meta the subtree META
 */
record CachedFile(KvTree meta) {

    /** That of an entry of a filemap. */
    static CachedFile of(@Nullable KvTree entry) {
        KvTree meta = entry == null ? null : entry.get("META");
        return new CachedFile(meta == null ? new KvTree() : meta);
    }

    OptionalLong size() {
        return KvFields.number(meta, "SIZE");
    }

    OptionalLong crc() {
        return KvFields.number(meta, "CRC");
    }

    boolean isComplete() {
        return KvFields.integer(meta, "COMPLETE").orElse(0) == 1;
    }

    /** Of the job. */
    int ranks() {
        return KvFields.integer(meta, "RANKS").orElse(0);
    }

    /** Where it belongs. */
    Path place(ScrPrefix prefix) throws DrumlinException {
        return place(prefix, prefix.path());
    }

    /**
     * Where it belongs.
     *
     * @param recorded what the filemap calls the prefix directory
     */
    Path place(ScrPrefix prefix, Path recorded) throws DrumlinException {
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

    /** Reads the file, if it has a CRC32. */
    void check(Path path, KvTreeStore store) throws IOException {
        if (crc().isPresent() && crc().getAsLong() != store.crc32(path)) {
            throw DrumlinException.during("checking a file of a dataset")
                    .path(path)
                    .problem("its CRC32 is not that which was written")
                    .exception();
        }
    }

    /** SIZE and CRC for the map of the prefix directory, where SCR 3 has neither. */
    void describe(KvTree entry) {
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
