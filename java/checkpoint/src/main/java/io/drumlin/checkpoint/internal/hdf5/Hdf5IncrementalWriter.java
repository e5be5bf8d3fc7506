package io.drumlin.checkpoint.internal.hdf5;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkedFile;
import io.drumlin.checkpoint.internal.file.FileImage;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.IncrementalWriter;
import io.drumlin.checkpoint.internal.file.RankFileWriter.Seal;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.posix.PosixIncrementalWriter;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The incremental writer of the mode HDF5. The places of all variables are known when the first one is added, because
 * the file holds all protected variables. Variables may come in any order, so the digest is computed from the written
 * file.
 */
final class Hdf5IncrementalWriter implements IncrementalWriter {

    private final ChunkedFile file;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final PosixIncrementalWriter.FilePlanner planner;
    private final Md5Lanes md5 = DigestEngine.md5();
    private final Map<Integer, ProtectedData> added = new LinkedHashMap<>();
    private @Nullable Hdf5Plan plan;

    Hdf5IncrementalWriter(
            ChunkedFile file, StorageEngine storage, SlabPool slabs, PosixIncrementalWriter.FilePlanner planner) {
        this.file = file;
        this.storage = storage;
        this.slabs = slabs;
        this.planner = planner;
    }

    @Override
    public void add(Map<Integer, ProtectedData> variables, Map<Integer, ProtectedData> all) throws IOException {
        Hdf5Plan places = plan;
        if (places == null) {
            places = begin(all);
            plan = places;
        }
        for (Map.Entry<Integer, ProtectedData> entry : variables.entrySet()) {
            int id = entry.getKey();
            if (places.bytes(id) != entry.getValue().size()) {
                throw changed();
            }
            FileImage image = places.image(id);
            for (FilePlan.Chunk chunk : places.chunks(id)) {
                file.append(image, chunk, md5);
            }
            added.put(id, entry.getValue());
        }
        file.awaitWrites();
    }

    /** Writes everything but the variables. */
    private Hdf5Plan begin(Map<Integer, ProtectedData> all) throws IOException {
        md5.reset(0);
        Hdf5Plan places = new Hdf5Plan(all);
        ByteBuffer metadata = places.metadata();
        FileImage image = new FileImage(places.size());
        image.put(0, metadata);
        file.allocate(places.size());
        file.append(image, new FilePlan.Chunk(0, metadata.remaining(), metadata.remaining()), md5);
        return places;
    }

    private static DrumlinException changed() {
        return DrumlinException.during("incremental checkpoint")
                .problem("what is protected, or its types or datasets, has changed since the first variable was added")
                .advice("protect and define all variables before, and change nothing until the commit")
                .exception();
    }

    @Override
    public Map<Integer, ProtectedData> added() {
        return added;
    }

    @Override
    public FilePlan planFile(int ckptId, long timestamp, Map<Integer, ProtectedData> all) throws IOException {
        if (plan == null) {
            // Nothing is protected, so the file has no datasets.
            plan = begin(all);
        } else if (!plan.metadata().equals(new Hdf5Plan(all).metadata())) {
            throw changed();
        }
        return planner.planFile(ckptId, all, all);
    }

    @Override
    public void finish(FilePlan filePlan, Seal seal) throws IOException {
        // Nothing is written after the seal, because the sealed metadata lie apart from the file.
        file.finish(List.of(), filePlan.size());
        seal.seal(List.of(digest(filePlan.size())));
    }

    /**
     * Reads the file again to compute its digest for the metadata. Without the digest, a file of another checkpoint
     * with the same name and size could be taken for this one.
     */
    private byte[] digest(long size) throws IOException {
        md5.reset(0);
        try (BlockFile written = storage.open(file.path(), EnumSet.of(OpenMode.READ))) {
            BlockFileSource bytes = new BlockFileSource(written);
            for (long at = 0; at < size; at += slabs.slabBytes()) {
                ByteBuffer piece = slabs.take().buffer().limit((int) Math.min(slabs.slabBytes(), size - at));
                bytes.readFully(at, piece.duplicate());
                md5.update(List.of(piece));
            }
        }
        return md5.digest(0);
    }

    @Override
    public void close() throws IOException {
        md5.close();
        file.close();
    }
}
