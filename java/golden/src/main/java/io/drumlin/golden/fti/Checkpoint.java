package io.drumlin.golden.fti;

import io.drumlin.format.fti.CkptType;
import io.drumlin.golden.ftiff.LinearCount;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * A checkpoint that the program took.
 *
 * @param id id of the checkpoint
 * @param level as it was given to FTI
 * @param variables in the order of first protection
 * @param fileOrder ids of the variables in the order in which they were written
 * @param incremental whether they were written one by one
 */
record Checkpoint(int id, int level, List<Variable> variables, List<Integer> fileOrder, boolean incremental) {

    /** The level that {@code FTI_Checkpoint} is given for a differential checkpoint of level 4. */
    static final int DIFFERENTIAL = 8;

    /**
     * A variable at the time of a checkpoint.
     *
     * @param id id of the protected variable
     * @param count elements on an application rank
     * @param generation what it was filled with
     * @param name the attribute name
     * @param idChar the name that stands for the id
     * @param dimension the attribute dimension, if there is one: the number of elements when it was set
     */
    record Variable(
            int id,
            ValueType type,
            LinearCount count,
            int generation,
            String name,
            String idChar,
            Optional<LinearCount> dimension) {

        long countOn(int rank) {
            return count.on(rank);
        }

        List<Long> dimensionsOn(int rank) {
            return dimension.map(each -> each.on(rank)).stream().toList();
        }

        long bytesOn(int rank) {
            return countOn(rank) * type.size();
        }

        ByteBuffer values(int rank) {
            return type.values(rank, id, generation, countOn(rank));
        }
    }

    CkptType type() {
        return level == DIFFERENTIAL ? CkptType.DCP : CkptType.FULL;
    }

    Variable variable(int wanted) {
        return variables.stream()
                .filter(variable -> variable.id() == wanted)
                .findFirst()
                .orElseThrow();
    }

    /** The bytes of a rank's file. */
    ByteBuffer data(int rank) {
        List<ByteBuffer> parts =
                fileOrder.stream().map(id -> variable(id).values(rank)).toList();
        ByteBuffer data = ByteBuffer.allocate(
                parts.stream().mapToInt(ByteBuffer::remaining).sum());
        parts.forEach(data::put);
        return data.flip();
    }
}
