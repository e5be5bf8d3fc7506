package io.drumlin.comm;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** Communicators that cannot start sending. */
public final class FailingSends {

    private FailingSends() {}

    /**
     * @param real does all else
     * @return a view of it
     */
    public static Communicator of(Communicator real) {
        return after(0, real);
    }

    /**
     * @param started sends that can be started before
     * @param real does all else
     * @return a view of it
     */
    public static Communicator after(int started, Communicator real) {
        AtomicInteger left = new AtomicInteger(started);
        return (Communicator) Proxy.newProxyInstance(
                Communicator.class.getClassLoader(),
                new Class<?>[] {Communicator.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("startSend") && left.getAndDecrement() <= 0) {
                        throw new IOException("no sends here");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /**
     * Whether a receive that was started before, from this rank itself, still takes messages.
     *
     * @param world of one rank
     * @param tag of the receive
     * @return false where a message can be received after it was sent
     * @throws IOException never
     */
    public static boolean anyReceiveWaits(Communicator world, int tag) throws IOException {
        world.send(ByteBuffer.allocate(1), 0, tag);
        return !world.hasMessage(0, tag);
    }
}
