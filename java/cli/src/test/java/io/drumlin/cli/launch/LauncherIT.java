package io.drumlin.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.Golden;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.Layout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as people start it: {@code scripts/drumlin}, from another directory and through a link. */
class LauncherIT {

    @TempDir
    private Path directory;

    private Path launcher;

    @BeforeEach
    void link() throws IOException {
        launcher = Files.createSymbolicLink(
                directory.resolve("a link"),
                Path.of(System.getProperty("drumlin.root"), "scripts", "drumlin")
                        .toAbsolutePath());
    }

    private record Result(int exitCode, byte[] output) {

        String text() {
            return new String(output, java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    private Result run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        return result(command.toArray(String[]::new));
    }

    private Result result(String... command) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().close();
        byte[] output = process.getInputStream().readAllBytes();
        return new Result(process.waitFor(), output);
    }

    @Test
    void saysItsVersion() throws Exception {
        Result result = run("--version");
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.text()).matches("drumlin [0-9][0-9a-z.-]*\\R");
    }

    /** Batch jobs and containers often have this locale, and the JVM knows no other letters there. Only ASCII is passed here. */
    @Test
    void takesPathsBeyondAsciiInTheLocaleC() throws Exception {
        Path commands = directory.resolve("commands");
        Files.writeString(
                commands,
                """
                export LC_ALL=C
                cp "$1" $'J\\303\\274rgen'
                "$2" verify $'J\\303\\274rgen' && "$2" verify $'K\\303\\274'
                """);
        Path file = Golden.path("gsd", "v21_alltypes", "file.gsd");
        Result result = result("bash", commands.toString(), file.toString(), launcher.toString());
        assertThat(result.text()).contains("Jürgen: GSD 2.1, ", "Kü: no such file");
    }

    @Test
    void theInstalledCommandTakesThemToo() throws Exception {
        Path java = Files.createDirectories(directory.resolve("jdk/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nlocale charmap\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Path installed = Path.of(System.getProperty("drumlin.root"), "scripts", "installed-drumlin");
        for (String locale : List.of("C", "POSIX", "xx_YY.UTF-8")) {
            Result result = result(
                    "env", "LC_ALL=" + locale, "JAVA_HOME=" + directory.resolve("jdk"), "bash", installed.toString());
            assertThat(result.text()).as(locale).endsWith("UTF-8\n");
        }
    }

    @Test
    void extractsToStdoutAndNothingElse() throws Exception {
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT)
                .next(List.of(new VariableSize(3, 4)))
                .withHashes(List.of(HexFormat.of().parseHex("f1d3ff8443297732862df21dc4e57262"))); // of four zeros
        ByteBuffer file =
                ByteBuffer.allocate((int) (plan.dataSize() + plan.metaSize())).position(4);
        Layout.F.put(file, plan.blocks(), Layout.F.seal(plan.blocks(), 1, 0, -1, -1));
        Files.write(directory.resolve("file"), file.array());

        Result verified = run("verify", "file");
        assertThat(verified.text()).isEqualTo("file: FTI-FF layout F, checkpoint file: whole" + System.lineSeparator());
        assertThat(verified.exitCode()).isZero();
        Result extracted = run("extract", "file", "--select", "var=3", "-o", "-");
        assertThat(extracted.exitCode()).isZero();
        assertThat(extracted.output()).isEqualTo(new byte[4]);
        assertThat(run("verify", "missing").exitCode()).isEqualTo(3);
    }
}
