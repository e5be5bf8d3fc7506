package io.drumlin.golden.fti;

import io.drumlin.format.fti.CkptType;
import java.nio.ByteBuffer;
import java.util.List;

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

    /** What {@code FTI_Checkpoint} takes for level 4 of a differential checkpoint. */
    private static final int DIFFERENTIAL = 8;

    /**
     * A variable at the time of a checkpoint.
     *
     * @param id id of the protected variable
     * @param count elements on application rank 0
     * @param countPerRank elements more on each further rank
     * @param generation what it was filled with
     * @param name the attribute name
     * @param idChar the name that stands for the id
     * @param dims how many attribute dimensions; the first is the number of elements
     */
    record Variable(
            int id,
            ElementType type,
            long count,
            long countPerRank,
            int generation,
            String name,
            String idChar,
            int dims) {

        long countOn(int rank) {
            return count + countPerRank * rank;
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
