package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.CheckpointWriter.Seal;
import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.BlockFileSource;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * This rank's file of an incremental checkpoint. Until all variables are in it, it lies beside {@code tmp}, where nothing
 * takes it for a checkpoint.
 */
final class IncrementalFile implements OwnFile, Closeable {

    private final StorageEngine storage;
    private final SlabPool slabs;
    private final Path scratch;
    private final Gathering gathering;
    private final Map<Integer, ProtectedData> all;
    private @Nullable ChunkedFile file;
    private @Nullable Md5Lanes md5;
    private @Nullable BlockFile written;
    private @Nullable IOException failure;

    /**
     * @param scratch where the file lies until {@link #write}
     * @param all what is protected, at any time
     */
    IncrementalFile(
            StorageEngine storage, SlabPool slabs, Path scratch, Gathering gathering, Map<Integer, ProtectedData> all) {
        this.storage = storage;
        this.slabs = slabs;
        this.scratch = scratch;
        this.gathering = gathering;
        this.all = all;
    }

    /**
     * Writes a variable as it is now.
     *
     * @throws IllegalArgumentException it was added before
     * @throws IOException it could not be written; the checkpoint can then not be completed
     */
    void add(int id, ProtectedData variable) throws IOException {
        if (gathering.added().containsKey(id)) {
            throw new IllegalArgumentException("variable " + id + " is already in the incremental checkpoint");
        }
        if (failure != null) {
            throw failure;
        }
        try {
            ChunkedFile open = open();
            gathering.add(id, variable, all, open, digests());
            open.settle();
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    private ChunkedFile open() throws IOException {
        ChunkedFile open = file;
        if (open == null) {
            open = new ChunkedFile(storage, slabs, scratch);
            file = open;
        }
        return open;
    }

    private Md5Lanes digests() {
        Md5Lanes open = md5;
        if (open == null) {
            open = DigestEngine.md5();
            md5 = open;
        }
        return open;
    }

    @Override
    public Draft draft(int ckptId, long timestamp) throws IOException {
        if (failure != null) {
            throw failure;
        }
        TreeSet<Integer> missing = new TreeSet<>(all.keySet());
        missing.removeAll(gathering.added().keySet());
        if (!missing.isEmpty()) {
            throw DrumlinException.during("incremental checkpoint " + ckptId)
                    .problem("variables " + missing + " are protected and were not added")
                    .advice("add every protected variable before the commit")
                    .exception();
        }
        return gathering.draft(ckptId, timestamp, all);
    }

    @Override
    public void write(Path path, Draft draft, Seal seal) throws IOException {
        finish(seal.seal(gathering.digests(draft, digests())), draft.size());
        storage.rename(scratch, path);
        read(path);
    }

    private void finish(List<Piece> pieces, long size) throws IOException {
        try (ChunkedFile open = open()) {
            file = null;
            open.finish(pieces, size);
        }
    }

    private ByteSource read(Path path) throws IOException {
        BlockFile open = storage.open(path, EnumSet.of(OpenMode.READ));
        written = open;
        return new BlockFileSource(open);
    }

    @Override
    public ByteSource image(Draft draft) throws IOException {
        BlockFile open = written;
        if (open != null) {
            return new BlockFileSource(open);
        }
        finish(List.of(), draft.size());
        return read(scratch);
    }

    /** Closes the file; deletes it unless it was written to where it belongs. */
    @Override
    public void close() throws IOException {
        try {
            if (file != null) {
                file.close();
            }
            if (written != null) {
                written.close();
            }
        } finally {
            if (md5 != null) {
                md5.close();
            }
            storage.delete(scratch);
        }
    }
}
