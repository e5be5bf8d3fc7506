package io.drumlin.integrity;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Computes sums of multiples of memory regions. A region is a sequence of elements of GF(2^16), which are little-endian
 * words of two bytes. A Reed-Solomon code needs no other operation on data.
 *
 * <p>Not thread-safe; each thread makes its own. {@code Gf16Engine} chooses the implementation.
 */
@FunctionalInterface
public interface Gf16Regions {

    /**
     * Adds to a region the sum of {@code coefficients[i]} times source {@code i}. Addition is exclusive or. One call
     * with all sources is faster than one call for each.
     *
     * @param target a direct buffer; its remaining bytes, an even number, are the region. The caller must complete an
     *     odd tail with a zero byte. Position and limit do not change
     * @param sources direct buffers with the same number of remaining bytes, which do not overlap the target; they may
     *     be the same. They do not change
     * @param coefficients one factor for each source, each 0 to 65535
     * @throws IllegalArgumentException a buffer is not direct, or numbers or lengths do not meet these conditions; the
     *     target is then unchanged
     */
    void accumulate(ByteBuffer target, List<ByteBuffer> sources, int[] coefficients);
}
