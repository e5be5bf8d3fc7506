package io.drumlin.cli.picture;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.GoldenCheckpoints;
import io.drumlin.comm.SingleCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.NodeList;

class MapCommandTest {

    @TempDir
    private Path directory;

    private final CommandRun command = new CommandRun();

    /** Ranges of the picture by their hovers: name, offset and length. */
    private static Set<String> hovers(Path svg) throws Exception {
        NodeList titles = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(svg.toFile())
                .getElementsByTagName("title");
        return IntStream.range(0, titles.getLength())
                .mapToObj(i -> titles.item(i).getTextContent().lines().limit(3).collect(Collectors.joining(", ")))
                .collect(Collectors.toSet());
    }

    /** The offsets are those that docs/formats/fti-ff.md, section 6, has for the seventh checkpoint of the example. */
    @Test
    void theExampleOfTheDocumentationIsDrawnAsItIsDescribed() throws Exception {
        Path file = GoldenCheckpoints.ftiFfFiles(GoldenCheckpoints.folder("fti-ff/seed7-l1/7"))
                .get(0);
        Path svg = directory.resolve("picture.svg");
        assertThat(command.run("map", file, "-o", svg)).isZero();
        assertThat(hovers(svg))
                .contains(
                        "block 0, offset 0, length 24000 bytes (23.4 KiB)",
                        "container 2.0, offset 4000, length 8000 bytes (7.8 KiB)",
                        "chunk 2.0, offset 4000, length 4000 bytes (3.9 KiB)",
                        "unused, offset 8000, length 4000 bytes (3.9 KiB)",
                        "block 4, offset 92000, length 16000 bytes (15.6 KiB)",
                        "empty, offset 92000, length 8000 bytes (7.8 KiB)",
                        "metadata, offset 108000, length 688 bytes",
                        "variable record 1.0, offset 108012, length 58 bytes",
                        "file record, offset 108582, length 106 bytes");
        assertThat(Files.readString(svg)).contains("variable 5 · 19.5 KiB", "layout F");
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @ValueSource(
            strings = {"v1.1-levels", "v1.2-levels", "v1.3-levels", "v1.4-levels", "v1.6-levels", "l3-8r", "l2-8r"})
    void filesOfAllLayoutsAndKindsAreDrawn(String name) throws Exception {
        Set<String> kinds = new HashSet<>();
        for (Path file : GoldenCheckpoints.ftiFfFiles(GoldenCheckpoints.folder("fti-ff/" + name))) {
            Path svg = directory.resolve("picture.svg");
            assertThat(command.run("map", file, "-o", svg))
                    .as("%s: %s", file, command.err())
                    .isZero();
            Set<String> hovers = hovers(svg);
            boolean encoded = file.toString().contains("RSed");
            assertThat(hovers).as("%s", file).anyMatch(each -> each.startsWith("file record, "));
            assertThat(hovers.stream().anyMatch(each -> each.startsWith("encoded bytes, offset 0, ")))
                    .isEqualTo(encoded);
            assertThat(hovers.stream().anyMatch(each -> each.startsWith("chunk 1.0, ")))
                    .isNotEqualTo(encoded);
            assertThat(hovers).as("%s", file).noneMatch(each -> each.startsWith("gap"));
            kinds.add(file.getFileName().toString().replaceAll(".*-|[\\d.].*", ""));
        }
        assertThat(kinds).isNotEmpty();
    }

    @Test
    void aPageHasThePictureAndATable() throws IOException {
        Path file = GoldenCheckpoints.ftiFfFiles(GoldenCheckpoints.folder("fti-ff/v1.1-levels"))
                .get(0);
        Path html = directory.resolve("picture.HTML");
        assertThat(command.run("map", file, "-o", html)).isZero();
        assertThat(Files.readString(html))
                .contains("<svg", "variable record 1.0</td>", "containersize")
                .endsWith("</html>\n");
    }

    @Test
    void damagedFilesAreDrawnAsFarAsPossible() throws Exception {
        Path file = GoldenCheckpoints.ftiFfFiles(GoldenCheckpoints.folder("fti-ff/seed7-l1/7"))
                .get(0);
        byte[] bytes = Files.readAllBytes(file);
        bytes[108012 + 18 + 7] = 0x40; // fptr of the first container
        Path damaged = Files.write(directory.resolve("damaged"), bytes);
        Path svg = directory.resolve("picture.svg");
        assertThat(command.run("map", damaged, "-o", svg)).isEqualTo(1);
        assertThat(command.err()).contains("fptr at offset 108030");
        assertThat(hovers(svg)).contains("container 5.0, offset 72000, length 20000 bytes (19.5 KiB)");
    }

    /** Nobody sees ten thousand containers in a picture, and a program would not open it. */
    @Test
    void aBlockOfVeryManyContainersIsDrawnWhole() throws Exception {
        for (String root : List.of("Local", "Global", "Meta")) {
            Files.createDirectory(directory.resolve(root));
        }
        Path config = Files.writeString(
                directory.resolve("config.fti"),
                """
                [basic]
                ckpt_dir = %1$s/Local
                glbl_dir = %1$s/Global
                meta_dir = %1$s/Meta
                node_size = 1
                ckpt_io = 3
                verbosity = 3
                [restart]
                failure = 0
                [advanced]
                block_size = 1024
                local_test = 1
                [drumlin]
                packing = compact
                """
                        .formatted(directory));
        try (Checkpoints checkpoints = Checkpoints.open(config, new SingleCommunicator())) {
            for (int id = 0; id <= 10_000; id++) {
                checkpoints.protect(id, new byte[1]);
            }
            checkpoints.checkpoint(1, Level.L4);
        }
        Path svg = directory.resolve("picture.svg");
        Path file = GoldenCheckpoints.ftiFfFiles(directory.resolve("Global")).get(0);
        assertThat(command.run("map", file, "-o", svg)).as(command.err()).isZero();
        assertThat(hovers(svg))
                .contains("block 0, offset 0, length 10001 bytes (9.8 KiB)")
                .hasSizeLessThan(10);
    }

    @Test
    void wrongNamesAndFilesAreRefused() throws IOException {
        Path text = Files.writeString(directory.resolve("text"), "no checkpoint");
        assertThat(command.run("map", text, "-o", directory.resolve("x.png"))).isEqualTo(64);
        assertThat(command.err()).contains("must end in .svg or .html");
        assertThat(command.run("map", text, "-o", directory.resolve("x.svg"))).isEqualTo(2);
        assertThat(command.run("map", text)).isEqualTo(64);
        assertThat(directory.resolve("x.svg")).doesNotExist();
    }
}
