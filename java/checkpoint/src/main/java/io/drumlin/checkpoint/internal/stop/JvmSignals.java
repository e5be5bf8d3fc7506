package io.drumlin.checkpoint.internal.stop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;

/**
 * The signal handlers of the JVM: {@code sun.misc.Signal} of the module jdk.unsupported, called by reflection because
 * javac warns about a direct call and the module may be missing.
 */
final class JvmSignals {

    private final Class<?> signalClass;
    private final Class<?> handlerClass;
    private final Method handle;

    /** @throws ReflectiveOperationException this JVM has no jdk.unsupported */
    JvmSignals() throws ReflectiveOperationException {
        signalClass = Class.forName("sun.misc.Signal");
        handlerClass = Class.forName("sun.misc.SignalHandler");
        handle = signalClass.getMethod("handle", signalClass, handlerClass);
    }

    /** Makes a handler that receives the name of the signal, such as TERM. It runs on a thread of its own. */
    Object handler(Consumer<String> receiver) {
        return Proxy.newProxyInstance(
                JvmSignals.class.getClassLoader(), new Class<?>[] {handlerClass}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "handle" -> {
                            receiver.accept(arguments[0].toString().replaceFirst("^SIG", ""));
                            yield null;
                        }
                        case "equals" -> proxy == arguments[0];
                        case "hashCode" -> System.identityHashCode(proxy);
                        default -> "Drumlin's signal handler";
                    };
                });
    }

    /**
     * Installs a handler.
     *
     * @return the handler before
     * @throws IllegalArgumentException the JVM keeps the signal, as with -Xrs
     */
    Object install(String name, Object handler) throws ReflectiveOperationException {
        try {
            return handle.invoke(null, signalClass.getConstructor(String.class).newInstance(name), handler);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(String.valueOf(e.getCause()), e);
        }
    }

    /**
     * Returns whether a signal had the handler that a JVM starts with. A handler of the program, in Java or not, is
     * something else.
     */
    boolean isOfJvm(Object handler) throws ReflectiveOperationException {
        boolean wrapped = handler.getClass().getName().startsWith("sun.misc.");
        return handler == handlerClass.getField("SIG_DFL").get(null)
                || (wrapped && handler.toString().startsWith("java.lang.Terminator"));
    }

    /** Lets a handler do its work. */
    void call(Object handler, String name) throws ReflectiveOperationException {
        Object signal = signalClass.getConstructor(String.class).newInstance(name);
        handlerClass.getMethod("handle", signalClass).invoke(handler, signal);
    }
}
