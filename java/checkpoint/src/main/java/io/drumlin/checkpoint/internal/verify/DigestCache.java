package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Digests of parts of files that were hashed while they were sent to or received from another rank. A file with cached
 * digests is verified without reading it again. Not thread-safe.
 */
public final class DigestCache {

    private final Map<FileIdentity, Digests> files = new HashMap<>();

    /** The digests of one file, valid until it is written again. */
    public static final class Digests {
        private final Map<Part, String> parts = new HashMap<>();

        private record Part(long offset, long length, boolean striped) {}

        /**
         * Remembers the digest of a chunk.
         *
         * @param md5 MD5 of all bytes of the chunk, lower-case hexadecimal
         */
        public void put(Chunk chunk, String md5) {
            parts.put(new Part(chunk.offset(), chunk.length(), chunk.striped()), md5);
        }

        private @Nullable String of(Chunk chunk) {
            return parts.get(new Part(chunk.offset(), chunk.length(), chunk.striped()));
        }
    }

    public void put(FileIdentity file, Digests digests) {
        files.put(file, digests);
    }

    /** Returns the digests of chunks, in their order; empty unless all are known. */
    public Optional<List<String>> of(Path path, List<Chunk> chunks) throws IOException {
        if (files.isEmpty()) {
            return Optional.empty();
        }
        Digests known = files.getOrDefault(FileIdentity.of(path), new Digests());
        List<String> digests = chunks.stream().map(known::of).toList();
        return digests.contains(null) ? Optional.empty() : Optional.of(digests);
    }

    void forget() {
        files.clear();
    }
}
