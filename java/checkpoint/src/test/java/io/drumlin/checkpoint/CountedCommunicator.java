package io.drumlin.checkpoint;

import io.drumlin.comm.Communicator;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Communicators whose calls are counted. */
final class CountedCommunicator {

    private CountedCommunicator() {}

    /**
     * Returns the same communicator, which counts its calls and those of all communicators made from it.
     *
     * @param counted tells by the name of a method whether its calls count
     */
    static Communicator of(Communicator real, Predicate<String> counted, AtomicInteger calls) {
        return (Communicator) Proxy.newProxyInstance(
                Communicator.class.getClassLoader(),
                new Class<?>[] {Communicator.class},
                (proxy, method, arguments) -> {
                    if (counted.test(method.getName())) {
                        calls.incrementAndGet();
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof Communicator made ? of(made, counted, calls) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
