package io.drumlin.nativecore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.comm.Mpirun;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each case in a JVM of its own, because what is loaded stays loaded. */
@Tag("native")
class NativeLibraryTest {

    private static final String LOADED = "available, ABI " + CoreLibrary.ABI;
    private static final String NOWHERE = "-Djava.library.path=/nonexistent";

    @TempDir
    Path folder;

    @BeforeEach
    void requireCore() {
        NativeTests.requireCore();
    }

    @Test
    void switchedOffItIsNotLookedFor() throws Exception {
        assertThat(probe("-Ddrumlin.native=off", "-Ddrumlin.native.dir=" + NativeTests.folder()))
                .isEqualTo("unavailable: native code is switched off by -Ddrumlin.native=off");
    }

    @Test
    void theNamedFolderIsTheOnlyOne() throws Exception {
        assertThat(probe("-Ddrumlin.native.dir=" + NativeTests.folder(), NOWHERE))
                .isEqualTo(LOADED);
        assertThat(probe(Map.of("DRUMLIN_NATIVE_DIR", NativeTests.folder().toString()), NOWHERE))
                .isEqualTo(LOADED);
        assertThat(probe("-Ddrumlin.native.dir=" + folder, "-Djava.library.path=" + NativeTests.folder()))
                .startsWith("unavailable: libdrumlin_core cannot be loaded; tried: -Ddrumlin.native.dir: ")
                .contains("there is no readable " + folder.resolve("libdrumlin_core.so"))
                .contains("scripts/install")
                .doesNotContain("java.library.path");
    }

    @Test
    void theLibraryPathIsLookedThrough() throws Exception {
        assertThat(probe("-Djava.library.path=/nonexistent" + File.pathSeparator + NativeTests.folder()))
                .isEqualTo(LOADED);
    }

    @Test
    void withNothingToLoadAllThatWasTriedIsListed() throws Exception {
        assertThat(probe(NOWHERE))
                .startsWith("unavailable: ")
                .contains(
                        "java.library.path: no libdrumlin_core.so in /nonexistent",
                        "the jar drumlin-base-VERSION-linux-")
                .contains("class path and module path: there is no io/drumlin/native/linux-");
    }

    @Test
    void aBrokenLibraryIsToldAndNotUsed() throws Exception {
        Files.writeString(folder.resolve("libdrumlin_core.so"), "not a library");
        Files.writeString(folder.resolve("libjnidrumlin_core.so"), "not a library");
        assertThat(probe("-Djava.library.path=" + folder))
                .startsWith("unavailable: ")
                .contains("java.library.path: " + folder.resolve("libdrumlin_core.so"))
                .contains("class path and module path: there is no");
    }

    @Test
    void librariesOfAnotherAbiAreToldAndNotUsed() throws Exception {
        assertThat(probe("-Ddrumlin.native.dir=" + Mpirun.testLibrary("stale")))
                .startsWith("unavailable: libdrumlin_core from ")
                .contains("has ABI 1, these classes need " + CoreLibrary.ABI, "jars of one version");
    }

    /** As in a folder into which a part of a build was copied. */
    @Test
    void glueAndLibraryOfTwoBuildsAreToldAndNotUsed() throws Exception {
        Files.copy(NativeTests.folder().resolve("libdrumlin_core.so"), folder.resolve("libdrumlin_core.so"));
        Path stale = Mpirun.testLibrary("stale").resolve("libjnidrumlin_core.so");
        Path glue = folder.resolve("libjnidrumlin_core.so");
        Files.copy(stale, glue);
        assertThat(probe("-Ddrumlin.native.dir=" + folder))
                .startsWith("unavailable: ")
                .contains("has ABI 1");
        String text =
                Files.readString(NativeTests.folder().resolve("libjnidrumlin_core.so"), StandardCharsets.ISO_8859_1);
        String needed = "libdrumlin_core.so." + CoreLibrary.ABI;
        assertThat(text).contains(needed);
        Files.writeString(glue, text.replace(needed, "libdrumlin_core.so.0"), StandardCharsets.ISO_8859_1);
        assertThat(probe("-Ddrumlin.native.dir=" + folder))
                .startsWith("unavailable: ")
                .contains("libdrumlin_core.so.0: cannot open shared object file");
    }

    @Test
    void theBundledCopyIsUnpackedOncePerContentForThisUserOnly() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        Path home = Files.createDirectory(folder.resolve("home"));
        String[] options = {bundle(), "-Duser.home=" + home, NOWHERE};
        Map<String, String> environment = Map.of("SLURM_TMPDIR", disk.toString(), "HOME", home.toString());

