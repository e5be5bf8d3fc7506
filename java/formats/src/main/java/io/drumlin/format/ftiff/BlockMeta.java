package io.drumlin.format.ftiff;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A variable chunk block, VCB ({@code FTIFF_db}): the containers that one checkpoint added; docs/formats/fti-ff.md,
 * sections 3 and 6.
 *
 * @param variables the containers in file order; {@code numvars} on disk is their number
 * @param dbsize size of the containers in bytes; in layouts A and B it includes the records of the block
 */
public record BlockMeta(List<VariableMeta> variables, long dbsize) {

    /**
     * Copies the list, unless it belongs to a file and so cannot change.
     *
     * @param variables the containers in file order
     * @param dbsize size in bytes
     */
    public BlockMeta {
        variables = variables instanceof ContainerRecords ? variables : List.copyOf(variables);
    }

    /**
     * Returns the containers that have content.
     *
     * @param blocks the blocks of a file, in file order
     * @return containers in file order
     */
    public static List<VariableMeta> chunks(List<BlockMeta> blocks) {
        List<VariableMeta> chunks = new ArrayList<>();
        for (BlockMeta block : blocks) {
            for (VariableMeta container : block.variables()) {
                if (container.hasContent()) {
                    chunks.add(container);
                }
            }
        }
        return Collections.unmodifiableList(chunks);
    }

    /**
     * Returns the size of each variable in all its containers.
     *
     * @param blocks the blocks of a file, in file order
     * @return sizes in bytes by id, in the order of the variables' first containers
     */
    public static Map<Integer, Long> sizes(List<BlockMeta> blocks) {
        Map<Integer, Long> sizes = new LinkedHashMap<>();
        for (BlockMeta block : blocks) {
            for (VariableMeta container : block.variables()) {
                sizes.merge(container.id(), container.chunkSize(), Long::sum);
            }
        }
        return sizes;
    }
}
