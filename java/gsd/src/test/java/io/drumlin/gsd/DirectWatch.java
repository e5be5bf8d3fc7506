package io.drumlin.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what a real engine writes, directly and through the page cache, or refuses direct files. Thread-safe. */
final class DirectWatch {

    /** What becomes of files that are to be direct. */
    enum Answer {
        /** They are opened. */
        DIRECT,
        /** They are opened buffered, as where the file system refuses. */
        BUFFERED,
        /** They are not opened. */
        FAILURE
    }

    private final StorageEngine real;
    private final Answer answer;
    private final AtomicLong direct = new AtomicLong();
    private final AtomicLong buffered = new AtomicLong();

    DirectWatch(StorageEngine real, Answer answer) {
        this.real = real;
        this.answer = answer;
    }

    /** Bytes that were written to direct files. */
    long direct() {
        return direct.get();
    }

    /** Bytes that were written through the page cache. */
    long buffered() {
        return buffered.get();
    }

    /** The engine. */
    StorageEngine engine() {
        return (StorageEngine) proxy(StorageEngine.class, (method, arguments) -> {
            if (!method.getName().equals("open")) {
                return method.invoke(real, arguments);
            }
            @SuppressWarnings("unchecked")
            Set<OpenMode> modes = EnumSet.copyOf((Set<OpenMode>) arguments[1]);
            Path path = (Path) arguments[0];
            if (modes.contains(OpenMode.DIRECT) && answer == Answer.FAILURE) {
                throw DrumlinException.during("injected open")
                        .path(path)
                        .errno("EINVAL")
                        .exception();
            }
            if (answer == Answer.BUFFERED) {
                modes.remove(OpenMode.DIRECT);
            }
            return watched(real.open(path, modes));
        });
    }

    private BlockFile watched(BlockFile file) {
        AtomicLong count = file.direct() ? direct : buffered;
        return (BlockFile) proxy(BlockFile.class, (method, arguments) -> {
            if (method.getName().equals("write") || method.getName().equals("startWrite")) {
                count.addAndGet(((ByteBuffer) arguments[0]).remaining());
            }
            return method.invoke(file, arguments);
        });
    }

    private interface Call {
        Object make(Method method, Object[] arguments) throws Exception;
    }

    private static Object proxy(Class<?> type, Call call) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            try {
                return call.make(method, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }
}
