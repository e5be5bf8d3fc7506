package io.drumlin.checkpoint;

import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes a checkpoint file in one pass over the data; all offsets are known before the first byte moves. */
final class CheckpointWriter {

    private final StorageEngine storage;
    private final SlabPool slabs;

    CheckpointWriter(StorageEngine storage, SlabPool slabs) {
        this.storage = storage;
        this.slabs = slabs;
    }

    /** Makes the records once the digests are known. */
    @FunctionalInterface
    interface Seal {
        List<Piece> seal(List<byte[]> digests) throws IOException;
    }

    /**
     * Writes the file and makes its content durable; the directory entry is the caller's business.
     *
     * @param path the file, replaced when it exists
     * @param draft what is written
     * @param seal completes the draft
     * @throws IOException the file is not whole
     */
    void write(Path path, Draft draft, Seal seal) throws IOException {
        try (ChunkedFile file = new ChunkedFile(storage, slabs, path);
                Md5Lanes md5 = DigestEngine.md5()) {
            file.allocate(draft.size());
            file.finish(seal.seal(file.write(draft.image(), draft.chunks(), md5)), draft.size());
        }
    }
}
