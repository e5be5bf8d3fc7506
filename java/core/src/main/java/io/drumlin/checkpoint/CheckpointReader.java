package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.format.FormatException;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.FtiFfFile.ChecksumRule;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.VariableMeta;
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
import org.jspecify.annotations.Nullable;

/** Reads checkpoint files, every byte checked against its digest. Not thread-safe. */
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
        void take(VariableMeta chunk, long position, ByteBuffer piece);
    }

    /**
     * Reads and checks the metadata of a file.
     *
     * @throws IOException the file cannot be read or is not a whole FTI-FF file
     */
    StoredFile metadata(Path path) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            FtiFfFile meta = FtiFfFile.read(new BlockFileSource(file));
            if (meta.layout() != Layout.F) {
                throw DrumlinException.during("reading the metadata")
                        .path(path)
                        .problem("the file is of layout " + meta.layout() + ", a restart needs layout F")
                        .advice("restart with the release of C FTI that wrote it")
                        .exception();
            }
            if (meta.encoded() || meta.checksumRule() == ChecksumRule.NONE) {
                throw DrumlinException.during("reading the metadata")
                        .path(path)
                        .problem(meta.encoded() ? "this is a Reed-Solomon file" : "checksum does not fit the hashes")
                        .advice("the file is damaged; another level or an older checkpoint is needed")
                        .exception();
            }
            return StoredFile.of(meta);
        } catch (FormatException e) {
            throw DrumlinException.during("reading the metadata")
                    .path(path)
                    .cause(e)
                    .exception();
        }
    }

    /**
     * Reads all chunks and compares their digests with the metadata.
     *
     * @throws IOException the file cannot be read or a chunk is not what was written
     */
    void verify(Path path, StoredFile meta) throws IOException {
        stream(path, meta.chunks(), (chunk, position, piece) -> {});
    }

    /**
     * Copies the chunks of the given variables back into memory.
     *
     * @throws IOException the file cannot be read or a chunk is not what was written; memory may have changed by then
     */
    void recover(Path path, StoredFile meta, Map<Integer, ProtectedData> data) throws IOException {
        List<VariableMeta> wanted = meta.chunks().stream()
                .filter(chunk -> data.containsKey(chunk.id()))
                .toList();
        stream(path, wanted, (chunk, position, piece) -> {
            ProtectedData target = data.get(chunk.id());
            if (target != null) {
                target.copyIn(chunk.dptr() + position, piece);
            }
        });
    }

    private void stream(Path path, List<VariableMeta> chunks, Sink sink) throws IOException {
        Cursor[] lanes = new Cursor[Md5Lanes.LANES];
        ByteBuffer[] pieces = new ByteBuffer[Md5Lanes.LANES];
        Iterator<VariableMeta> waiting = chunks.iterator();
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
            if (cursor == null || cursor.position < cursor.chunk.chunkSize()) {
                continue;
            }
            lanes[lane] = null;
            VariableMeta chunk = cursor.chunk;
            String hash = HexFormat.of().formatHex(md5.digest(lane));
            if (!hash.equals(chunk.hash())) {
                throw DrumlinException.during(
                                "checking container " + chunk.containerId() + " of variable " + chunk.id())
                        .path(path)
                        .range(chunk.fptr(), chunk.chunkSize())
                        .problem("its MD5 is " + hash + " and the metadata say " + chunk.hash())
                        .advice("the file is damaged; another level or an older checkpoint is needed")
                        .exception();
            }
        }
    }

    private ByteBuffer readPiece(BlockFile file, Cursor cursor, Sink sink) throws IOException {
        VariableMeta chunk = cursor.chunk;
        int alignment = file.alignment();
        long start = chunk.fptr() + cursor.position;
        int lead = (int) (start % alignment);
        int length = (int) Math.min(SlabPool.SLAB_BYTES - lead, chunk.chunkSize() - cursor.position);
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
        private final VariableMeta chunk;
        private long position;

        Cursor(VariableMeta chunk) {
            this.chunk = chunk;
        }
    }
}
