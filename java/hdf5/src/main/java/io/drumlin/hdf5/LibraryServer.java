package io.drumlin.hdf5;

import io.drumlin.hdf5.Refusal.Kind;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.bytedeco.javacpp.BytePointer;

/**
 * The process that has the library and one file ({@link LibraryProcess}). It opens the file that stdin names, writes its
 * datasets to stdout, and then answers requests for elements until stdin ends.
 */
final class LibraryServer {

    /** Largest number of bytes of one answer. */
    static final int MOST_ANSWER = 4 << 20;

    private final DataInputStream in;
    private final DataOutputStream out;

    private LibraryServer(DataInputStream in, DataOutputStream out) {
        this.in = in;
        this.out = out;
    }

    /**
     * Serves one file.
     *
     * @param arguments none
     * @throws IOException the other process has gone
     */
    public static void main(String[] arguments) throws IOException {
        // JavaCPP warns that the library was made for an older release of it, at every use.
        System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in)));
        try (DataOutputStream out =
                new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)))) {
            new LibraryServer(in, out).serve();
        }
    }

    private void serve() throws IOException {
        Path path = Path.of(Texts.read(in));
        int size = in.readInt();
        try (LibraryFile file = open(path, size)) {
            out.writeByte(0);
            out.writeInt(file.datasets().size());
            for (LibraryFile.Described dataset : file.datasets()) {
                dataset.write(out);
            }
            out.flush();
            while (in.read() >= 0) {
                answer(file);
                out.flush();
            }
        } catch (Refusal e) {
            refuse(e);
        } catch (OutOfMemoryError e) {
            refuse(new Refusal(Kind.PASSING, "file", "the HDF5 library lacks memory: " + e));
        }
    }

    private LibraryFile open(Path path, int size) throws IOException {
        NativeHdf5Library.load();
        if (size < 0) {
            return LibraryFile.open(path);
        }
        BytePointer image = new BytePointer(size);
        ByteBuffer bytes = image.asByteBuffer();
        byte[] piece = new byte[MOST_ANSWER];
        while (bytes.hasRemaining()) {
            int length = Math.min(piece.length, bytes.remaining());
            in.readFully(piece, 0, length);
            bytes.put(piece, 0, length);
        }
        return LibraryFile.open(image);
    }

    private void answer(LibraryFile file) throws IOException {
        int dataset = in.readInt();
        long from = in.readLong();
        byte[] bytes = new byte[in.readInt()];
        file.read(dataset, from, ByteBuffer.wrap(bytes));
        out.writeByte(0);
        out.write(bytes);
    }

    private void refuse(Refusal refusal) throws IOException {
        out.writeByte(1);
        refusal.write(out);
    }
}
