package io.drumlin.format.hdf5;

import java.util.List;
import java.util.Optional;

/** An array of elements as one element. */
record ArrayType(Datatype element, List<Long> dimensions, int size) implements Datatype {

    static final int CLASS = 10;

    ArrayType {
        dimensions = List.copyOf(dimensions);
    }

    /** @throws ArithmeticException the elements are 2 GiB or more */
    ArrayType(Datatype element, List<Long> dimensions) {
        this(
                element,
                dimensions,
                Math.toIntExact(dimensions.stream().reduce((long) element.size(), Math::multiplyExact)));
    }

    @Override
    public Optional<String> difference(Datatype here) {
        return here instanceof ArrayType other && dimensions.equals(other.dimensions)
                ? element.difference(other.element)
                : ScalarType.differenceOf(this, here);
    }

    @Override
    public String toString() {
        return "array " + dimensions + " of " + element;
    }
}
