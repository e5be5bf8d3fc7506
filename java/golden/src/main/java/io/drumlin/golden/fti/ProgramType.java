package io.drumlin.golden.fti;

import java.nio.ByteBuffer;

/**
 * A type of a golden program, whose elements are filled byte by byte.
 *
 * @param name what the calls name it
 */
record ProgramType(String name, int id, int size) implements ValueType {

    @Override
    public ByteBuffer values(int rank, int variable, int generation, long count) {
        return ElementType.FTI_UCHR.values(rank, variable, generation, count * size);
    }
}
