package io.drumlin.checkpoint;

import io.drumlin.format.ftiff.BlockMeta;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.VariableMeta;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The metadata of a plain checkpoint file that was read or has just been written.
 *
 * @param sizes bytes of each stored variable, by id in the order of their first container
 */
record StoredFile(FileMeta meta, List<BlockMeta> blocks, Map<Integer, Long> sizes) {

    static StoredFile of(FtiFfFile file) {
        return of(file.meta(), List.copyOf(file.blocks()));
    }

    static StoredFile of(FileMeta meta, List<BlockMeta> blocks) {
        Map<Integer, Long> sizes = new LinkedHashMap<>();
        blocks.stream()
                .flatMap(block -> block.variables().stream())
                .forEach(container -> sizes.merge(container.id(), container.chunkSize(), Long::sum));
        return new StoredFile(meta, blocks, sizes);
    }

    /** The containers that have content, in file order. */
    List<VariableMeta> chunks() {
        return blocks.stream()
                .flatMap(block -> block.variables().stream())
                .filter(VariableMeta::hasContent)
                .toList();
    }

    boolean contains(int id) {
        return sizes.containsKey(id);
    }

    /** Bytes of a variable; 0 when it is not stored. */
    long size(int id) {
        return sizes.getOrDefault(id, 0L);
    }
}
