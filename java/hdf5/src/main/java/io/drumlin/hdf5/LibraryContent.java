package io.drumlin.hdf5;

import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.Datatype;
import io.drumlin.format.hdf5.DatatypeReader;
import io.drumlin.format.hdf5.internal.Hdf5Library;
import io.drumlin.nativecore.NativeLibrary;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A file that the library has open in a process of its own. What the library does to that process is an exception here. */
final class LibraryContent implements Hdf5Library.Content {

    /** Bytes before the message in what H5Tencode makes: its number and a version. */
    private static final int ENCODING_PREFIX = 2;

    private final Path file;
    private final LibraryProcess process;
    private final List<Hdf5Library.Dataset> datasets = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private boolean closed;

    /** Whether the library has done all that it was asked for: the process of a file that it refuses serves no other. */
    private boolean served;

    private LibraryContent(Path file, LibraryProcess process) {
        this.file = file;
        this.process = process;
    }

    /**
     * Opens a file.
     *
     * @param image the bytes of the file; null if the process is to read it
     */
    static Hdf5Library.Content open(Path file, @Nullable ByteBuffer image) throws IOException {
        if (NativeLibrary.switchedOff()) {
            throw NativeHdf5Library.unusable(
                            "native code is switched off by -D" + NativeLibrary.SWITCH_PROPERTY + "=off")
                    .of(file);
        }
        long size = image == null ? Files.size(file) : image.remaining();
        LibraryContent made = new LibraryContent(file, LibraryProcess.forFile(file, size));
        try {
            made.begin(image);
            return made;
        } catch (Throwable e) {
            made.close();
            throw e;
        }
    }

    long pid() {
        return process.pid();
    }

    private void begin(@Nullable ByteBuffer image) throws IOException {
        try {
            Texts.write(process.requests(), file.toString());
            process.requests().writeInt(image == null ? -1 : image.remaining());
            if (image != null) {
                Channels.newChannel(process.requests()).write(image.duplicate());
            }
            process.requests().flush();
        } catch (IOException e) {
            // Its answer or its end says why it has not read all.
        }
        process.awaitAnswer(file);
        try {
            Map<ByteBuffer, Datatype> types = new HashMap<>();
            for (int left = process.answers().readInt(); left > 0; left--) {
                add(types);
            }
        } catch (FormatException e) {
            throw e.in(file);
        } catch (IOException e) {
            throw process.ended(file, e);
        }
        served = true;
    }

    private void add(Map<ByteBuffer, Datatype> types) throws IOException {
        DataInputStream answers = process.answers();
        String name = Texts.read(answers);
        List<Long> dimensions = new ArrayList<>();
        for (int left = answers.readInt(); left > 0; left--) {
            dimensions.add(answers.readLong());
        }
        ByteBuffer message = ByteBuffer.wrap(Texts.readBytes(answers));
        Datatype type = types.get(message);
        if (type == null) {
            type = DatatypeReader.decode(message.slice(ENCODING_PREFIX, message.limit() - ENCODING_PREFIX));
            types.put(message, type);
        }
        numbers.put(name, datasets.size());
        datasets.add(new Hdf5Library.Dataset(name, dimensions, type, answers.readBoolean()));
    }

    @Override
    public List<Hdf5Library.Dataset> datasets() {
        return List.copyOf(datasets);
    }

    @Override
    public synchronized void read(String dataset, long from, ByteBuffer target) throws IOException {
        Integer number = numbers.get(dataset);
        if (closed || number == null) {
            throw new IllegalStateException(closed ? file + " is closed" : file + " has no dataset " + dataset);
        }
        served = false;
        long at = from;
        while (target.hasRemaining()) {
            byte[] bytes = new byte[Math.min(target.remaining(), LibraryServer.MOST_ANSWER)];
            try {
                process.requests().writeByte(LibraryServer.ELEMENTS);
                process.requests().writeInt(number);
                process.requests().writeLong(at);
                process.requests().writeInt(bytes.length);
                process.requests().flush();
            } catch (IOException e) {
                throw process.ended(file, e);
            }
            process.awaitAnswer(file);
            try {
                process.answers().readFully(bytes);
            } catch (IOException e) {
                throw process.ended(file, e);
            }
            target.put(bytes);
            at += bytes.length;
        }
        served = true;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (served) {
                process.requests().writeByte(LibraryServer.CLOSE);
                process.requests().flush();
                process.awaitAnswer(file);
                process.keep();
                return;
            }
        } catch (IOException e) {
            // All that was read has been read.
        }
        process.end();
    }
}
