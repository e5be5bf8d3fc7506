package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.integrity.StripedMd5;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Digests of chunks that are hashed side by side, one in each lane. Plain digests share one set of lanes, and each striped one
 * has a set of its own. Not thread-safe.
 */
public final class ChunkLanes implements AutoCloseable {

    private final Md5Lanes md5;
    private final Map<Integer, StripedMd5> striped = new HashMap<>();

    /** What waits for {@link #update}, by lane. */
    private final List<@Nullable ByteBuffer> waiting = Arrays.asList(new ByteBuffer[Md5Lanes.LANES]);

    /**
     * Creates lanes without chunks.
     *
     * @param md5 computes the plain digests; closed with this
     */
    public ChunkLanes(Md5Lanes md5) {
        this.md5 = md5;
    }

    /** Allocates what a striped digest in a lane needs. Without this the first {@link #begin} does. */
    public void prepare(int lane) {
        striped(lane);
    }

    /** Begins a chunk in a lane. */
    public void begin(int lane, Chunk chunk) {
        if (chunk.striped()) {
            striped(lane).reset();
        } else {
            md5.reset(lane);
        }
    }

    /**
     * Takes the next bytes of the chunk in a lane, at most once for each {@link #update}.
     *
     * @param bytes from position to limit; do not change until then
     */
    public void add(int lane, Chunk chunk, ByteBuffer bytes) {
        if (chunk.striped()) {
            striped(lane).update(bytes);
        } else {
            waiting.set(lane, bytes);
        }
    }

    /** Hashes what was added. */
    public void update() {
        try {
            md5.update(waiting);
        } finally {
            Collections.fill(waiting, null);
        }
    }

    /** Ends the chunk in a lane and returns its digest, lower-case hexadecimal. */
    public String digest(int lane, Chunk chunk) {
        return HexFormat.of().formatHex(chunk.striped() ? striped(lane).digest() : md5.digest(lane));
    }

    private StripedMd5 striped(int lane) {
        return striped.computeIfAbsent(lane, unused -> new StripedMd5());
    }

    @Override
    public void close() {
        md5.close();
        striped.values().forEach(StripedMd5::close);
    }
}
