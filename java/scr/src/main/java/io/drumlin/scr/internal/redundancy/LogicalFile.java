package io.drumlin.scr.internal.redundancy;

import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The files of a rank one after the other, with zeros after the last (docs/formats/scr.md, section 11). */
public final class LogicalFile implements Closeable {

    /** A file and its actual or future size in bytes. */
    public record Part(Path path, long size) {}

    private static final Set<OpenMode> READING = EnumSet.of(OpenMode.READ);

    private final List<Part> parts;
    private final List<BlockFile> files = new ArrayList<>();

    private LogicalFile(List<Part> parts) {
        this.parts = parts;
    }

    public static LogicalFile read(List<Part> parts, StorageEngine storage) throws IOException {
        return open(parts, path -> storage.open(path, READING));
    }

    /** Makes the files anew. Only their owner can read them. */
    public static LogicalFile write(List<Part> parts, KvTreeStore store) throws IOException {
        return open(parts, store::openPrivate);
    }

    /** Opens a file. */
    @FunctionalInterface
    private interface Opener {
        BlockFile open(Path path) throws IOException;
    }

    private static LogicalFile open(List<Part> parts, Opener opener) throws IOException {
        LogicalFile file = new LogicalFile(parts);
        try {
            for (Part part : parts) {
                file.files.add(opener.open(part.path()));
            }
            return file;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** Fills the remaining bytes of a buffer. */
    public void read(ByteBuffer target, long offset) throws IOException {
        for (int i = target.position(); i < target.limit(); i++) {
            target.put(i, (byte) 0);
        }
        forEachPart(target, offset, (file, slice, position) -> BlockFileSource.readFully(file, position, slice));
    }

    /** Writes the remaining bytes of a buffer, as far as they belong to files. */
    public void write(ByteBuffer source, long offset) throws IOException {
        forEachPart(source, offset, BlockFile::write);
    }

    public void sync() throws IOException {
        for (BlockFile file : files) {
            file.sync();
        }
    }

    @FunctionalInterface
    private interface Transfer {
        void run(BlockFile file, ByteBuffer slice, long position) throws IOException;
    }

    private void forEachPart(ByteBuffer buffer, long offset, Transfer transfer) throws IOException {
        long start = 0;
        for (int i = 0; i < parts.size(); i++) {
            long end = start + parts.get(i).size();
            long from = Math.max(start, offset);
            long to = Math.min(end, offset + buffer.remaining());
            if (from < to) {
                ByteBuffer slice = buffer.slice(buffer.position() + (int) (from - offset), (int) (to - from));
                transfer.run(files.get(i), slice, from - start);
            }
            start = end;
        }
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (BlockFile file : files) {
            try {
                file.close();
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
