package io.drumlin.format.ftiff;

import java.util.List;

/**
 * A variable chunk block, VCB ({@code FTIFF_db}): the containers that one checkpoint added; docs/formats/fti-ff.md,
 * sections 3 and 6.
 *
 * @param variables the containers in file order; {@code numvars} on disk is their number
 * @param dbsize bytes of the containers, in layouts A and B also those of the records of the block
 */
public record BlockMeta(List<VariableMeta> variables, long dbsize) {

    /**
     * Copies the list, unless it is that of a file, which nobody can change.
     *
     * @param variables the containers in file order
     * @param dbsize bytes
     */
    public BlockMeta {
        variables = variables instanceof ContainerRecords ? variables : List.copyOf(variables);
    }
}
