package io.drumlin.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.Repacked;
import io.drumlin.cli.DrumlinCommand;
import io.drumlin.cli.GoldenCheckpoints;
import io.drumlin.cli.base.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/**
 * Every command that reads, on files of the C originals that were cut or changed: it ends with an exit code and words, never with
 * a trace, in a time and with an output that go with the size of the file, and no control character reaches the terminal.
 */
@Tag("exhaustive")
class DamagedGoldenFilesTest {

    private static final long[] EXTREMES = {
        0, 1, -1, 2, 127, 255, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE
    };

    /** What terminals obey, and bytes that are no UTF-8. */
    private static final byte[][] HOSTILE = {
        {0x1b, '[', '2', 'J'},
        {0x1b, ']', '0', ';', 'x', 7},
        {(byte) 0xc2, (byte) 0x9b, '3', '1', 'm'},
        {'\r'},
        {(byte) 0xff, '\n'}
    };

    private static final List<String> REPACKINGS = List.of(
            "--latest -f GZIP=6", "-f SHUF -f GZIP=1 -f FLET", "--latest -l CONTI", "--latest -l CHUNK=2 -f FLET");

    private static final int LARGEST = 1 << 20;
    /** Code, classes, compilers, and the buffers with which runs are read, in a JVM that has run all commands for hours. */
    private static final int BESIDE_THE_HEAP_MIB = 512;

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Files of one kind and the commands for them; a file that is read with others is changed in a copy of its case. */
    private enum Kind {
        KVTREE(
                "scr",
                ".*\\.scr|.*\\.scrinfo|.*\\.kv|.*rank2file.*|.*filemap_.*|.*\\.redset",
                false,
                file -> List.of(of("inspect", file), of("inspect", "--json", file), of("verify", file))),
        PREFIX("scr", ".*/prefix/\\.scr/.*|.*/prefix/.*/\\.scr/.*", true, file -> {
            Path prefix = file;
            while (!prefix.getFileName().toString().equals("prefix")) {
                prefix = prefix.getParent();
            }
            return List.of(
                    of("inspect", prefix),
                    of("inspect", "--json", prefix),
                    of("verify", prefix),
                    of("index", "list", "-p", prefix),
                    of("index", "list", "--json", "-p", prefix),
                    of("index", "show", "-p", prefix),
                    of("index", "show", "--why", "-p", prefix),
                    of("index", "add", "ckpt.1", "-p", prefix),
                    of("index", "build", "1", "-p", prefix),
                    of("index", "current", "ckpt.1", "-p", prefix),
                    of("index", "drop", "ckpt.1", "-p", prefix),
                    of("halt", "-p", prefix),
                    of("halt", "--json", "-p", prefix));
        }),
        FTI_FF("fti-ff", ".*(Ckpt|dCPFile).*\\.fti", false, file -> fileCommands(file, "var=1")),
        FTI_RUN("fti-ff", ".*/\\d+/(config|Meta/.*|Local/node0/.*)\\.fti", true, file -> {
            Path run = file;
            while (!Files.exists(run.resolve("config.fti"))) {
                run = run.getParent();
            }
            Path config = run.resolve("config.fti");
            return List.of(
                    of("inspect", config),
                    of("inspect", "--json", run),
                    of("verify", config),
                    of("run", "list", config),
                    of("run", "list", run),
                    of("extract", config, "--select", "var=1,rank=0", "-o", run.resolve("data")),
                    of("extract", config, "--all", "-o", run.resolve("all")),
                    of("show", config, "--select", "var=1,rank=0"),
                    of("diff", config, config, "--json"),
                    of("convert", config, run.resolve("converted.h5")));
        }),
        FTI_HDF5("fti-hdf5", ".*\\.h5", true, file -> fileCommands(file, "dataset=Dataset_0")),
        /** For these each command starts the process of the library. */
        HDF5_OF_LIBRARY("fti-hdf5", ".*-(Rank|Pcof)\\d+\\.h5", false, file -> {
            List<Object[]> all = fileCommands(file, "dataset=Dataset_0");
            return List.of(of("verify", file), all.get((int) (file.toFile().length() % all.size())));
        }),
        FTI_POSIX("fti-posix", ".*/data/.*", true, file -> fileCommands(file, "var=1")),
        SION("sion", ".*\\.sion.*", true, file -> Stream.concat(
                        fileCommands(file, "task=0").stream(),
                        Stream.of(
                                of("sion", "dump", file),
                                of("sion", "dump", "-a", "-m", "-M", file),
                                of("sion", "dump", "-a", "-l", "-k", file),
                                of("sion", "dump", "-K", file),
                                of("sion", "dump", "--json", file),
                                of("sion", "split", file, file + ".part"),
                                of("sion", "cat", file, "-o", file + ".cat"),
                                of("sion", "defrag", file, file + ".defrag"),
                                of("sion", "repair", "--dry-run", file),
                                of("sion", "repair", file)))
                .toList()),
        GSD("gsd", ".*\\.gsd", false, file -> Stream.concat(
                        fileCommands(file, "chunk=log/md/energy,frame=0").stream(),
                        Stream.of(
                                of("gsd", "frames", file),
                                of("gsd", "frames", "--json", file),
                                of("gsd", "log", file),
                                of("gsd", "log", "--json", file),
                                of("gsd", "plot", file, "--log", "md/energy", "-o", file + ".svg"),
                                of("gsd", "upgrade", file),
                                of("gsd", "truncate", file)))
                .toList());

