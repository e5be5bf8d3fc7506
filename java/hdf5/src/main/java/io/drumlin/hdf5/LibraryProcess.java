package io.drumlin.hdf5;

import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.Datatype;
import io.drumlin.format.hdf5.DatatypeReader;
import io.drumlin.format.hdf5.internal.Hdf5Library;
import io.drumlin.nativecore.NativeLibrary;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file that the library reads in a process of its own ({@link LibraryServer}). The shell that starts the process bounds
 * its memory, by the size of the file, and its processor time. What the library does to that process ends as an exception
 * here.
 */
final class LibraryProcess implements Hdf5Library.Content {

    /** Names the memory of the process in MiB, for chunks that decode to more than the bound. */
    private static final String MEMORY_PROPERTY = "drumlin.hdf5.memory";

    private static final long LEAST_MEMORY_MIB = 512;

    /** Decoding takes the bytes of a chunk, twice its elements, and the elements again. */
    private static final long MEMORY_OF_A_BYTE = 8;

    private static final long LEAST_SECONDS = 60;
    private static final long SECONDS_OF_A_MIB = 10;

    /** The soft limits are the hard ones, and no core is dumped. A lower limit of the caller stays. */
    private static final String BOUNDED = "ulimit -c 0; ulimit -d \"$0\"; ulimit -t \"$1\"; shift; exec \"$@\"";

    /** Options that are meant for the JVM of the program. */
    private static final List<String> OPTIONS_OF_CALLER =
            List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");

    /** Bytes before the message in what H5Tencode makes: its number and a version. */
    private static final int ENCODING_PREFIX = 2;

    private static final int MOST_WORDS = 300;

    private static final long SECONDS_TO_END = 1;

    private final Path file;
    private final Process process;
    private final DataOutputStream requests;
    private final DataInputStream answers;
    private final String bounds;
    private final List<Hdf5Library.Dataset> datasets = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private boolean closed;

    private LibraryProcess(Path file, long size) throws IOException {
        this.file = file;
        long mib = size >> 20;
        long memory = Long.getLong(MEMORY_PROPERTY, LEAST_MEMORY_MIB + MEMORY_OF_A_BYTE * mib);
        long seconds = LEAST_SECONDS + SECONDS_OF_A_MIB * mib;
        bounds = memory + " MiB of memory (-D" + MEMORY_PROPERTY + "=MIB allows more) and " + seconds
                + " s of processor time";
        process = start(file, memory, seconds);
        requests = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
        answers = new DataInputStream(new BufferedInputStream(process.getInputStream()));
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
        LibraryProcess made = new LibraryProcess(file, image == null ? Files.size(file) : image.remaining());
        try {
            made.begin(image);
            return made;
        } catch (Throwable e) {
            made.close();
            throw e;
        }
    }

    private static Process start(Path file, long memoryMib, long seconds) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "/bin/sh",
                "-c",
                BOUNDED,
                String.valueOf(memoryMib << 10),
                String.valueOf(seconds),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-XX:+SuppressFatalErrorMessage",
                "-Xlog:disable", // It goes to stdout, where the answers are.
                "--enable-native-access=ALL-UNNAMED"));
        System.getProperties().forEach((name, value) -> {
            if (name.toString().matches("org\\.bytedeco\\..*|java\\.library\\.path|java\\.io\\.tmpdir")) {
                command.add("-D" + name + "=" + value);
            }
        });
        command.add(LibraryServer.class.getName());
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeAll(OPTIONS_OF_CALLER);
        builder.environment().put("CLASSPATH", classPath());
        try {
            return builder.start();
        } catch (IOException e) {
            throw NativeHdf5Library.unusable("its process does not start: " + e.getMessage())
                    .of(file);
        }
    }

    /** Returns all that this JVM has on its paths, modules too. */
    private static String classPath() {
        String modules = System.getProperty("jdk.module.path", "");
        Stream<String> ofModules = Stream.of(modules.split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .flatMap(entry -> Stream.of(entry, entry + File.separator + "*"));
        return Stream.concat(Stream.of(System.getProperty("java.class.path", "")), ofModules)
                .filter(entry -> !entry.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private void begin(@Nullable ByteBuffer image) throws IOException {
        try {
            Texts.write(requests, file.toString());
            requests.writeInt(image == null ? -1 : image.remaining());
            if (image != null) {
                Channels.newChannel(requests).write(image.duplicate());
            }
            requests.flush();
        } catch (IOException e) {
            // Its answer or its end says why it has not read all.
        }
        awaitAnswer();
        try {
            Map<ByteBuffer, Datatype> types = new HashMap<>();
            for (int left = answers.readInt(); left > 0; left--) {
                add(types);
            }
        } catch (FormatException e) {
            throw e.in(file);
        } catch (IOException e) {
            throw ended(e);
        }
    }

    private void add(Map<ByteBuffer, Datatype> types) throws IOException {
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

    private void awaitAnswer() throws IOException {
        Refusal refusal;
        try {
            if (answers.readByte() == 0) {
                return;
            }
            refusal = Refusal.read(answers);
        } catch (IOException e) {
            throw ended(e);
        }
        throw refusal.of(file);
    }

    /** Returns what is known of the end of the process. */
    private IOException ended(IOException cause) {
        String words = "";
        String code = "unknown";
        try (InputStream said = process.getErrorStream()) {
            // What it writes may be no answer at all.
            if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            code = String.valueOf(process.waitFor());
            words = new String(said.readNBytes(MOST_WORDS), Charset.defaultCharset()).strip();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // Without its words.
        }
        IOException failure = new Refusal(
                        Refusal.Kind.LACKING,
                        "file",
                        "the process in which the HDF5 library reads it has ended (exit code " + code
                                + (words.isEmpty() ? "" : ", " + words)
                                + "): the file is damaged in a way that the library"
                                + " does not stand, or reading it takes more than " + bounds)
                .of(file);
        failure.addSuppressed(cause);
        return failure;
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
        long at = from;
        while (target.hasRemaining()) {
            byte[] bytes = new byte[Math.min(target.remaining(), LibraryServer.MOST_ANSWER)];
            try {
                requests.writeByte(0);
                requests.writeInt(number);
                requests.writeLong(at);
                requests.writeInt(bytes.length);
                requests.flush();
            } catch (IOException e) {
                throw ended(e);
            }
            awaitAnswer();
            try {
                answers.readFully(bytes);
            } catch (IOException e) {
                throw ended(e);
            }
            target.put(bytes);
            at += bytes.length;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        process.destroyForcibly();
    }
}