        assertThat(probe(environment, options)).isEqualTo(LOADED);
        List<Path> unpacked = files(disk);
        assertThat(unpacked).hasSize(1);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(unpacked.get(0))))
                .isEqualTo("rwx------");
        assertThat(files(unpacked.get(0)))
                .extracting(path -> path.getFileName().toString())
                .containsExactlyInAnyOrder("libdrumlin_core.so", "libjnidrumlin_core.so");
        Object inode = Files.getAttribute(unpacked.get(0).resolve("libdrumlin_core.so"), "unix:ino");

        assertThat(probe(environment, options)).isEqualTo(LOADED);
        assertThat(Files.getAttribute(unpacked.get(0).resolve("libdrumlin_core.so"), "unix:ino"))
                .isEqualTo(inode);
        assertThat(files(home)).as("JavaCPP's cache").isEmpty();
    }

    @Test
    void usersWithoutANameGetFoldersOfTheirOwn() throws Exception {
        assertThat(probe(Map.of("SLURM_TMPDIR", folder.toString()), bundle(), "-Duser.name=?", NOWHERE))
                .isEqualTo(LOADED);
        Object uid = Files.getAttribute(folder, "unix:uid");
        assertThat(files(folder))
                .extracting(path -> path.getFileName().toString())
                .anyMatch(name -> name.startsWith("drumlin-" + uid + "-"))
                .noneMatch(name -> name.contains("?"));
    }

    @Test
    void manyRanksMayUnpackAtTheSameTime() throws Exception {
        Map<String, String> environment = Map.of("SLURM_TMPDIR", folder.toString());
        String bundle = bundle();
        List<Process> ranks = new ArrayList<>();
        for (int rank = 0; rank < 6; rank++) {
            ranks.add(start(environment, bundle, NOWHERE));
        }
        for (Process rank : ranks) {
            assertThat(answer(rank)).isEqualTo(LOADED);
        }
    }

    @Test
    void aFolderThatOthersCanWriteIntoIsNotTrusted() throws Exception {
        String bundle = bundle();
        Path first = Files.createDirectory(folder.resolve("first"));
        Path second = Files.createDirectory(folder.resolve("second"));
        assertThat(probe(Map.of("SLURM_TMPDIR", first.toString()), bundle, NOWHERE))
                .isEqualTo(LOADED);
        Path open = files(first).get(0);
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        // Goes on to the next disk.
        assertThat(probe(Map.of("SLURM_TMPDIR", first.toString(), "TMPDIR", second.toString()), bundle, NOWHERE))
                .isEqualTo(LOADED);
        assertThat(files(second)).hasSize(1);
        // With no other disk, it says so.
        assertThat(probe(
                        Map.of("SLURM_TMPDIR", first.toString(), "TMPDIR", first.toString()),
                        bundle,
                        "-Djava.io.tmpdir=" + first,
                        NOWHERE))
                .startsWith("unavailable: ")
                .contains(open + " is not a folder of this user with mode 0700");
    }

    @Test
    void aFolderThatTheLocaleCannotNameIsPassedBy() throws Exception {
        assumeTrue(
                System.getProperty("java.class.path").chars().allMatch(each -> each < 128),
                "in the locale C, a JVM finds no classes below a folder with other letters than those of ASCII");
        String umlaut = folder + "/\u00fc";
        Map<String, String> environment = Map.of("LC_ALL", "C", "TMPDIR", umlaut, "SLURM_TMPDIR", umlaut);
        assertThat(probe(environment, bundle(), "-Djava.io.tmpdir=" + folder, NOWHERE))
                .isEqualTo(LOADED);
        assertThat(probe(Map.of("LC_ALL", "C", "DRUMLIN_NATIVE_DIR", umlaut), NOWHERE))
                .startsWith("unavailable: libdrumlin_core cannot be loaded; tried: DRUMLIN_NATIVE_DIR: Malformed input")
                .contains("LC_ALL=C.UTF-8");
    }

    @Tag("java24")
    @Test
    void deniedNativeAccessNamesTheOption() throws Exception {
        assumeTrue(Runtime.version().feature() >= 24, "older JVMs deny nobody native access");
        String place = "-Ddrumlin.native.dir=" + NativeTests.folder();
        assertThat(probe("--illegal-native-access=deny", place))
                .startsWith("unavailable: ")
                .contains("--enable-native-access=ALL-UNNAMED");
        assertThat(probe("--illegal-native-access=deny", "--enable-native-access=ALL-UNNAMED", place))
                .isEqualTo(LOADED);
    }

    /** The libraries as the jar of this platform has them, as an addition to the class path. */
    private String bundle() throws IOException {
        String platform = System.getProperty("os.arch").equals("aarch64") ? "linux-arm64" : "linux-x86_64";
        Path root = folder.resolve("bundle");
        Path resources = Files.createDirectories(root.resolve("io/drumlin/native/" + platform));
        for (String file : List.of("libdrumlin_core.so", "libjnidrumlin_core.so")) {
            Files.copy(NativeTests.folder().resolve(file), resources.resolve(file));
        }
        return root.toString();
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private static String probe(String... options) throws Exception {
        return probe(Map.of(), options);
    }

    private static String probe(Map<String, String> environment, String... options) throws Exception {
        return answer(start(environment, options));
    }

    /** Options that do not begin with a hyphen are added to the class path. */
    private static Process start(Map<String, String> environment, String... options) throws IOException {
        StringBuilder classPath = new StringBuilder(System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String option : options) {
            if (option.startsWith("-")) {
                command.add(option);
            } else {
                classPath.append(File.pathSeparator).append(option);
            }
        }
        command.addAll(List.of("-cp", classPath.toString(), NativeLibraryProbe.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeAll(List.of("DRUMLIN_NATIVE_DIR", "SLURM_TMPDIR", "TMPDIR"));
        builder.environment().putAll(environment);
        return builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    private static String answer(Process process) throws Exception {
        String answer = new String(process.getInputStream().readAllBytes()).strip();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isZero();
        return answer;
    }
}
