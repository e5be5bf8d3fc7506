package io.drumlin.format.hdf5;

import io.drumlin.DrumlinException;
import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.internal.Hdf5Library;
import io.drumlin.format.hdf5.internal.NewFile;
import io.drumlin.format.hdf5.internal.NewGroup;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The datasets of an HDF5 file of any kind, and their elements. {@link Hdf5File} reads the file if it can. If the file
 * is of another kind, an {@link Hdf5Library} reads it. Not thread-safe.
 */
public final class Hdf5Reader implements Closeable {

    private static final String ARTIFACT = "io.drumlin:drumlin-hdf5";
    private static final String SERVICE = "io.drumlin.hdf5";
    private static final int WINDOW = 1 << 20;

    /** Largest size in bytes of a file that the library reads and whose digest is known, because it is in memory. */
    public static final long MOST_COMPARED_BYTES = Integer.MAX_VALUE;

    private final @Nullable Hdf5File own;
    private final @Nullable DecodedElements decoded;
    private final List<StoredDataset> datasets;
    private final ByteSource elements;

    private Hdf5Reader(
            @Nullable Hdf5File own,
            @Nullable DecodedElements decoded,
            List<StoredDataset> datasets,
            ByteSource elements) {
        this.own = own;
        this.decoded = decoded;
        this.datasets = List.copyOf(datasets);
        this.elements = elements;
    }

    /**
     * Opens a file. A library gets its bytes from the path, unless they are compared while they are read.
     *
     * @param file the bytes of the file; must stay open as long as the result
     * @param path the file, for the library and for messages
     * @param compared whether {@code file} compares all bytes with a digest; then the library, too, gets them from there,
     *     and the whole file is in memory until {@link #close}
     * @return the datasets, to be closed by the caller
     * @throws FormatException the file is no HDF5 file, or is damaged
     * @throws IOException the file cannot be read; or it is of a kind that needs the library, and there is none
     */
    public static Hdf5Reader open(ByteSource file, Path path, boolean compared) throws IOException {
        try {
            Hdf5File own = Hdf5File.read(file);
            return new Hdf5Reader(own, null, own.datasets(), file);
        } catch (UnsupportedFeatureException e) {
            if (!e.isReadByLibrary()) {
                throw e;
            }
            return decoded(
                    library(path, e.finding() + ", which only the HDF5 library reads, and "), file, path, compared);
        }
    }

    /**
     * Checks that the library can be used, which reads the compressed files that Drumlin writes.
     *
     * @throws IOException there is no library, or it cannot be used
     */
    public static void requireLibrary() throws IOException {
        NewFile empty = NewFile.of(new NewGroup());
        ByteBuffer image =
                ByteBuffer.allocateDirect(Math.toIntExact(empty.size())).put(empty.metadata());
        Path path = Path.of("memory");
        try {
            library(path, "only the HDF5 library reads compressed files, and ")
                    .open(image.flip(), path)
                    .close();
        } catch (IOException e) {
            throw DrumlinException.during("start with [drumlin] h5_compression")
                    .problem("no restart could read compressed files: " + e.getMessage())
                    .advice("until the library can be used, delete h5_compression")
                    .cause(e)
                    .exception();
        }
    }

    private static Hdf5Reader decoded(Hdf5Library library, ByteSource file, Path path, boolean compared)
            throws IOException {
        DecodedElements decoded =
                new DecodedElements(compared ? library.open(image(file, path), path) : library.open(path));
        return new Hdf5Reader(null, decoded, decoded.datasets(), decoded);
    }

    /** Reads a whole file, so that the library decodes the very bytes that were compared. */
    private static ByteBuffer image(ByteSource file, Path path) throws IOException {
        if (file.size() > MOST_COMPARED_BYTES) {
            throw DrumlinException.during("reading HDF5")
                    .path(path)
                    .problem(
                            "the file has a digest and " + file.size() + " bytes, and the library can be given at most "
                                    + MOST_COMPARED_BYTES + " that were compared with one")
                    .advice("write the file in the first format with h5repack")
                    .exception();
        }
        ByteBuffer image = ByteBuffer.allocateDirect((int) file.size());
        while (image.position() < image.capacity()) {
            int length = Math.min(image.capacity() - image.position(), WINDOW);
            file.readFully(image.position(), image.limit(image.position() + length));
        }
        return image.flip();
    }

