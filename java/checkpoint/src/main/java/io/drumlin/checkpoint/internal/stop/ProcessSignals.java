package io.drumlin.checkpoint.internal.stop;

import java.lang.System.Logger;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The signals of this process that ask a job to stop. A signal is only noted. If SIGTERM comes again later, the JVM ends
 * as it does without this class. Handlers of the program are left alone. Thread-safe.
 */
public final class ProcessSignals {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** The variable that moves the JVM's own use of SIGUSR2 to another signal. */
    private static final String SIGNAL_OF_THE_JVM = "_JAVA_SR_SIGNUM";

    private static final String TERM = "TERM";

    /** A batch system and its launcher may both send one SIGTERM. */
    private static final long SAME_SIGNAL_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The handlers that were replaced, by the names of their signals. */
    private static final Map<String, Object> REPLACED = new LinkedHashMap<>();

    private static final List<Runnable> ON_TERM = new CopyOnWriteArrayList<>();

    private static int users;
    private static @Nullable JvmSignals jvm;
    private static @Nullable Object ours;
    private static volatile @Nullable StopReason received;
    private static long termNanos;

    private ProcessSignals() {}

    /**
     * Starts to note signals, until {@link #leave} is called as often.
     *
     * @param onTerm what is done after SIGTERM, on a thread of its own
     */
    public static synchronized void listen(Runnable onTerm) {
        ON_TERM.add(onTerm);
        if (users++ > 0) {
            return;
        }
        try {
            JvmSignals signals = new JvmSignals();
            jvm = signals;
            Object handler = signals.handler(ProcessSignals::note);
            ours = handler;
            for (String name : names()) {
                install(signals, handler, name);
            }
        } catch (ReflectiveOperationException e) {
            LOG.log(Logger.Level.WARNING, "no signal stops this job, because the JVM has no module jdk.unsupported");
        }
    }

    /** Without the variable the JVM stops threads by SIGUSR2, and one from outside ends it with an error. */
    private static List<String> names() {
        return System.getenv(SIGNAL_OF_THE_JVM) == null ? List.of(TERM, "USR1") : List.of(TERM, "USR1", "USR2");
    }

    private static void install(JvmSignals signals, Object handler, String name) throws ReflectiveOperationException {
        try {
            Object before = signals.install(name, handler);
            if (signals.isOfJvm(before)) {
                REPLACED.put(name, before);
            } else {
                signals.install(name, before);
                LOG.log(Logger.Level.INFO, "SIG{0} does not stop this job: the program handles it itself", name);
            }
        } catch (IllegalArgumentException e) {
            LOG.log(Logger.Level.INFO, "SIG{0} does not stop this job: {1}", name, e.getMessage());
        }
    }

    private static void note(String name) {
        if (name.equals(TERM) && comesAgain()) {
            end();
            return;
        }
        StopReason reason = StopReason.valueOf("SIG" + name);
        StopReason before = received;
        if (before == null || before.compareTo(reason) < 0) {
            received = reason;
        }
        if (name.equals(TERM)) {
            ON_TERM.forEach(Runnable::run);
        }
    }

    private static synchronized boolean comesAgain() {
        long now = System.nanoTime();
        boolean again = termNanos != 0 && now - termNanos > SAME_SIGNAL_NANOS;
        if (termNanos == 0) {
            termNanos = now;
        }
        return again;
    }

    /** Ends this process as SIGTERM does without this class. */
    private static void end() {
        Object before;
        JvmSignals signals;
        synchronized (ProcessSignals.class) {
            before = REPLACED.get(TERM);
            signals = jvm;
        }
        try {
            if (before != null && signals != null) {
                signals.call(before, TERM);
            }
        } catch (ReflectiveOperationException e) {
            LOG.log(Logger.Level.WARNING, "SIGTERM came again and cannot be obeyed", e);
        }
    }

    /**
     * Stops to note signals, and gives them back unless someone else has taken them.
     *
     * @param onTerm what was given to {@link #listen}
     */
    public static synchronized void leave(Runnable onTerm) {
        ON_TERM.remove(onTerm);
        if (--users > 0 || jvm == null) {
            return;
        }
        REPLACED.forEach(ProcessSignals::giveBack);
        REPLACED.clear();
    }

    private static void giveBack(String name, Object before) {
        try {
            JvmSignals signals = jvm;
            if (signals == null) {
                return;
            }
            Object present = signals.install(name, before);
            if (present != ours) {
                signals.install(name, present);
            }
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            LOG.log(Logger.Level.DEBUG, "SIG{0} keeps its handler: {1}", name, e);
        }
    }

    /** Returns the signal that has come since this process began, if one has. */
    static Optional<StopReason> received() {
        return Optional.ofNullable(received);
    }

    /**
     * The signal handlers of the JVM: {@code sun.misc.Signal} of the module jdk.unsupported, called by reflection because
     * javac warns about a direct call and the module may be missing.
     */
    private static final class JvmSignals {

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
                return handle.invoke(
                        null, signalClass.getConstructor(String.class).newInstance(name), handler);
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
}
