package io.drumlin.checkpoint;

import io.drumlin.checkpoint.HeldFile.Target;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/** A lost file that is made, under another name until it is whole. */
final class MadeFile {

    /** Begins the name of a file that is being made; no program takes it for a checkpoint file. */
    private static final String UNFINISHED = "drumlin-restored-";

    private final KeptBytes kept;
    private final Path path;
    private final Optional<KeptFile> memory;
    private final SlabPool through;

    /**
     * @param kept what is made in memory is kept there, to be verified and recovered
     * @param slabs through which it is written if it is not
     * @param path its name when it is whole
     * @param bytes it will have, or more
     * @param keep whether it is kept in memory, if there is enough
     */
    MadeFile(KeptBytes kept, SlabPool slabs, Path path, long bytes, boolean keep) {
        this.kept = kept;
        this.path = path;
        Optional<KeptFile> begun = keep ? kept.begin(bytes) : Optional.empty();
        Optional<SlabPool> own = begun.flatMap(file -> kept.slabs(file, slabs.slabBytes()));
        memory = own.isPresent() ? begun : Optional.empty();
        through = own.orElse(slabs);
    }

    /** The name that a file has until it is whole. */
    static Path unfinished(Path path) {
        return path.resolveSibling(UNFINISHED + path.getFileName());
    }

    /** Gives a file that is whole its name. A directory that has it is put aside: a rename replaces files only. */
    static void putInPlace(StorageEngine storage, Path path) throws IOException {
        putDirectoryAside(storage, path);
        storage.rename(unfinished(path), path);
    }

    /** Makes way for a file. */
    static void putDirectoryAside(StorageEngine storage, Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            Path aside = path.resolveSibling("drumlin-directory-" + path.getFileName());
            DirectoryTree.delete(aside, storage);
            storage.rename(path, aside);
        }
    }

    Path path() {
        return path;
    }

    Path unfinished() {
        return unfinished(path);
    }

    Target target() {
        return new Target(unfinished(), through);
    }

    void forget() {
        memory.ifPresent(kept::forget);
    }

    /** What is in memory is the file as it is now: so it is verified, and recovered, from there. */
    void remember() throws IOException {
        if (memory.isPresent()) {
            memory.get().isOf(unfinished());
        }
    }
}
