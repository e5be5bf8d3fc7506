package io.drumlin.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Mpirun;
import io.drumlin.storage.internal.LibcEngine;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each choice in a JVM of its own: properties, JNA and the log are states of the whole JVM. */
class StorageEnginesTest {

    @TempDir
    Path folder;

    @Test
    void namesTheEnginesBestFirst() {
        assertThat(StorageEngines.names()).containsSubsequence("libc", "nio").doesNotHaveDuplicates();
    }

    @Tag("native")
    @Test
    void takesTheBestThatIsAvailable() throws Exception {
        assumeTrue(LibcEngine.isAvailable(), "libc is not available");
        assertThat(choose("-Ddrumlin.native.dir=" + folder))
                .contains("chosen: libc")
                .containsOnlyOnce("INFO: storage engine libc: best available");
    }

    /** Who has installed the libraries expects them to be used. */
    @Tag("native")
    @Test
    void warnsOfLibrariesOfAnotherVersion() throws Exception {
        String stale = "-Ddrumlin.native.dir=" + Mpirun.testLibrary("stale");
        assertThat(choose(stale))
                .contains("chosen: libc")
                .containsOnlyOnce("WARNING: native code that was found is not used: libdrumlin_core from ")
                .contains("has ABI 1, these classes need ");
        assertThat(choose(stale, "-Ddrumlin.storage=native")).contains("refused:", "has ABI 1, these classes need ");
    }

    @Test
    void takesTheEngineThatThePropertyNames() throws Exception {
        assertThat(choose("-Ddrumlin.storage=nio"))
                .contains("chosen: nio")
                .containsOnlyOnce("INFO: storage engine nio: asked for by -Ddrumlin.storage");
    }

    @Test
    void takesNothingNativeWhenThatIsOff() throws Exception {
        assertThat(choose("-Ddrumlin.native=off")).contains("chosen: nio", "drumlin.native=off");
        assertThat(choose("-Ddrumlin.native=off", "-Ddrumlin.storage=libc"))
                .contains("refused:", "libc", "not available", "drumlin.native=off", "nio (available)");
    }

    @Test
    void saysWhyJnaCannotBeLoaded() throws Exception {
        Path file = Files.createFile(folder.resolve("not-a-folder"));
        assertThat(choose("-Djna.tmpdir=" + file, "-Djna.nosys=true"))
                .contains("chosen: nio", "libc (not available: JNA cannot load", "-Djna.tmpdir");
    }

    @Test
    void worksWithoutTheJarOfJna() throws Exception {
        assertThat(run(withoutJna(), "-Ddrumlin.native=off")).contains("chosen: nio");
        assertThat(run(withoutJna(), "-Ddrumlin.native.dir=" + folder))
                .contains("chosen: nio", "libc (not available: there is no JNA on the class path");
    }

    @Tag("native")
    @Test
    void keepsTheLibraryOfJnaOnTheNode() throws Exception {
        assumeTrue(LibcEngine.isAvailable(), "libc is not available");
        Path home = Files.createDirectory(folder.resolve("home"));
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        assertThat(choose("-Ddrumlin.native.dir=" + folder, "-Duser.home=" + home, "-Djava.io.tmpdir=" + temporary))
                .contains("chosen: libc", "jna.tmpdir: null");
        assertThat(home).isEmptyDirectory();
    }

    @Test
    void worksWhereTemporaryFilesCannotBeRun() throws Exception {
        try (MountedFileSystem mounted = MountedFileSystem.mount("tmpfs", "size=4m,noexec")) {
            assertThat(choose("-Djna.tmpdir=" + mounted.root(), "-Djna.nosys=true"))
                    .contains("chosen: nio", "libc (not available: JNA cannot load", "noexec");
        }
    }

    @Test
    void listsTheEnginesWhenTheNameIsUnknown() {
        assertThatThrownBy(() -> StorageEngines.byName("posix"))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContainingAll("\"posix\"", "none of that name", "libc (", "nio (available)");
    }

    /** What a JVM with these options says when it chooses twice. */
    private static String choose(String... options) throws IOException, InterruptedException {
        return run(System.getProperty("java.class.path"), options);
    }

    private static String withoutJna() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(element -> !Path.of(element).getFileName().toString().startsWith("jna-"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String run(String classPath, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", classPath, "-Xshare:auto"));
        command.addAll(List.of(options));
        command.add(Chooser.class.getName());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    /** What the other JVM runs. */
    static final class Chooser {

        private Chooser() {}

        public static void main(String[] args) throws IOException {
            try {
                StorageEngines.best();
                StorageEngine engine = StorageEngines.best();
                Path file = Files.createTempFile("chosen", "");
                engine.delete(file);
                System.out.println("chosen: " + engine.name());
                System.out.println("jna.tmpdir: " + System.getProperty("jna.tmpdir"));
            } catch (DrumlinException e) {
                System.out.println("refused: " + e.getMessage());
            }
        }
    }
}
