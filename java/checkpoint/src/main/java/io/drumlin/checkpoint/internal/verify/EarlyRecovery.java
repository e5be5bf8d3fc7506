package io.drumlin.checkpoint.internal.verify;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkSink;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.file.VariableParts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The variables that the program named before it opened the run. When a restart reads a file to verify it, the bytes go
 * directly into these variables. The file is then read, hashed and copied in one pass and needs no additional memory
 * (docs/adr/013-a-restart-keeps-no-data-in-memory.md).
 * Not thread-safe.
 */
public final class EarlyRecovery {

    private Map<Integer, ProtectedData> variables = Map.of();

    /** The file whose bytes are in the variables. */
    private @Nullable FileIdentity file;

    /** The variables that hold these bytes and have not been recovered yet. */
    private final Map<Integer, ProtectedData> held = new HashMap<>();

    /** Names the variables for the files that are verified from now on, in place of those named before. */
    public void into(Map<Integer, ProtectedData> named) {
        variables = Map.copyOf(named);
    }

    /**
     * Returns the sink that puts the chunks of a file into the variables while they are verified.
     *
     * @return empty unless the file holds exactly these variables, with the same sizes, and digests of all their bytes
     */
    public Optional<ChunkSink> sink(StoredFile meta) {
        if (variables.isEmpty() || meta.locator().isPresent() || !fits(meta)) {
            return Optional.empty();
        }
        variables.forEach((id, data) -> data.expect(meta.size(id)));
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
        Map<Integer, Long> sizes = meta.sizes();
        return sizes.keySet().equals(variables.keySet())
                && variables.entrySet().stream()
                        .allMatch(each -> each.getValue().takes(meta.size(each.getKey())))
                && meta.toVerify().stream().allMatch(chunk -> chunk.md5().isPresent())
                && meta.chunks().stream()
                        .allMatch(chunk -> chunk.from() >= 0
                                && chunk.length() <= sizes.getOrDefault(chunk.id(), 0L) - chunk.from());
    }

    private void copy(Chunk part, long position, ByteBuffer piece) {
        try {
            Objects.requireNonNull(variables.get(part.id())).copyIn(part.from() + position, piece);
        } catch (RuntimeException | InternalError e) {
            // Says nothing about the file, which is why it has the name of an error.
            throw new UncheckedIOException(DrumlinException.during("recovery of variable " + part.id())
                    .errno("EFAULT")
                    .problem("its memory cannot be written: " + e)
                    .advice("protect memory that stays until the run is closed")
                    .cause(e)
                    .exception());
        }
    }

    /** Records that the variables hold all bytes of a file, and that they were verified. */
    void recordVerified(FileIdentity verified) {
        file = verified;
        held.putAll(variables);
    }

    /** Returns the variables that hold the bytes of the file and have not been recovered yet. */
    public Set<Integer> heldIds() {
        return Set.copyOf(held.keySet());
    }

    /** Records that the contents of the variables are useless. */
    void forget() {
        file = null;
        held.clear();
    }

    /**
     * Marks the wanted variables that already hold the bytes of a file as recovered. A later recovery reads them from
     * the file.
     *
     * @return the wanted variables that must be read
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
