package io.drumlin.format.ftiff;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A plain file of any layout that is to be written: the location of each container of a plan, and the records as bytes;
 * docs/formats/fti-ff.md, sections 3, 4 and 6. Immutable and pure.
 *
 * <p>To write a file, place the plan. Write each chunk at its {@code fptr} and zeros after it. Place the plan again
 * with its digests and write {@link #records}. Compute the {@link #checksum}, {@link #seal} the file, and write the
 * {@link #fileRecord}.
 */
public final class PlacedFile {

    private static final String HASH_OF_NOTHING = "d41d8cd98f00b204e9800998ecf8427e";

    /**
     * Bytes and their location.
     *
     * @param offset byte offset in the file
     * @param bytes a buffer; its remaining bytes count
     */
    public record Piece(long offset, ByteBuffer bytes) {}

    private final Layout layout;
    private final List<BlockMeta> blocks;
    private final long dataEnd;

    private PlacedFile(Layout layout, List<BlockMeta> blocks, long dataEnd) {
        this.layout = layout;
        this.blocks = List.copyOf(blocks);
        this.dataEnd = dataEnd;
    }

    /**
     * Places the containers of a plan.
     *
     * @param layout the layout of the file
     * @param plan the containers and digests
     * @return the file
     * @throws IllegalArgumentException layout E cannot hold a file of that size
     */
    public static PlacedFile of(Layout layout, ContainerPlan plan) {
        return of(layout, plan.blocks());
    }

    /**
     * Places the containers of another file, of any layout.
     *
     * @param layout the layout of the file to be written
     * @param source blocks of a file that was read strictly; fields that the layout lacks are left out, and a missing
     *     {@code idx} becomes the order of the first containers
     * @return the file
     * @throws IllegalArgumentException layout E cannot hold a file of that size
     */
    public static PlacedFile of(Layout layout, List<BlockMeta> source) {
        Map<Integer, Integer> order = new HashMap<>();
        List<BlockMeta> blocks = new ArrayList<>();
        long end = layout.atEnd() ? 0 : layout.fileMetaLength();
        for (BlockMeta block : source) {
            long start = end;
            if (!layout.atEnd()) {
                end += layout.recordsLength(block.variables().size());
            }
            List<VariableMeta> variables = new ArrayList<>();
            for (VariableMeta container : block.variables()) {
                order.putIfAbsent(
                        container.id(), container.idx() == VariableMeta.NO_IDX ? order.size() : container.idx());
                variables.add(place(layout, container, order.getOrDefault(container.id(), 0), end));
                end += container.containerSize();
            }
            blocks.add(new BlockMeta(variables, end - start));
        }
        PlacedFile file = new PlacedFile(layout, blocks, end);
        if (layout == Layout.E && file.size() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a file of layout E must be smaller than 2 GiB, this would have "
                    + file.size() + " bytes; layout F has no such limit");
        }
        return file;
    }

    private static VariableMeta place(Layout layout, VariableMeta container, int idx, long fptr) {
        return new VariableMeta(
                container.id(),
                layout.variable().has(Field.IDX) ? idx : VariableMeta.NO_IDX,
                container.containerId(),
                container.hasContent(),
                container.hasCkpt() && layout.variable().has(Field.HAS_CKPT),
                container.dptr(),
                fptr,
                container.chunkSize(),
                container.containerSize(),
                layout == Layout.A && !container.hasContent() ? HASH_OF_NOTHING : container.hash());
    }

    /**
     * Returns the blocks of the file to be written.
     *
     * @return blocks in file order
     */
    public List<BlockMeta> blocks() {
        return blocks;
    }

    /**
     * Returns the size of the file, {@code fs}.
     *
     * @return size in bytes
     */
    public long size() {
        return layout.atEnd() ? dataEnd + layout.metaSize(blocks) : dataEnd;
    }

    /**
     * Returns all records except the file record, with 0 as padding.
     *
     * @return one piece in layouts C to F, one for each block in A and B
     */
    public List<Piece> records() {
        List<Piece> pieces = new ArrayList<>();
        if (layout.atEnd()) {
            ByteBuffer area = ByteBuffer.allocate(Math.toIntExact(layout.metaSize(blocks) - layout.fileMetaLength()));
            blocks.forEach(block -> layout.put(area, block));
            pieces.add(new Piece(dataEnd, area.flip()));
            return pieces;
        }
        long start = layout.fileMetaLength();
        for (BlockMeta block : blocks) {
            ByteBuffer records = ByteBuffer.allocate(
                    Math.toIntExact(layout.recordsLength(block.variables().size())));
            layout.put(records, block);
            pieces.add(new Piece(start, records.flip()));
            start += block.dbsize();
        }
        return pieces;
    }

    /**
     * Returns the checksum that C FTI's reader requires.
     *
     * @param file the file with all data and {@link #records}; read only in layouts A and B, whose checksum covers
     *     bytes
     * @return 32 lower-case hexadecimal digits
     * @throws IOException the file cannot be read
     */
    public String checksum(ByteSource file) throws IOException {
        if (layout.atEnd()) {
            return Digests.checksum(blocks);
        }
        return Digests.ofRanges(
                file, layout.checksummed(size(), blocks.stream().flatMap(block -> block.variables().stream())));
    }

    /**
     * Makes the file record.
     *
     * @param checksum the result of {@link #checksum}
     * @param ckptId id of the checkpoint, 0 or above; A and B do not keep it
     * @param timestamp nanoseconds since 1970; E and F keep the low 32 bits
     * @param maxFs at level 3, the largest file of the group, plus 8 in layouts C to F; otherwise -1
     * @param ptFs at level 2, the size of the partner copy on this node; otherwise -1
     * @return a record with both digests
     * @throws IllegalArgumentException layout E cannot hold one of the sizes
     */
    public FileMeta seal(String checksum, int ckptId, long timestamp, long maxFs, long ptFs) {
        boolean atEnd = layout.atEnd();
        int absent = (int) RecordFormat.ABSENT;
        return layout.sign(new FileMeta(
                checksum,
                VariableMeta.NO_HASH,
                atEnd ? ckptId : absent,
                size(),
                atEnd ? layout.metaSize(blocks) : absent,
                atEnd ? dataEnd : absent,
                size(),
                maxFs,
                ptFs,
                layout.kept(timestamp)));
    }

    /**
     * Returns the file record as bytes, with 0 as padding.
     *
     * @param meta the result of {@link #seal}
     * @return the last bytes of the file in layouts C to F, the first in A and B
     */
    public Piece fileRecord(FileMeta meta) {
        ByteBuffer record = ByteBuffer.allocate(layout.fileMetaLength());
        layout.put(record, meta);
        return new Piece(layout.atEnd() ? size() - record.capacity() : 0, record.flip());
    }
}
