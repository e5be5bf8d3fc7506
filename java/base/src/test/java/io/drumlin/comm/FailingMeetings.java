package io.drumlin.comm;

import io.drumlin.DrumlinException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Collective calls of one rank of which one fails there, after that rank has taken part: for all others it went well. */
public final class FailingMeetings {

    private static final Set<String> COLLECTIVE =
            Set.of("barrier", "allreduce", "bcast", "gather", "scatter", "allgather");

    private final AtomicInteger left = new AtomicInteger();
    private volatile BooleanSupplier condition = () -> true;
    private final AtomicBoolean happened = new AtomicBoolean();

    /**
     * Lets a collective call fail.
     *
     * @param nth which of the next ones, from 1
     */
    public void arm(int nth) {
        left.set(nth);
    }

    /**
     * Lets the first collective call fail during which something is the case.
     *
     * @param when whether it is the case
     */
    public void arm(BooleanSupplier when) {
        condition = when;
        left.set(1);
    }

    /**
     * Whether it has failed.
     *
     * @return true once
     */
    public boolean happened() {
        return happened.get();
    }

    /**
     * A view of a communicator whose calls, and those of the communicators made of it, are counted.
     *
     * @param real does all
     * @return to be used instead of it
     */
    public Communicator of(Communicator real) {
        return (Communicator) Proxy.newProxyInstance(
                Communicator.class.getClassLoader(),
                new Class<?>[] {Communicator.class},
                (proxy, method, arguments) -> {
                    Object result;
                    try {
                        result = method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (COLLECTIVE.contains(method.getName())
                            && condition.getAsBoolean()
                            && left.getAndDecrement() == 1) {
                        happened.set(true);
                        throw new MeetingException(
                                DrumlinException.during(method.getName()).problem("the network is down"));
                    }
                    return result instanceof Communicator made ? of(made) : result;
                });
    }
}
