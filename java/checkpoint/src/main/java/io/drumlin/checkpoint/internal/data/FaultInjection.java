package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.internal.config.Injection;
import java.util.function.LongSupplier;

/**
 * Flips single bits in protected data, to test how a program copes with them: section {@code [injection]} of the
 * configuration (docs/configuration.md). Not thread-safe.
 */
public final class FaultInjection {

    private static final double NANOS_PER_SECOND = 1e9;

    private final Injection settings;
    private final boolean here;
    private final LongSupplier nanoClock;
    private int flips;
    private long last;

    /**
     * Creates an injection that flips bits as the configuration says.
     *
     * @param rank this rank of the application
     */
    public FaultInjection(Injection settings, int rank, LongSupplier nanoClock) {
        this.settings = settings;
        here = rank == settings.rank();
        this.nanoClock = nanoClock;
        last = nanoClock.getAsLong();
    }

    /**
     * Flips the bit if this is the configured rank, and the time and the number of flips allow it.
     *
     * @return whether it was flipped
     * @throws IllegalArgumentException the variable has no such element or bit, or does not hold floats or doubles
     */
    public boolean flip(int id, ProtectedData variable) {
        long now = nanoClock.getAsLong();
        boolean due = (now - last) / NANOS_PER_SECOND > settings.frequency();
        if (!here || !due || flips >= settings.number()) {
            return false;
        }
        DataType type = variable.type();
        boolean floating = type == ElementType.SFLT || type == ElementType.DBLE;
        boolean inside = settings.index() >= 0 && settings.index() < variable.size() / type.size();
        int bits = type.size() * Byte.SIZE;
        if (!floating || !inside || settings.position() < 0 || settings.position() >= bits) {
            throw new IllegalArgumentException("variable " + id + " is " + variable.size() / type.size()
                    + " elements of type " + type + ", and [injection] names bit " + settings.position()
                    + " of element " + settings.index() + ": only floats and doubles can be changed");
        }
        variable.flipBit((long) settings.index() * bits + settings.position());
        flips++;
        last = now;
        return true;
    }
}
