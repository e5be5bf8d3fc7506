package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.StoredFile.Chunk;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads checkpoint files and checks what has a digest. Thread-safe: one file is read at a time. */
final class CheckpointReader {

    private static final EnumSet<OpenMode> MODES = EnumSet.of(OpenMode.READ, OpenMode.DIRECT);

    private final StorageEngine storage;
    private final SlabPool slabs;

    CheckpointReader(StorageEngine storage, SlabPool slabs) {
        this.storage = storage;
        this.slabs = slabs;
    }

    /** What becomes of the bytes of a chunk. */
    @FunctionalInterface
    private interface Sink {
        void take(Chunk chunk, long position, ByteBuffer piece);
    }

    /**
     * Reads all that has a digest and compares it with the metadata.
     *
     * @throws IOException the file cannot be read or is not what was written
     */
    void verify(Path path, StoredFile meta) throws IOException {
        stream(path, meta.whole().map(List::of).orElse(meta.chunks()), (chunk, position, piece) -> {});
    }

    /**
     * Reads a range of a file and compares its digest.
     *
     * @param md5 lower-case hexadecimal
     * @throws IOException the file cannot be read or the range is not what was written
     */
    void verify(Path path, long offset, long length, String md5) throws IOException {
        stream(path, List.of(new Chunk(-1, 0, offset, length, Optional.of(md5))), (chunk, position, piece) -> {});
    }

    /**
     * Copies the chunks of the given variables back into memory. Chunks without digests of their own are not checked: that is
     * for {@link #verify(Path, StoredFile)}.
     *
     * @throws IOException the file cannot be read or a chunk is not what was written; memory may have changed by then
     */
    void recover(Path path, StoredFile meta, Map<Integer, ProtectedData> data) throws IOException {
        List<Chunk> wanted = meta.chunks().stream()
                .filter(chunk -> data.containsKey(chunk.id()))
                .toList();
        stream(path, wanted, (chunk, position, piece) -> {
            ProtectedData target = data.get(chunk.id());
            if (target != null) {
                target.copyIn(chunk.from() + position, piece);
            }
        });
    }

    private synchronized void stream(Path path, List<Chunk> chunks, Sink sink) throws IOException {
        Cursor[] lanes = new Cursor[Md5Lanes.LANES];
        ByteBuffer[] pieces = new ByteBuffer[Md5Lanes.LANES];
        Iterator<Chunk> waiting = chunks.iterator();
        try (BlockFile file = storage.open(path, MODES);
                Md5Lanes md5 = DigestEngine.md5()) {
            boolean busy = true;
            while (busy) {
                busy = false;
                for (int lane = 0; lane < lanes.length; lane++) {
                    if (lanes[lane] == null && waiting.hasNext()) {
                        lanes[lane] = new Cursor(waiting.next());
                        md5.reset(lane);
                    }
                    Cursor cursor = lanes[lane];
                    pieces[lane] = cursor == null ? null : readPiece(file, cursor, sink);
                    busy |= cursor != null;
                }
                md5.update(Arrays.asList(pieces));
                finishLanes(path, md5, lanes);
            }
        } finally {
            slabs.drain();
        }
    }

    private static void finishLanes(Path path, Md5Lanes md5, @Nullable Cursor[] lanes) throws IOException {
        for (int lane = 0; lane < lanes.length; lane++) {
            Cursor cursor = lanes[lane];
            if (cursor == null || cursor.position < cursor.chunk.length()) {
                continue;
            }
            lanes[lane] = null;
            compare(path, cursor.chunk, HexFormat.of().formatHex(md5.digest(lane)));
        }
    }

    private static void compare(Path path, Chunk chunk, String md5) throws IOException {
        if (chunk.md5().isPresent() && !chunk.md5().get().equals(md5)) {
            throw DrumlinException.during(chunk.id() < 0 ? "checking a digest" : "checking variable " + chunk.id())
                    .path(path)
                    .range(chunk.offset(), chunk.length())
                    .problem("its MD5 is " + md5 + " and the metadata say "
                            + chunk.md5().get())
                    .advice("the file is damaged; another level or an older checkpoint is needed")
                    .exception();
        }
    }

    private ByteBuffer readPiece(BlockFile file, Cursor cursor, Sink sink) throws IOException {
        Chunk chunk = cursor.chunk;
        int alignment = file.alignment();
        long start = chunk.offset() + cursor.position;
        int lead = (int) (start % alignment);
        int length = (int) Math.min(SlabPool.SLAB_BYTES - lead, chunk.length() - cursor.position);
        ByteBuffer memory = slabs.take().buffer();
        int window = (int) BlockEdges.roundUp(lead + length, alignment);
        int read = file.read(memory.limit(window), start - lead);
        if (read < lead + length) {
            throw DrumlinException.during("read")
                    .path(file.path())
                    .range(start, length)
                    .problem("the file ends at " + (start - lead + read))
                    .advice("the file was cut while it was read")
                    .exception();
        }
        ByteBuffer piece = memory.slice(lead, length).order(memory.order());
        sink.take(chunk, cursor.position, piece.duplicate().order(memory.order()));
        cursor.position += length;
        return piece;
    }

    /** How far a chunk has been read. */
    private static final class Cursor {
        private final Chunk chunk;
        private long position;

        Cursor(Chunk chunk) {
            this.chunk = chunk;
        }
    }
}
