package io.drumlin.cli;

import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.SequentialDigester;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.PlacedFile;
import io.drumlin.format.ftiff.VariableMeta;
import io.drumlin.format.internal.RangeDigester.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;

/** FTI-FF files with given variables. */
public final class FtiFfFiles {

    private FtiFfFiles() {}

    /**
     * Writes a file.
     *
     * @param variables the bytes of the variables by id
     * @param before the sizes that the first variable had in earlier checkpoints, so that it has as many containers
     */
    public static Path write(Path path, SortedMap<Integer, byte[]> variables, long... before) throws IOException {
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT);
        List<VariableSize> sizes = variables.entrySet().stream()
                .map(each -> new VariableSize(each.getKey(), each.getValue().length))
                .toList();
        for (long size : before) {
            plan = plan.next(List.of(new VariableSize(variables.firstKey(), size)));
        }
        plan = plan.next(sizes);
        PlacedFile placed = PlacedFile.of(Layout.F, plan);
        byte[] bytes = new byte[(int) placed.size()];
        List<VariableMeta> chunks = placed.blocks().stream()
                .flatMap(block -> block.variables().stream())
                .filter(VariableMeta::hasContent)
                .toList();
        for (VariableMeta chunk : chunks) {
            System.arraycopy(
                    variables.get(chunk.id()), (int) chunk.dptr(), bytes, (int) chunk.fptr(), (int) chunk.chunkSize());
        }
        MemoryByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
        List<byte[]> digests = new SequentialDigester()
                .digest(
                        source,
                        chunks.stream()
                                .map(chunk -> new Range(chunk.fptr(), chunk.chunkSize()))
                                .toList());
        PlacedFile hashed = PlacedFile.of(Layout.F, plan.withHashes(digests));
        hashed.records().forEach(piece -> put(bytes, piece));
        put(bytes, hashed.fileRecord(hashed.seal(hashed.checksum(source), 1, 0, -1, -1)));
        return Files.write(path, bytes);
    }

    private static void put(byte[] file, PlacedFile.Piece piece) {
        ByteBuffer.wrap(file)
                .put((int) piece.offset(), piece.bytes(), 0, piece.bytes().remaining());
    }
}
