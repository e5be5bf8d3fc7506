package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Mpirun;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.NativeEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Containers, batch systems and file systems that lack what most have: a run takes its checkpoints and gets them back. */
@Tag("exhaustive")
class PlacesToRunTest {

    /** Of the program: it cannot be tried here. */
    private static final int SKIPPED = 77;

    @TempDir
    Path directory;

    private static RunFixture run(Path folder, String ioMode) throws IOException {
        Map<String, String> changes = Map.of("basic.node_size", "1", "basic.group_size", "2", "basic.ckpt_io", ioMode);
        return new RunFixture(Files.createDirectory(folder), changes);
    }

    private Path config(String name, String ioMode) throws IOException {
        return run(directory.resolve(name), ioMode).config();
    }

    /** A container without a home and memory to lock, with few descriptors, and files that nobody may read. */
    private static Mpirun inAPoorContainer() {
        String umask = System.getProperty("user.name").equals("root") ? "0777" : "0077";
        return Mpirun.withoutLauncher()
                .startedBy("env", "-u", "HOME", "-u", "TMPDIR", "bash", "-c")
                .startedBy("umask " + umask + " && ulimit -l 0 && ulimit -n 80 && exec \"$@\"", "poor");
    }

    @Tag("native")
    @ParameterizedTest
    @ValueSource(strings = {"EPERM", "ENOSYS"})
    void ioUringIsRefused(String error) throws IOException, InterruptedException {
        Mpirun.Outcome outcome = inAPoorContainer()
                .faults("uring error=" + error)
                .run(Program.class, "native", config("run", "3").toString());
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("by threads", "took them", "got them back");
    }

    @ParameterizedTest
    @CsvSource({
        "libc, -XX:+UseZGC, got them back",
        "nio, -XX:+UseEpsilonGC, got them back",
        "nio, -XX:MaxDirectMemorySize=4m, 'give each rank more memory (-Xmx, -XX:MaxDirectMemorySize)'"
    })
    void theJvmIsUnusualToo(String engine, String option, String words) throws IOException, InterruptedException {
        Mpirun.Outcome outcome = inAPoorContainer()
                .jvmOptions("-XX:-UseSerialGC", "-XX:-UseParallelGC", "-XX:+UnlockExperimentalVMOptions", option)
                .run(Program.class, engine, config("run", "1").toString());
        assertThat(outcome.output()).contains(words);
    }

    /** An image of a container, and a disk whose sectors are larger than the alignment that most have. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "mount -t tmpfs tmpfs \"$0\" && mkdir \"$0\"/{low,up,work} && mount -t overlay overlay"
                        + " -o \"lowerdir=$0/low,upperdir=$0/up,workdir=$0/work\" \"$0\"",
                "truncate -s 200M \"$0.ext4\" && mkfs.ext4 -q -b 4096 \"$0.ext4\""
                        + " && loop=$(losetup --show -f --sector-size 4096 \"$0.ext4\")"
                        + " && mount \"$loop\" \"$0\" && losetup -d \"$loop\""
            })
    void theFileSystemIsUnusual(String mount) throws IOException, InterruptedException {
        Path place = Files.createDirectory(directory.resolve("place"));
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .startedBy("unshare", "--mount", "bash", "-c")
                .startedBy("{ " + mount + "; } || exit " + SKIPPED + "; exec \"$@\"", place.toString())
                .run(Program.class, "all", config("places", "3").toString(), place.toString());
        assumeTrue(outcome.exitStatus() != SKIPPED, outcome.output());
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("took them", "got them back");
    }

    /** A runtime that has nothing but what every Java has. */
    @Tag("soak")
    @Test
    void theRuntimeHasOneModule() throws IOException, InterruptedException {
        Path jdk = Path.of(System.getProperty("java.home"));
        assumeTrue(Files.isDirectory(jdk.resolve("jmods")), "the JDK has no modules to link");
        Path runtime = directory.resolve("runtime");
        String linked = output(
                jdk.resolve("bin/jlink").toString(), "--add-modules", "java.base", "--output", runtime.toString());
        assertThat(runtime).as(linked).exists();
        String classPath = System.getProperty("java.class.path");
        String run = config("run", "3").toString();
        assertThat(output(
                        runtime.resolve("bin/java").toString(), "-cp", classPath, Program.class.getName(), "nio", run))
                .contains("took them", "got them back");
    }

    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        process.waitFor();
        return output;
    }

    /** What is around the run changes between two starts: its path, where a link leads, and the times of all files. */
    @Test
    void theRunIsMovedBehindALinkAndDated() throws IOException {
        Path scratch = Files.createSymbolicLink(
                directory.resolve("scratch"), Files.createDirectory(directory.resolve("first")));
        RunFixture run = run(scratch.resolve("run"), "5");
        Program.takes(run);
        Files.delete(scratch);
        Files.createSymbolicLink(scratch, Files.move(directory.resolve("first"), directory.resolve("second")));
        for (Path each : RunFixture.at(directory.resolve("second")).walk()) {
            Files.setLastModifiedTime(each, FileTime.from(Instant.parse("2031-01-01T00:00:00Z")));
        }
        Program.getsBack(run);
        Path moved = Files.move(directory.resolve("second/run"), directory.resolve("moved"));
        Path config = moved.resolve("config.fti");
        Files.writeString(
                config, Files.readString(config).replace(scratch.resolve("run").toString(), moved.toString()));
        Program.getsBack(RunFixture.at(moved));
    }

    /** Takes checkpoints and gets them back. */
    static final class Program {

        private static final int RANKS = 2;

        private Program() {}

        public static void main(String[] arguments) throws IOException {
            for (String name : arguments[0].equals("all") ? StorageEngines.names() : List.of(arguments[0])) {
                Path config = Path.of(arguments[1]);
                Path place = arguments.length > 2 ? Path.of(arguments[2], name) : config.resolveSibling(name);
                Files.createDirectories(place);
                Path own = place.resolve("config.fti");
                String text = Files.readString(config).replace(config.getParent() + "/", place + "/");
                Files.writeString(own, text + "[drumlin]\nstorage = " + name + "\n");
                RunFixture run = RunFixture.at(place);
                if (name.equals("native")) {
                    System.out.println("by " + new NativeEngine().queue());
                }
                takes(run);
                System.out.println(name + " took them");
                getsBack(run);
                System.out.println(name + " got them back");
            }
        }

        static void takes(RunFixture run) throws IOException {
            run.run(RANKS, (checkpoints, comm) -> {
                int[] values = new int[100_000];
                checkpoints.protect(0, values);
                for (Level level : List.of(Level.L1, Level.L2, Level.L3, Level.L4, Level.L2)) {
                    Arrays.setAll(values, i -> i * 7 + comm.rank());
                    checkpoints.checkpoint(level.number(), level);
                }
            });
        }

        static void getsBack(RunFixture run) throws IOException {
            run.run(RANKS, (checkpoints, comm) -> {
                int[] values = new int[100_000];
                checkpoints.protect(0, values);
                checkpoints.recover();
                for (int i = 0; i < values.length; i++) {
                    if (values[i] != i * 7 + comm.rank()) {
                        throw new IOException("element " + i + " is " + values[i]);
                    }
                }
            });
        }
    }
}
