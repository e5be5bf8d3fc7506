package io.drumlin.checkpoint.internal.ftiff;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.Encoding;
import io.drumlin.checkpoint.internal.file.FileImage;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.format.ftiff.BlockMeta;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.PlacedFile;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.format.ftiff.Stamp;
import io.drumlin.format.ftiff.VariableMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The plan of an FTI-FF file: containers, with the data that fill them. */
final class FtiFfFilePlan implements FilePlan {

    private final Layout layout;
    private final int ckptId;
    private final Stamp stamp;
    private final FileImage image;
    private final List<Chunk> chunks = new ArrayList<>();
    private ContainerPlan plan;
    private @Nullable StoredFile stored;

    FtiFfFilePlan(Layout layout, ContainerPlan plan, Map<Integer, ProtectedData> data, int ckptId, Stamp stamp) {
        this.layout = layout;
        this.plan = plan;
        this.ckptId = ckptId;
        this.stamp = stamp;
        PlacedFile placed = PlacedFile.of(layout, plan);
        image = new FileImage(placed.size());
        for (VariableMeta chunk : BlockMeta.chunks(placed.blocks())) {
            ProtectedData variable = data.get(chunk.id());
            if (variable == null) {
                throw new IllegalStateException(
                        "variable " + chunk.id() + " has content in the plan but is not protected");
            }
            image.put(chunk.fptr(), variable, chunk.dptr(), chunk.chunkSize());
            chunks.add(new Chunk(chunk.fptr(), chunk.chunkSize(), chunk.containerSize()));
        }
    }

    /** Returns the containers, which have their digests after {@link #seal}. */
    ContainerPlan plan() {
        return plan;
    }

    @Override
    public FileImage image() {
        return image;
    }

    @Override
    public List<Chunk> chunks() {
        return chunks;
    }

    @Override
    public List<Piece> seal(List<byte[]> digests, long partnerSize, long encodedSize) throws IOException {
        plan = plan.withHashes(digests);
        PlacedFile placed = PlacedFile.of(layout, plan);
        List<Piece> pieces = new ArrayList<>(placed.records());
        int sum = 0;
        for (Piece piece : pieces) {
            sum = Stamp.sum(sum, piece.bytes());
            image.put(piece.offset(), piece.bytes());
        }
        FileMeta meta = placed.seal(placed.checksum(image), ckptId, stamp.timestamp(), encodedSize, partnerSize);
        Piece record = placed.fileRecord(meta);
        layout.mark(record.bytes(), stamp.over(sum));
        image.put(record.offset(), record.bytes());
        pieces.add(record);
        stored = stored(ckptId, placed.blocks());
        return pieces;
    }

    @Override
    public Encoding encoding() {
        return new FtiFfEncoding(layout, ckptId, stamp);
    }

    @Override
    public StoredFile stored() {
        if (stored == null) {
            throw new IllegalStateException("not sealed");
        }
        return stored;
    }

    /** Returns the content of a file with these blocks. */
    static StoredFile stored(int ckptId, List<BlockMeta> blocks) {
        List<StoredFile.Chunk> stored = new ArrayList<>();
        for (VariableMeta chunk : BlockMeta.chunks(blocks)) {
            stored.add(new StoredFile.Chunk(
                    chunk.id(), chunk.dptr(), chunk.fptr(), chunk.chunkSize(), Optional.of(chunk.hash())));
        }
        return new StoredFile(ckptId, stored, BlockMeta.sizes(blocks));
    }
}
