package io.drumlin.integrity;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Sums of multiples of memory regions, taken for sequences of elements of GF(2^16): little-endian words of two bytes. All
 * that a Reed-Solomon code does with data.
 *
 * <p>Not thread-safe; each thread makes its own. {@code Gf16Engine} chooses the implementation.
 */
@FunctionalInterface
public interface Gf16Regions {

    /**
     * Adds to a region the sum of {@code coefficients[i]} times source {@code i}. Addition is exclusive or. One call with
     * all sources is faster than one for each.
     *
     * @param target a direct buffer; its remaining bytes, an even number, are the region. An odd tail is for the caller to
     *     complete by a zero byte. Position and limit stay
     * @param sources direct buffers with as many remaining bytes each, which do not overlap the target; they may be the same.
     *     Left unchanged
     * @param coefficients as many as sources, each 0 to 65535
     * @throws IllegalArgumentException a buffer is not direct, or numbers or lengths are not as demanded; the target is
     *     unchanged then
     */
    void accumulate(ByteBuffer target, List<ByteBuffer> sources, int[] coefficients);
}
