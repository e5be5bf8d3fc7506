package io.drumlin.comm;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Counts the communicators that were made of others and that nobody has closed. Thread-safe. */
public final class OpenCommunicators {

    private final Set<Communicator> open =
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    /** Returns how many are open. */
    public int count() {
        return open.size();
    }

    /**
     * Returns a view of a communicator that counts those that are made of it, and of those.
     *
     * @param real does all; not counted
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
                    if (method.getName().equals("close")) {
                        open.remove(real);
                    }
                    if (result instanceof Communicator made) {
                        open.add(made);
                        return of(made);
                    }
                    return result;
                });
    }
}