        private final String folder;
        private final String pattern;
        private final boolean withCase;
        private final Function<Path, List<Object[]>> commands;

        Kind(String folder, String pattern, boolean withCase, Function<Path, List<Object[]>> commands) {
            this.folder = folder;
            this.pattern = pattern;
            this.withCase = withCase;
            this.commands = commands;
        }

        private static Object[] of(Object... arguments) {
            return arguments;
        }

        /** Of each that many files are damaged, where others have 100. */
        private int share() {
            return this == HDF5_OF_LIBRARY ? 20 : 100;
        }

        private List<Path> files() throws IOException {
            try (Stream<Path> paths = Files.walk(GoldenCheckpoints.folder(folder))) {
                return paths.filter(path -> path.toString().matches(pattern)
                                && Files.isRegularFile(path)
                                && path.toFile().length() <= LARGEST
                                && path.toFile().length() > 0)
                        .sorted()
                        .toList();
            }
        }
    }

    private static List<Object[]> fileCommands(Path file, String selection) {
        return List.of(
                Kind.of("inspect", file),
                Kind.of("inspect", "--json", file),
                Kind.of("verify", file),
                Kind.of("map", file, "-o", file + ".svg"),
                Kind.of("map", file, "-o", file + ".html"),
                Kind.of("extract", file, "--select", selection, "-o", file + ".data"),
                Kind.of("extract", file, "--all", "-o", file + ".all"),
                Kind.of("show", file, "--select", selection),
                Kind.of("diff", file, file, "-o", file + ".svg"),
                Kind.of("diff", file, file, "--json"),
                Kind.of("convert", "--to", "F", file, file + ".converted"));
    }

    @TempDir
    private Path directory;

