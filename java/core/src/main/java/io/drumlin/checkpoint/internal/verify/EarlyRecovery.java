package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkSink;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.file.VariableParts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Variables that the program named before the run was opened. What a restart reads of a file to see whether it is whole comes into
 * them on the way, so that it is read, hashed and copied in one pass and takes no memory. Not thread-safe.
 */
public final class EarlyRecovery {

    private Map<Integer, ProtectedData> variables = Map.of();

    /** The file whose bytes are in variables. */
    private @Nullable FileIdentity file;

    /** The variables that hold them and were not recovered yet. */
    private final Map<Integer, ProtectedData> held = new HashMap<>();

    /** Names the variables of the files that are verified from now on, in the place of those that were named before. */
    public void into(Map<Integer, ProtectedData> named) {
        variables = Map.copyOf(named);
    }

    /**
     * What puts the chunks to verify of a file into the variables.
     *
     * @return empty unless the file holds just these variables, in their sizes, and digests of all their bytes
     */
    public Optional<ChunkSink> sink(StoredFile meta) {
        if (variables.isEmpty() || meta.locator().isPresent() || !fits(meta)) {
            return Optional.empty();
        }
        if (meta.whole().isEmpty()) {
            return Optional.of(this::copy);
        }
        VariableParts parts = new VariableParts();
        meta.chunks().forEach(parts::add);
        return parts.areApart()
                ? Optional.of((chunk, position, piece) -> parts.scatter(chunk.offset() + position, piece, this::copy))
                : Optional.empty();
    }

    private boolean fits(StoredFile meta) {
        Map<Integer, Long> sizes = new HashMap<>();
        variables.forEach((id, data) -> sizes.put(id, data.size()));
        return sizes.equals(meta.sizes())
                && meta.toVerify().stream().allMatch(chunk -> chunk.md5().isPresent())
                && meta.chunks().stream()
                        .allMatch(chunk -> chunk.from() >= 0
                                && chunk.length() <= sizes.getOrDefault(chunk.id(), 0L) - chunk.from());
    }

    private void copy(Chunk part, long position, ByteBuffer piece) {
        Objects.requireNonNull(variables.get(part.id())).copyIn(part.from() + position, piece);
    }

    /** All bytes of a file are in the variables and are what was written. */
    void hold(FileIdentity verified) {
        file = verified;
        held.putAll(variables);
    }

    /** The variables hold nothing of use any more. */
    void forget() {
        file = null;
        held.clear();
    }

    /**
     * Takes the wanted variables that hold the bytes of a file, for this time: who wants them again has them read.
     *
     * @return the others
     */
    public Map<Integer, ProtectedData> takeAllBut(Path path, Map<Integer, ProtectedData> wanted) throws IOException {
        if (file == null || !file.equals(FileIdentity.of(path))) {
            return wanted;
        }
        Map<Integer, ProtectedData> missing = new HashMap<>(wanted);
        missing.entrySet().removeIf(each -> held.remove(each.getKey(), each.getValue()));
        return missing;
    }
}
