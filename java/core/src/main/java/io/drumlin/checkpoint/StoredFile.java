package io.drumlin.checkpoint;

import io.drumlin.format.ftiff.BlockMeta;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.VariableMeta;
import java.util.List;

/** The metadata of a plain checkpoint file that was read or has just been written. */
record StoredFile(FileMeta meta, List<BlockMeta> blocks) {

    static StoredFile of(FtiFfFile file) {
        return new StoredFile(file.meta(), List.copyOf(file.blocks()));
    }

    /** The containers that have content, in file order. */
    List<VariableMeta> chunks() {
        return blocks.stream()
                .flatMap(block -> block.variables().stream())
                .filter(VariableMeta::hasContent)
                .toList();
    }

    boolean contains(int id) {
        return chunks().stream().anyMatch(chunk -> chunk.id() == id);
    }

    /** Ids of the stored variables in the order of their first container. */
    List<Integer> ids() {
        return blocks.stream()
                .flatMap(block -> block.variables().stream())
                .map(VariableMeta::id)
                .distinct()
                .toList();
    }

    /** Bytes of a variable; 0 when it is not stored. */
    long size(int id) {
        return chunks().stream()
                .filter(chunk -> chunk.id() == id)
                .mapToLong(VariableMeta::chunkSize)
                .sum();
    }
}