    private final long seed = Long.getLong("drumlin.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** One for all commands: to make it costs more than most of them. */
    private CommandLine commandLine = DrumlinCommand.commandLine();

    @ParameterizedTest
    @EnumSource(Kind.class)
    void commandsStandDamage(Kind kind) throws IOException {
        damage(kind, 20);
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource(Kind.class)
    void commandsStandMuchDamage(Kind kind) throws IOException {
        damage(kind, Integer.getInteger("drumlin.test.rounds", 3000));
        assertThat(peakMib())
                .as("MiB of memory, at most")
                .isLessThan((Runtime.getRuntime().maxMemory() >> 20) + BESIDE_THE_HEAP_MIB);
    }

    /** Returns the memory that this process has had at most, in MiB; 0 where the system does not tell. */
    private static long peakMib() throws IOException {
        Path status = Path.of("/proc/self/status");
        return !Files.exists(status)
                ? 0
                : Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("VmHWM:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                        .sum();
    }

    private void damage(Kind kind, int rounds) throws IOException {
        List<Path> files = kind.files();
        List<String> failures = new ArrayList<>();
        for (int round = 0; round < Math.max(1, rounds * kind.share() / 100); round++) {
            Path golden = files.get(random.nextInt(files.size()));
            Path work = directory.resolve("r" + round);
            Path file = copy(kind, golden, work);
            if (kind == Kind.HDF5_OF_LIBRARY) {
                Repacked.repack(file, REPACKINGS.get(random.nextInt(REPACKINGS.size())));
            }
            String how = damage(file);
            for (Object[] command : kind.commands.apply(file)) {
                String as = golden + " " + how + ", round " + round + ", -Ddrumlin.test.seed=" + seed;
                failures.addAll(run(as, Files.size(golden), command));
            }
            delete(work);
        }
        assertThat(failures).isEmpty();
    }

    private static Path copy(Kind kind, Path golden, Path work) throws IOException {
        Path root = GoldenCheckpoints.folder(kind.folder);
        Path from = kind.withCase ? root.resolve(root.relativize(golden).getName(0)) : golden;
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Path target = work.resolve("w").resolve(root.relativize(path).toString());
                Files.createDirectories(target.getParent());
                Files.copy(path, target);
            }
        }
        return work.resolve("w").resolve(root.relativize(golden).toString());
    }

    private static void delete(Path work) throws IOException {
        try (Stream<Path> paths = Files.walk(work)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private String damage(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        StringBuilder how = new StringBuilder();
        if (random.nextInt(5) == 0) {
            bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 50));
            how.append("cut to ").append(bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        for (int n = random.nextInt(3); n >= 0 && bytes.length > Long.BYTES; n--) {
            // Metadata are at the ends.
            int room = bytes.length - Long.BYTES;
            int at =
                    switch (random.nextInt(3)) {
                        case 0 -> random.nextInt(Math.min(room, 512));
                        case 1 -> room - 1 - random.nextInt(Math.min(room, 512));
                        default -> random.nextInt(room);
                    };
            buffer.order(random.nextBoolean() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
            long value = EXTREMES[random.nextInt(EXTREMES.length)];
            int kind = random.nextInt(6);
            switch (kind) {
                case 0 -> buffer.put(at, (byte) value);
                case 1 -> buffer.putInt(at, (int) value);
                case 2 -> buffer.putLong(at, value);
                case 3 -> buffer.put(at, HOSTILE[random.nextInt(HOSTILE.length)]);
                default -> buffer.put(at, (byte) (buffer.get(at) ^ 1 << random.nextInt(8)));
            }
            how.append(" at ")
                    .append(at)
                    .append(" kind ")
                    .append(kind)
                    .append(" ")
                    .append(value);
        }
        Files.write(file, bytes);
        return how.toString();
    }

    /** Takes so much and no more. */
    private static final class Bounded extends Writer {

        private final StringWriter text = new StringWriter();
        private final long most;

        Bounded(long most) {
            this.most = most;
        }

        @Override
        public void write(char[] buffer, int offset, int length) {
            text.write(buffer, offset, length);
            if (text.getBuffer().length() > most) {
                throw new IllegalStateException("more than " + most + " characters of output");
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}

        @Override
        public String toString() {
            return text.toString();
        }
    }

    private List<String> run(String as, long size, Object... arguments) {
        List<String> failures = new ArrayList<>();
        Bounded out = new Bounded(100_000 + 300 * size);
        Bounded err = new Bounded(1_000_000);
        String command = as + ": " + Arrays.toString(arguments);
        int[] code = {-1};
        String[] words = Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new);
        DrumlinCommand.writingTo(commandLine, new PrintWriter(out, true), new PrintWriter(err, true));
        try {
            Assertions.assertTimeoutPreemptively(LIMIT, () -> code[0] = commandLine.execute(words));
        } catch (AssertionError | RuntimeException e) {
            failures.add(command + ": " + e);
            commandLine = DrumlinCommand.commandLine();
        }
        if (err.toString().contains("\tat ")) {
            failures.add(command + ": " + err);
        }
        boolean known = code[0] >= ExitCode.OK && code[0] <= ExitCode.IO_ERROR
                || (code[0] == ExitCode.DAMAGED_DATA && arguments[0].equals("diff"))
                || (code[0] == ExitCode.USAGE && List.of("extract", "show").contains(arguments[0]));
        if (!known || (code[0] > 0 && (out.toString() + err).isBlank())) {
            failures.add(command + ": exit code " + code[0] + " " + err);
        }
        if ((out.toString() + err).chars().anyMatch(c -> c != '\n' && Character.isISOControl(c))) {
            failures.add(command + ": control characters");
        }
        return failures;
    }
}
