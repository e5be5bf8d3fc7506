package io.drumlin.cli.launch;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;

/**
 * The signals by which batch systems tell a job something, and which would end this JVM. They come by {@code
 * sun.misc.Signal}, called by reflection because javac warns about a direct call.
 */
final class PassedSignals {

    /** The JVM keeps SIGUSR2 for itself, unless it is told to take another one. */
    private static final List<String> NAMES = List.of("USR1", "USR2", "XCPU", "ALRM");

    private PassedSignals() {}

    /**
     * Receives the signals from now on.
     *
     * @param receiver is given the name of a signal, such as USR1, on a thread of its own
     */
    static void receive(Consumer<String> receiver) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Method handle = signal.getMethod("handle", signal, handler);
            for (String name : NAMES) {
                Object proxy = Proxy.newProxyInstance(
                        PassedSignals.class.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                            if (method.getName().equals("handle")) {
                                receiver.accept(name);
                            }
                            return null;
                        });
                install(handle, signal.getConstructor(String.class).newInstance(name), proxy);
            }
        } catch (ReflectiveOperationException e) {
            // This JVM has no module jdk.unsupported, so its signals stay as they are.
            return;
        }
    }

    private static void install(Method handle, Object signal, Object proxy) throws IllegalAccessException {
        try {
            handle.invoke(null, signal, proxy);
        } catch (InvocationTargetException e) {
            // The JVM uses this one itself, or all with -Xrs.
            return;
        }
    }
}
