package io.drumlin.format.ftiff;

import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** Files of any layout, written in memory by way of {@link PlacedFile}. */
final class WrittenFiles {

    private WrittenFiles() {}

    /** The bytes of a chunk. */
    @FunctionalInterface
    interface Content {
        byte[] of(VariableMeta container);

        static Content random(Random random) {
            return container -> {
                byte[] chunk = new byte[(int) container.chunkSize()];
                random.nextBytes(chunk);
                return chunk;
            };
        }
    }

    /** A plain file. */
    static byte[] plain(Layout layout, ContainerPlan plan, long maxFs, long ptFs, Content content) throws IOException {
        PlacedFile file = PlacedFile.of(layout, plan);
        byte[] bytes = new byte[(int) file.size()];
        List<byte[]> digests = new ArrayList<>();
        for (BlockMeta block : file.blocks()) {
            for (VariableMeta container : block.variables()) {
                if (container.hasContent()) {
                    byte[] chunk = content.of(container);
                    System.arraycopy(chunk, 0, bytes, (int) container.fptr(), chunk.length);
                    digests.add(Digests.md5().digest(chunk));
                }
            }
        }
        PlacedFile hashed = PlacedFile.of(layout, plan.withHashes(digests));
        hashed.records().forEach(piece -> put(bytes, piece));
        String checksum = hashed.checksum(new MemoryByteSource(ByteBuffer.wrap(bytes)));
        put(bytes, hashed.fileRecord(hashed.seal(checksum, 3, 1_600_000_000_123_456_789L, maxFs, ptFs)));
        return bytes;
    }

    private static void put(byte[] file, Piece piece) {
        ByteBuffer.wrap(file)
                .put((int) piece.offset(), piece.bytes(), 0, piece.bytes().remaining());
    }

    /** The file of a first checkpoint, one variable of 0 bytes. */
    static byte[] first(Layout layout, Random random) throws IOException {
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT).next(sizes(30, 0, 17));
        return plain(layout, plan, -1, 4000, Content.random(random));
    }

    /**
     * The file of a later checkpoint, with several blocks, and containers that are full, partly used, emptied and of size
     * 0.
     */
    static byte[] later(Layout layout, Random random) throws IOException {
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT)
                .next(sizes(30, 100, 0, 17))
                .next(sizes(50, 160, 0, 17, 5))
                .next(sizes(40, 70, 0, 17, 0));
        long size = PlacedFile.of(layout, plan).size();
        return plain(layout, plan, size + 50, -1, Content.random(random));
    }

    private static List<VariableSize> sizes(long... sizes) {
        List<VariableSize> list = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++) {
            list.add(new VariableSize(2 * i + 1, sizes[i]));
        }
        return list;
    }

    /** A file that passes for a Reed-Solomon file: nobody can see from one alone what its bytes were made of. */
    static byte[] encoded(Layout layout, Random random) {
        byte[] encoded = new byte[300];
        random.nextBytes(encoded);
        String checksum = HexFormat.of().formatHex(Digests.md5().digest(encoded));
        FileMeta meta = layout.sign(new FileMeta(
                checksum, VariableMeta.NO_HASH, 3, 270, 0, 0, encoded.length, encoded.length, -1, 1_600_000_000L));
        ByteBuffer bytes =
                ByteBuffer.allocate(encoded.length + layout.fileMetaLength()).put(encoded);
        layout.put(bytes, meta);
        return bytes.array();
    }
}
