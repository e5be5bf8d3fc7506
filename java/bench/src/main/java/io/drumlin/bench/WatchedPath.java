package io.drumlin.bench;

import io.drumlin.bench.FileOperation.Kind;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A path of the JDK that names another file system as its own. */
final class WatchedPath implements InvocationHandler {

    private final Path real;
    private final FileSystem fileSystem;

    private WatchedPath(Path real, FileSystem fileSystem) {
        this.real = real;
        this.fileSystem = fileSystem;
    }

    static Path of(Path real, FileSystem fileSystem) {
        return (Path) Proxy.newProxyInstance(
                WatchedPath.class.getClassLoader(), new Class<?>[] {Path.class}, new WatchedPath(real, fileSystem));
    }

    /** The JDK's path behind one that {@link #of} has made; others as they are. */
    static Path real(Path path) {
        return (Path) real((Object) path);
    }

    private static Object real(Object value) {
        return Proxy.isProxyClass(value.getClass()) && Proxy.getInvocationHandler(value) instanceof WatchedPath path
                ? path.real
                : value;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getName().equals("getFileSystem")) {
            return fileSystem;
        }
        if (method.isDefault()) {
            return InvocationHandler.invokeDefault(proxy, method, arguments);
        }
        if (method.getName().equals("toRealPath")) {
            WatchedFileSystemProvider.told(Kind.STAT, real);
        }
        @Nullable Object[] own = arguments == null ? new Object[0] : arguments.clone();
        for (int i = 0; i < own.length; i++) {
            Object argument = own[i];
            own[i] = argument == null ? null : real(argument);
        }
        try {
            Object result = method.invoke(real, own);
            return result instanceof Path path ? of(path, fileSystem) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