    /**
     * Finds the library that reads what this package does not.
     *
     * @param problem why it is needed, for a message that goes on with what is wrong with it
     */
    private static Hdf5Library library(Path path, String problem) throws DrumlinException {
        try {
            Optional<Hdf5Library> library =
                    ServiceLoader.load(Hdf5Library.class).findFirst();
            if (library.isPresent()) {
                return library.get();
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw DrumlinException.during("reading HDF5")
                    .path(path)
                    .problem(problem + "it does not load: " + e)
                    .advice("use jars of one Drumlin version, with all that " + ARTIFACT + " depends on")
                    .cause(e)
                    .exception();
        }
        // The cause tells that the file may be whole: a restart must not take an older checkpoint for it.
        throw DrumlinException.during("reading HDF5")
                .path(path)
                .problem(problem + ARTIFACT + " is not on the class path or module path")
                .advice("add " + ARTIFACT
                        + " with its dependencies, or write the file in the first format with h5repack")
                .cause(new ClassNotFoundException(SERVICE))
                .exception();
    }

    /**
     * Returns all datasets. The offsets of their chunks are those in {@link #elements}.
     *
     * @return the datasets
     */
    public List<StoredDataset> datasets() {
        return datasets;
    }

    /**
     * Returns the dataset of a path.
     *
     * @param path names from the root on, each with a slash before it
     * @return empty if there is none
     */
    public Optional<StoredDataset> dataset(String path) {
        return datasets.stream().filter(each -> each.path().equals(path)).findFirst();
    }

    /**
     * Returns the source in which the chunks of the datasets are.
     *
     * @return the file, or what the library has decoded
     */
    public ByteSource elements() {
        return elements;
    }

    /**
     * Returns whether a library reads the file, so that the elements are not in the file as they are in memory.
     *
     * @return whether {@link #elements} is not the file
     */
    public boolean isDecoded() {
        return decoded != null;
    }

    /**
     * Reads all elements that have a checksum and verifies it. If a library reads the file, all elements are decoded.
     *
     * @throws FormatException the file is damaged
     * @throws IOException the file cannot be read
     */
    public void verify() throws IOException {
        if (own != null) {
            own.verify();
            return;
        }
        ByteBuffer window = ByteBuffer.allocateDirect(WINDOW);
        for (long at = 0; at < elements.size(); at += window.capacity()) {
            elements.readFully(at, window.clear().limit((int) Math.min(window.capacity(), elements.size() - at)));
        }
    }

    @Override
    public void close() throws IOException {
        if (decoded != null) {
            decoded.close();
        }
    }

    /** The elements of all datasets after each other, as a library decodes them. */
    private static final class DecodedElements implements ByteSource, Closeable {

        private final Hdf5Library.Content content;
        private final List<StoredDataset> datasets = new ArrayList<>();
        private long size;

        DecodedElements(Hdf5Library.Content content) throws IOException {
            this.content = content;
            try {
                content.datasets().forEach(this::add);
            } catch (ArithmeticException e) {
                content.close();
                throw Window.wrong("dataspace", 0, "the elements of the file have more than 2^63 bytes");
            }
        }

        private void add(Hdf5Library.Dataset dataset) {
            StoredDataset empty = new StoredDataset(dataset.path(), dataset.dimensions(), dataset.type(), List.of());
            long bytes = empty.bytes();
            if (bytes == 0 || !dataset.written()) {
                datasets.add(empty);
                return;
            }
            StoredDataset.Chunk all = new StoredDataset.Chunk(0, size, bytes, 0);
            datasets.add(new StoredDataset(empty.path(), empty.dimensions(), empty.type(), List.of(all)));
            size = Math.addExact(size, bytes);
        }

        List<StoredDataset> datasets() {
            return datasets;
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public void readFully(long offset, ByteBuffer target) throws IOException {
            int end = target.limit();
            long at = offset;
            for (StoredDataset dataset : datasets) {
                for (StoredDataset.Chunk chunk : dataset.chunks()) {
                    long left = chunk.offset() + chunk.length() - at;
                    if (at >= chunk.offset() && left > 0 && target.hasRemaining()) {
                        int length = (int) Math.min(left, target.remaining());
                        content.read(dataset.path(), at - chunk.offset(), target.limit(target.position() + length));
                        at += length;
                        target.limit(end);
                    }
                }
            }
            if (target.hasRemaining()) {
                throw new EOFException("byte " + at + " is not within the " + size + " bytes of the elements");
            }
        }

        @Override
        public void close() throws IOException {
            content.close();
        }
    }
}
