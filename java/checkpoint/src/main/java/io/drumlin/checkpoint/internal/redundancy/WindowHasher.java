package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.DigestCache.Digests;
import io.drumlin.checkpoint.internal.verify.FileIdentity;
import io.drumlin.checkpoint.internal.verify.LaneHasher;
import io.drumlin.checkpoint.internal.verify.LaneSchedule.Piece;
import io.drumlin.checkpoint.internal.verify.RecoveryPass;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Hashes several files side by side, each from its beginning to its end, one window at a time. Nothing is compared;
 * afterwards the digests are known. Not thread-safe.
 */
public final class WindowHasher implements Closeable {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final LaneHasher lanes;
    private final List<FileKind> kinds;
    private final List<Passing> files;

    /**
     * Creates a hasher of files.
     *
     * @param files files of this rank, by kind
     */
    public WindowHasher(Map<FileKind, Passing> files) {
        this(files, DigestEngine.md5());
    }

    /** @param md5 closed with this */
    WindowHasher(Map<FileKind, Passing> files, Md5Lanes md5) {
        kinds = List.copyOf(files.keySet());
        this.files = kinds.stream().map(files::get).toList();
        lanes = new LaneHasher(md5);
        try {
            for (int lane = 0; lane < this.files.size(); lane++) {
                // Now, because a rank that lacks memory later would leave others waiting for its windows.
                if (this.files.get(lane).isStriped()) {
                    lanes.prepare(lane);
                }
            }
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /** Returns the kinds of the files, always in the same order. */
    List<FileKind> kinds() {
        return kinds;
    }

    /**
     * Hashes the next window of each file.
     *
     * @param offset start of the windows in their files, which is the end of the previous windows
     * @param windows the windows in the order of {@link #kinds}, from position to limit
     */
    void update(long offset, List<ByteBuffer> windows) throws IOException {
        List<Piece> pieces = new ArrayList<>();
        List<ByteBuffer> bytes = new ArrayList<>();
        do {
            pieces.clear();
            bytes.clear();
            for (int lane = 0; lane < files.size(); lane++) {
                ByteBuffer window = windows.get(lane);
                Piece piece = files.get(lane).next(lane, offset + window.remaining());
                if (piece != null) {
                    pieces.add(piece);
                    bytes.add(window.slice(window.position() + (int) (piece.start() - offset), piece.length()));
                }
            }
            lanes.update(
                    pieces, bytes, (last, md5) -> files.get(last.lane()).digests.put(last.chunk(), md5));
            for (int i = 0; i < pieces.size(); i++) {
                Piece piece = pieces.get(i);
                files.get(piece.lane()).pass.take(piece.chunk(), piece.position(), bytes.get(i));
            }
        } while (!pieces.isEmpty());
    }

    /** Passes the computed digests to a reader. */
    public void done(CheckpointReader reader) {
        for (Passing file : files) {
            reader.known().put(file.identity, file.digests);
            if (file.chunk == file.chunks.size()) {
                file.pass.done(file.identity);
            }
        }
    }

    @Override
    public void close() {
        lanes.close();
    }

    /** A file that is being hashed. */
    public static final class Passing {
        private final FileIdentity identity;
        private final List<Chunk> chunks;
        private final RecoveryPass pass;
        private final Digests digests = new Digests();

        /** Index of the chunk that starts or continues next. */
        private int chunk;

        /** End of the last piece in the file. */
        private long at;

        private Passing(FileIdentity identity, List<Chunk> chunks, RecoveryPass pass) {
            this.identity = identity;
            this.chunks = chunks;
            this.pass = pass;
        }

        /** Returns those of this rank's files of a checkpoint that can be hashed while they are read. */
        public static Map<FileKind, Passing> of(
                StoredCheckpoint stored, Map<FileKind, Path> paths, CheckpointReader reader) {
            Map<FileKind, Passing> passing = new EnumMap<>(FileKind.class);
            paths.forEach((kind, path) -> {
                try {
                    of(stored, kind, path, reader).ifPresent(file -> passing.put(kind, file));
                } catch (IOException e) {
                    // The verification of the file reports this failure.
                    LOG.log(Logger.Level.DEBUG, "{0} is not hashed while it is read: {1}", path, e.getMessage());
                }
            });
            return passing;
        }

        private static Optional<Passing> of(StoredCheckpoint stored, FileKind kind, Path path, CheckpointReader reader)
                throws IOException {
            // First: what is written from now on makes it another file.
            FileIdentity identity = FileIdentity.of(path);
            return stored.digested(kind, path)
                    .flatMap(meta -> of(
                            identity, meta, kind == FileKind.PLAIN ? reader.recoveryPass(meta) : RecoveryPass.none()));
        }

        /**
         * Describes a file with its present content.
         *
         * @param meta content of the file
         * @param pass receives the bytes of the file
         * @return empty if a part of the file has no digest, or parts with digests overlap
         */
        static Optional<Passing> of(FileIdentity identity, StoredFile meta, RecoveryPass pass) {
            List<Chunk> chunks = meta.toVerify().stream()
                    .sorted(Comparator.comparingLong(Chunk::offset))
                    .toList();
            long end = 0;
            for (Chunk each : chunks) {
                boolean fits = each.offset() >= end
                        && each.length() > 0
                        && each.length() <= identity.size() - each.offset()
                        && each.md5().isPresent();
                if (!fits) {
                    return Optional.empty();
                }
                end = each.offset() + each.length();
            }
            return chunks.isEmpty() ? Optional.empty() : Optional.of(new Passing(identity, chunks, pass));
        }

        private boolean isStriped() {
            return chunks.stream().anyMatch(Chunk::striped);
        }

        /** Returns the next piece before {@code end}; {@code null} if there are no more. */
        private @Nullable Piece next(int lane, long end) {
            Chunk current = chunk < chunks.size() ? chunks.get(chunk) : null;
            if (current == null || Math.max(at, current.offset()) >= end) {
                return null;
            }
            long from = Math.max(at, current.offset());
            at = Math.min(end, current.offset() + current.length());
            Piece piece = new Piece(lane, current, from - current.offset(), (int) (at - from));
            if (piece.isLast()) {
                chunk++;
            }
            return piece;
        }
    }
}
