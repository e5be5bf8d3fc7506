package io.drumlin.bench;

import io.drumlin.bench.FileOperation.Kind;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The default file systems of the JDK, and who is told of each operation on a name. The system property {@value #PROPERTY}
 * makes it the default file system of a JVM. So nothing that Java code does in files passes by; what native code does,
 * does. With the storage engine {@code nio} there is none of it. Thread-safe.
 */
public final class WatchedFileSystemProvider extends FileSystemProvider {

    /** Names the provider of the default file system, when a JVM starts. */
    static final String PROPERTY = "java.nio.file.spi.DefaultFileSystemProvider";

    private static final ThreadLocal<@Nullable Watcher> OF_THREAD = new ThreadLocal<>();

    private final FileSystemProvider real;
    private final FileSystem fileSystem;

    /**
     * Called by the JDK.
     *
     * @param real the JDK's own provider
     */
    public WatchedFileSystemProvider(FileSystemProvider real) {
        this.real = real;
        fileSystem = new WatchedFileSystem(this, real.getFileSystem(URI.create("file:///")));
    }

    /** Learns of operations before they are done. */
    @FunctionalInterface
    interface Watcher {
        void sees(Kind kind, String path);
    }

    /** Returns whether this JVM was started with it. */
    static boolean isDefault() {
        return FileSystems.getDefault().provider() instanceof WatchedFileSystemProvider;
    }

    /** Sets the watcher that learns what the calling thread does; none if it is null. */
    static void watchThread(@Nullable Watcher watcher) {
        OF_THREAD.set(watcher);
    }

    /** Tells who watches, and returns the JDK's path. */
    static Path told(Kind kind, Path path) {
        Watcher watcher = OF_THREAD.get();
        if (watcher != null) {
            watcher.sees(kind, path.toString());
        }
        return WatchedPath.real(path);
    }

    private Path watched(Path path) {
        return WatchedPath.of(path, fileSystem);
    }

    @Override
    public String getScheme() {
        return real.getScheme();
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) throws IOException {
        return real.newFileSystem(uri, environment);
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        return fileSystem;
    }

    @Override
    public Path getPath(URI uri) {
        return watched(real.getPath(uri));
    }

    /** A directory is opened like a file only to be synced. */
    private Kind opened(Path path, Set<? extends OpenOption> options) throws IOException {
        if (options.contains(StandardOpenOption.CREATE) || options.contains(StandardOpenOption.CREATE_NEW)) {
            return Kind.CREATE;
        }
        boolean directory = !options.contains(StandardOpenOption.WRITE) && isDirectory(path);
        return directory ? Kind.SYNC : Kind.OPEN;
    }

    private boolean isDirectory(Path path) {
        try {
            return real.readAttributes(WatchedPath.real(path), BasicFileAttributes.class)
                    .isDirectory();
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return real.newFileChannel(told(opened(path, options), path), options, attributes);
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return real.newByteChannel(told(opened(path, options), path), options, attributes);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        DirectoryStream<Path> names =
                real.newDirectoryStream(told(Kind.LIST, directory), entry -> filter.accept(watched(entry)));
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                Iterator<Path> next = names.iterator();
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return next.hasNext();
                    }

                    @Override
                    public Path next() {
                        told(Kind.NAME, directory);
                        return watched(next.next());
                    }
                };
            }

            @Override
            public void close() throws IOException {
                names.close();
            }
        };
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        real.createDirectory(told(Kind.MAKE_DIRECTORY, directory), attributes);
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        real.createLink(told(Kind.CHANGE, link), WatchedPath.real(existing));
    }

    @Override
    public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes) throws IOException {
        real.createSymbolicLink(told(Kind.CREATE, link), WatchedPath.real(target), attributes);
    }

    @Override
    public Path readSymbolicLink(Path link) throws IOException {
        return watched(real.readSymbolicLink(told(Kind.STAT, link)));
    }

    @Override
    public void delete(Path path) throws IOException {
        real.delete(told(Kind.DELETE, path));
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        real.copy(told(Kind.OPEN, source), told(Kind.CREATE, target), options);
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        real.move(told(Kind.RENAME, source), WatchedPath.real(target), options);
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        return real.isSameFile(told(Kind.STAT, path), told(Kind.STAT, other));
    }

    @Override
    public boolean isHidden(Path path) throws IOException {
        return real.isHidden(told(Kind.STAT, path));
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        return real.getFileStore(told(Kind.STAT, path));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        real.checkAccess(told(Kind.STAT, path), modes);
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        return real.getFileAttributeView(told(Kind.CHANGE, path), type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        return real.readAttributes(told(Kind.STAT, path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return real.readAttributes(told(Kind.STAT, path), attributes, options);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        real.setAttribute(told(Kind.CHANGE, path), attribute, value, options);
    }
}
