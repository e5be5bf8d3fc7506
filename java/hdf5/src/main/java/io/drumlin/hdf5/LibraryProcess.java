package io.drumlin.hdf5;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A process in which the library reads one file at a time ({@link LibraryServer}). The shell that starts the process bounds
 * its memory, by the size of the file, and its processor time. After a file that the library read to the end the process waits
 * for a short time for the next one of about that size, since its start takes longer than most files.
 */
final class LibraryProcess {

    /** Names the memory of the process in MiB, for chunks that decode to more than the bound. */
    private static final String MEMORY_PROPERTY = "drumlin.hdf5.memory";

    /** Files below this size are treated alike, as are those between one power of two and the next. */
    private static final long LEAST_MIB = 8;

    private static final long LEAST_MEMORY_MIB = 512;

    /** Decoding takes the bytes of a chunk, twice its elements, and the elements again. */
    private static final long MEMORY_OF_A_BYTE = 8;

    private static final long LEAST_SECONDS = 60;
    private static final long SECONDS_OF_A_MIB = 10;

    /** The processor time after which a process takes no further file. */
    private static final Duration MOST_BEFORE_A_FILE = Duration.ofSeconds(60);

    /** The soft limits are the hard ones, and no core is dumped. A lower limit of the caller stays. */
    private static final String BOUNDED = "ulimit -c 0; ulimit -d \"$0\"; ulimit -t \"$1\"; shift; exec \"$@\"";

    /** Options that are meant for the JVM of the program. */
    private static final List<String> OPTIONS_OF_CALLER =
            List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");

    private static final int MOST_WORDS = 300;

    private static final long SECONDS_TO_END = 1;

    private static final long SECONDS_TO_WAIT = 3;

    /** Those that wait for a file. */
    private static final Deque<LibraryProcess> WAITING = new ConcurrentLinkedDeque<>();

    private final List<String> command;
    private final String bounds;
    private final Process process;
    private final DataOutputStream requests;
    private final DataInputStream answers;

    private LibraryProcess(List<String> command, String bounds) throws IOException {
        this.command = command;
        this.bounds = bounds;
        process = start(command);
        requests = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
        answers = new DataInputStream(new BufferedInputStream(process.getInputStream()));
    }

    /** Returns a process that has no file open; the caller has to {@link #keep} or {@link #end} it. */
    static LibraryProcess forFile(Path file, long size) throws IOException {
        long mib = Math.max(LEAST_MIB, Long.highestOneBit(size >> 20) * 2);
        long memory = Long.getLong(MEMORY_PROPERTY, LEAST_MEMORY_MIB + MEMORY_OF_A_BYTE * mib);
        long seconds = LEAST_SECONDS + SECONDS_OF_A_MIB * mib;
        List<String> command = command(memory, seconds);
        LibraryProcess waiting = WAITING.poll();
        while (waiting != null) {
            if (waiting.serves(command)) {
                return waiting;
            }
            waiting.end();
            waiting = WAITING.poll();
        }
        try {
            return new LibraryProcess(
                    command,
                    memory + " MiB of memory (-D" + MEMORY_PROPERTY + "=MIB allows more) and " + seconds
                            + " s of processor time");
        } catch (IOException e) {
            throw NativeHdf5Library.unusable("its process does not start: " + e.getMessage())
                    .of(file);
        }
    }

    private boolean serves(List<String> wanted) {
        Duration used = process.info().totalCpuDuration().orElse(MOST_BEFORE_A_FILE);
        return process.isAlive() && command.equals(wanted) && used.compareTo(MOST_BEFORE_A_FILE) < 0;
    }

    private static List<String> command(long memoryMib, long seconds) {
        List<String> command = new ArrayList<>(List.of(
                "/bin/sh",
                "-c",
                BOUNDED,
                String.valueOf(memoryMib << 10),
                String.valueOf(MOST_BEFORE_A_FILE.toSeconds() + seconds),
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
        return command;
    }

    private static Process start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeAll(OPTIONS_OF_CALLER);
        builder.environment().put("CLASSPATH", classPath());
        return builder.start();
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

    long pid() {
        return process.pid();
    }

    DataOutputStream requests() {
        return requests;
    }

    DataInputStream answers() {
        return answers;
    }

    /** Reads whether the library has done what it was asked for; its answer follows. */
    void awaitAnswer(Path file) throws IOException {
        Refusal refusal;
        try {
            if (answers.readByte() == 0) {
                return;
            }
            refusal = Refusal.read(answers);
        } catch (IOException e) {
            throw ended(file, e);
        }
        throw refusal.of(file);
    }

    /** Returns what is known of the end of the process. */
    IOException ended(Path file, IOException cause) {
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

    /** Keeps the process, which has closed its file, for the next one. */
    void keep() {
        WAITING.push(this);
        CompletableFuture.delayedExecutor(SECONDS_TO_WAIT, TimeUnit.SECONDS).execute(() -> {
            if (WAITING.remove(this)) {
                end();
            }
        });
    }

    void end() {
        process.destroyForcibly();
    }
}
