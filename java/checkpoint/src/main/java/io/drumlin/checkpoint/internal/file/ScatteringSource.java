package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A source that copies the bytes of variables, which it reads from another source, into the variables. As thread-safe
 * as the other source.
 */
public final class ScatteringSource implements ByteSource {

    private final ByteSource source;
    private final VariableParts parts = new VariableParts();
    private final Map<Integer, ProtectedData> variables;

    /**
     * Scatters what is read into the variables.
     *
     * @param chunks parts of the variables, which do not overlap
     */
    public ScatteringSource(ByteSource source, List<StoredFile.Chunk> chunks, Map<Integer, ProtectedData> variables) {
        this.source = source;
        this.variables = variables;
        chunks.forEach(parts::add);
    }

    @Override
    public long size() {
        return source.size();
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        ByteBuffer read = target.duplicate();
        source.readFully(offset, target);
        parts.scatter(offset, read, (chunk, position, piece) -> Objects.requireNonNull(variables.get(chunk.id()))
                .copyIn(chunk.from() + position, piece));
    }
}
