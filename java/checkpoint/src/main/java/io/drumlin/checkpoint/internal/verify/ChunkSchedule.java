package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.io.AlignedWriter;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The parts in which a file is sent. Both ranks know the schedule.
 *
 * @param size bytes of the file
 * @param meta content of the file; on the receiver without labels and locator
 * @param chunks the chunks in their order; each byte of the file is in one chunk, and chunks with digests are hashed
 */
public record ChunkSchedule(long size, StoredFile meta, List<Chunk> chunks) {

    private static final Pattern MD5 = Pattern.compile("[0-9a-f]{" + 2 * Md5Lanes.DIGEST_LENGTH + "}");

    private static final int STRIPED = 2;

    private static final int BYTES_OF_SIZE = Integer.BYTES + Long.BYTES;
    private static final int BYTES_OF_CHUNK = Integer.BYTES + 3 * Long.BYTES + 1 + Md5Lanes.DIGEST_LENGTH;

    /** Returns the schedule for a file. A file without digests is sent in equal parts, so that all lanes are used. */
    public static ChunkSchedule of(long size, StoredFile meta) {
        List<Chunk> all = new ArrayList<>();
        if (meta.toVerify().isEmpty()) {
            long part = AlignedWriter.roundUp(size / Md5Lanes.LANES + 1, AlignedBuffer.ALIGNMENT);
            for (long from = 0; from < size; from += part) {
                addGap(all, from, Math.min(from + part, size));
            }
            return new ChunkSchedule(size, meta, all);
        }
        long end = 0;
        for (Chunk chunk : meta.toVerify().stream()
                .sorted(Comparator.comparingLong(Chunk::offset))
                .toList()) {
            addGap(all, end, chunk.offset());
            all.add(chunk);
            end = Math.max(end, chunk.offset() + chunk.length());
        }
        addGap(all, end, size);
        return new ChunkSchedule(size, meta, all);
    }

    private static void addGap(List<Chunk> all, long from, long to) {
        if (from < to) {
            all.add(new Chunk(-1, 0, from, to - from, Optional.empty()));
        }
    }

    /**
     * Returns whether a file can be hashed while it is sent.
     *
     * @param pieceBytes bytes of a message
     * @return false if the metadata do not fit the file, a part of it has no digest, or the chunks are so small that
     *     they would need many messages and much memory for shared blocks
     */
    public static boolean isPossible(long size, StoredFile meta, int pieceBytes) {
        List<Chunk> digested = meta.toVerify();
        return !digested.isEmpty()
                && size / pieceBytes >= digested.size()
                && meta.chunks().stream().allMatch(chunk -> chunk.md5().stream().allMatch(ChunkSchedule::isDigest))
                && digested.stream()
                        .allMatch(chunk -> chunk.md5().stream().anyMatch(ChunkSchedule::isDigest)
                                && chunk.offset() >= 0
                                && chunk.length() > 0
                                && chunk.length() <= size - chunk.offset());
    }

    /** Returns whether a text is a digest, because metadata may contain any text. */
    private static boolean isDigest(String md5) {
        return MD5.matcher(md5).matches();
    }

    /**
     * Returns the message with the schedule for the other rank, in memory outside the heap.
     *
     * @param variables whether the other rank may have variables for the file
     */
    public ByteBuffer message(boolean variables) {
        // If a locator finds the chunks, the receiver, which has no locator, cannot find them, so no variables are
        // sent.
        Map<Integer, Long> sizes = variables && meta.locator().isEmpty() ? meta.sizes() : Map.of();
        List<Chunk> parts = variables || meta.whole().isEmpty() ? meta.chunks() : List.of();
        int chunkCount = parts.size() + (meta.whole().isPresent() ? 1 : 0);
        ByteBuffer message = buffer(Math.addExact(
                Long.BYTES + 3 * Integer.BYTES,
                Math.addExact(
                        Math.multiplyExact(sizes.size(), BYTES_OF_SIZE),
                        Math.multiplyExact(chunkCount, BYTES_OF_CHUNK))));
        message.putLong(size).putInt(meta.ckptId()).putInt(sizes.size()).putInt(parts.size());
        sizes.forEach((id, bytes) -> message.putInt(id).putLong(bytes));
        parts.forEach(chunk -> put(message, chunk));
        meta.whole().ifPresent(chunk -> put(message, chunk));
        return message.flip();
    }

    /** Returns the schedule in a message. */
    public static ChunkSchedule of(ByteBuffer message) {
        long size = message.getLong();
        int ckptId = message.getInt();
        int variables = message.getInt();
        int count = message.getInt();
        Map<Integer, Long> sizes = new LinkedHashMap<>();
        for (int i = 0; i < variables; i++) {
            sizes.put(message.getInt(), message.getLong());
        }
        List<Chunk> chunks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chunks.add(chunk(message));
        }
        Optional<Chunk> whole = message.hasRemaining() ? Optional.of(chunk(message)) : Optional.empty();
        return of(size, new StoredFile(ckptId, chunks, sizes, Map.of(), whole, Optional.empty()));
    }

    private static void put(ByteBuffer message, Chunk chunk) {
        message.putInt(chunk.id()).putLong(chunk.from()).putLong(chunk.offset()).putLong(chunk.length());
        message.put((byte) (chunk.md5().isEmpty() ? 0 : chunk.striped() ? STRIPED : 1));
        message.put(chunk.md5().map(HexFormat.of()::parseHex).orElse(new byte[Md5Lanes.DIGEST_LENGTH]));
    }

    private static Chunk chunk(ByteBuffer message) {
        int id = message.getInt();
        long from = message.getLong();
        long offset = message.getLong();
        long length = message.getLong();
        int digest = message.get();
        byte[] md5 = new byte[Md5Lanes.DIGEST_LENGTH];
        message.get(md5);
        return new Chunk(
                id,
                from,
                offset,
                length,
                digest > 0 ? Optional.of(HexFormat.of().formatHex(md5)) : Optional.empty(),
                digest == STRIPED);
    }

    /** Returns memory for a message, outside the heap. */
    public static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
