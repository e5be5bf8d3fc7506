package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the README shows is what is there. */
class ReadmeTest {

    private static final Path ROOT = Path.of(System.getProperty("drumlin.root"));
    private static final Path EXAMPLES = ROOT.resolve("java/examples/src/main/java/io/drumlin/examples");

    @TempDir
    Path folder;

    private static String readme() throws IOException {
        return Files.readString(ROOT.resolve("README.md"));
    }

    private static List<String> find(String text, String regex) {
        return Pattern.compile(regex)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static String block(String language) throws IOException {
        List<String> blocks = find(readme(), "(?s)```" + language + "\n(.*?)```");
        assertThat(blocks).isNotEmpty();
        return blocks.get(0);
    }

    /** The source without package, imports, javadoc, the constructor, and what it says without arguments. */
    private static String essence(String source) {
        String type = source.substring(source.indexOf("public final class"));
        return type.replaceAll("(?s) *+/\\*\\*.*?\\*/\n", "")
                .replaceAll(" *private \\w+\\(\\) \\{\\}\n\n", "")
                .replaceAll(" *Usage\\.require\\(.*\n", "");
    }

    @Test
    void theProgramIsTheExample() throws IOException {
        assertThat(block("java")).isEqualTo(essence(Files.readString(EXAMPLES.resolve("FirstCheckpoint.java"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"FirstCheckpoint", "FtiPort", "LennardJones", "ScrPort", "SionHello"})
    void anExampleWithoutArgumentsSaysWhatItNeeds(String example) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(JavaCommand.of("io.drumlin.examples." + example))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isEqualTo(64);
        assertThat(said).startsWith("usage: ").contains(example + " ").hasLineCount(1);
    }

    /** Run as a user would, in a process of its own. */
    @Test
    void theProgramRunsWithTheConfiguration() throws IOException, InterruptedException {
        String config = block("ini")
                .replaceAll("node_size    = \\d+", "node_size    = 1")
                .replaceAll("(\\w+)_dir     = \\S+", "$1_dir     = " + folder.resolve("$1"));
        Path file = Files.writeString(folder.resolve("config.fti"), config);
        Path output = folder.resolve("output.txt");

        Process process = new ProcessBuilder(JavaCommand.of("io.drumlin.examples.FirstCheckpoint", file.toString()))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }

        double expected = 0;
        for (int step = 0; step < 1000; step++) {
            expected = 0.5 * (expected + step);
        }
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
        assertThat(output).content().contains("rank 0: " + expected);
        assertThat(file).content().containsPattern("failure *= 0");
    }

    @Test
    void whatItNamesExists() throws IOException {
        String text = readme();
        assertThat(find(text, "\\]\\((?!http|#)([^)#]+)[^)]*\\)"))
                .isNotEmpty()
                .allSatisfy(link -> assertThat(ROOT.resolve(link)).exists());
        assertThat(find(text, "(scripts/[a-z-]+)"))
                .contains("scripts/demo", "scripts/test")
                .allSatisfy(script -> assertThat(ROOT.resolve(script)).isExecutable());
    }

    @Test
    void theVersionsAreThatOfTheBuild() throws IOException {
        String version = Files.readString(ROOT.resolve("version.txt")).strip();
        for (Path page : List.of(ROOT.resolve("README.md"), ROOT.resolve("docs/in-your-project.md"))) {
            String text = Files.readString(page);
            assertThat(find(text, "<version>([^<]*)</version>")).isNotEmpty().containsOnly(version);
            assertThat(find(text, "io\\.drumlin:drumlin-[a-z]+:([0-9.]+[0-9])"))
                    .isNotEmpty()
                    .containsOnly(version);
        }
    }

    @Test
    void whatThePagesLinkToExists() throws IOException {
        List<Path> pages;
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            pages = files.filter(file -> file.toString().endsWith(".md")).toList();
        }
        assertThat(pages).isNotEmpty();
        for (Path page : pages) {
            assertThat(find(Files.readString(page), "\\]\\((?!http|#)([^)#]+)[^)]*\\)"))
                    .as(page.toString())
                    .allSatisfy(link -> assertThat(page.resolveSibling(link)).exists());
        }
    }

    @Test
    void theClassesOfTheArchitectureExist() throws IOException {
        Set<String> sources;
        try (Stream<Path> files = Files.walk(ROOT.resolve("java"))) {
            sources = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .collect(Collectors.toSet());
        }
        String text = Files.readString(ROOT.resolve("docs/architecture.md"));
        assertThat(find(text, "`([A-Z][a-z0-9]+[A-Z]\\w+)[.`]"))
                .contains("CheckpointCoordinator")
                .allSatisfy(name -> assertThat(sources).contains(name + ".java"));
    }

    /** mpirun takes the first argument with these letters for the class path option. */
    @Test
    void noPropertyOfOursContainsTheLettersThatMpirunLooksFor() throws IOException {
        List<String> properties = find(readme(), "-D(drumlin[.a-z]+)");
        assertThat(properties).isNotEmpty().noneMatch(name -> name.contains("cp"));
    }
}
