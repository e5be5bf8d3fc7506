package io.drumlin.comm;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;

/** Communicators whose large messages of one tag come with a wrong byte. */
public final class SpoiledSends {

    private SpoiledSends() {}

    /**
     * @param real does the work
     * @param tag of the messages
     * @param least bytes of the messages
     * @return a view of it, and of what is split from it
     */
    public static Communicator of(Communicator real, int tag, int least) {
        return (Communicator) Proxy.newProxyInstance(
                Communicator.class.getClassLoader(),
                new Class<?>[] {Communicator.class},
                (proxy, method, arguments) -> {
                    try {
                        if (method.getName().equals("startSend")
                                && arguments[2].equals(tag)
                                && ((ByteBuffer) arguments[0]).remaining() >= least) {
                            return real.startSend(spoiled((ByteBuffer) arguments[0]), (int) arguments[1], tag);
                        }
                        Object result = method.invoke(real, arguments);
                        return result instanceof Communicator split ? of(split, tag, least) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static ByteBuffer spoiled(ByteBuffer message) {
        ByteBuffer copy = ByteBuffer.allocateDirect(message.remaining());
        copy.put(message.duplicate()).flip();
        int middle = copy.limit() / 2;
        return copy.put(middle, (byte) (copy.get(middle) ^ 1));
    }
}
