package io.drumlin.cli.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.Golden;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.gsd.ChunkData;
import io.drumlin.gsd.HoomdFrame;
import io.drumlin.gsd.HoomdTrajectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GsdCommandTest {

    @TempDir
    private Path folder;

    private final CommandRun command = new CommandRun();
    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = folder.resolve("no-name-to-go-by");
        try (HoomdTrajectory trajectory = HoomdTrajectory.create(file)) {
            for (int number = 0; number < 5; number++) {
                HoomdFrame frame = new HoomdFrame();
                frame.configuration.step = 100L * number;
                frame.particles.n = 2 + number % 2;
                frame.particles.position = new float[3 * frame.particles.n];
                frame.particles.position[4] = number + 1;
                frame.log.put("energy", ChunkData.of(number == 2 ? Double.NaN : -0.5 * number));
                frame.log.put("count", ChunkData.of(7 * number));
                frame.log.put("phase", ChunkData.of(number < 3 ? "fluid" : "solid <3>"));
                frame.log.put("particles/force", ChunkData.of(new float[frame.particles.n]));
                trajectory.append(frame);
            }
        }
    }

    private static Path golden(String name) {
        return Golden.path("gsd", name);
    }

    @Test
    void inspectVerifyExtractAndMap() throws Exception {
        assertThat(command.run("inspect", file)).isZero();
        assertThat(command.out()).contains("GSD 2.1, schema hoomd 1.4", "frames            5", "particles/position");
        assertThat(command.run("inspect", "--json", file)).isZero();
        Map<String, Object> json = JSON.std.mapFrom(command.out());
        assertThat(json).containsEntry("format", "GSD").containsEntry("nframes", 5);
        assertThat(command.run("verify", file)).isZero();
        Path out = folder.resolve("out");
        assertThat(command.run("extract", file, "--select", "chunk=particles/position,frame=3,rows=1:3", "-o", out))
                .isZero();
        assertThat(ByteBuffer.wrap(Files.readAllBytes(out))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .asFloatBuffer())
                .isEqualTo(ByteBuffer.allocate(24)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putFloat(4, 4)
                        .asFloatBuffer());
        assertThat(command.run("extract", file, "--select", "chunk=log/phase,frame=0", "-o", out))
                .isZero();
        assertThat(out).hasContent("fluid");
        assertThat(command.run("map", file, "-o", folder.resolve("m.svg"))).isZero();
        assertThat(folder.resolve("m.svg")).content().contains("names", "particles/position of frame 4", "index");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "chunk=particles/position",
                "chunk=x,frame=-1",
                "var=1",
                "chunk=log/phase,frame=0,rows=1",
                "chunk=,frame=0"
            })
    void wrongSelectionsAreRefused(String selection) {
        assertThat(command.run("extract", file, "--select", selection, "-o", folder.resolve("out")))
                .isEqualTo(ExitCode.USAGE);
        assertThat(command.err()).contains("chunk=NAME,frame=I");
    }

    @Test
    void whatIsNotThereIsSaid() throws IOException {
        Path out = folder.resolve("out.svg");
        assertThat(command.run("extract", file, "--select", "chunk=nothing,frame=0", "-o", out))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("has no chunk nothing in frame 0");
        assertThat(command.run("extract", file, "--select", "chunk=log/phase,frame=5", "-o", out))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("extract", file, "--select", "chunk=log/phase,frame=0,rows=3:9", "-o", out))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("has no rows 3:9; it has 5");
        assertThat(command.run("gsd", "plot", file, "--log", "entropy", "-o", out))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("log/energy");
        assertThat(command.run("gsd", "plot", file, "--log", "phase", "-o", out))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("gsd", "log", file, "particles/force")).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("gsd")).isEqualTo(ExitCode.USAGE);
        assertThat(command.run("gsd", "plot", file, "--log", "energy", "-o", folder.resolve("x.png")))
                .isEqualTo(ExitCode.USAGE);
        assertThat(out).doesNotExist();
        assertThat(command.run("gsd", "frames", Files.writeString(folder.resolve("text"), "text")))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
    }

    @Test
    void framesAndLogsAreShown() throws Exception {
        assertThat(command.run("gsd", "frames", file)).isZero();
        assertThat(command.out().lines()).hasSize(6).last().asString().matches(" +4 +\\d+ +\\d+");
        assertThat(command.run("gsd", "frames", "--json", file)).isZero();
        assertThat((List<?>) JSON.std.mapFrom(command.out()).get("frames")).hasSize(5);
        assertThat(command.run("gsd", "log", file)).isZero();
        assertThat(command.out().lines().map(line -> line.trim().replaceAll(" +", " ")))
                .containsExactly(
                        "STEP energy count phase",
                        "0 -0.0 0 fluid",
                        "100 -0.5 7 fluid",
                        "200 NaN 14 fluid",
                        "300 -1.5 21 solid <3>",
                        "400 -2.0 28 solid <3>");
        assertThat(command.run("gsd", "log", file, "log/count")).isZero();
        assertThat(command.out()).startsWith("  STEP  count");
        assertThat(command.run("gsd", "log", "--json", file)).isZero();
        Map<String, Object> json = JSON.std.mapFrom(command.out());
        assertThat(json.get("configuration/step")).isEqualTo(List.of(0, 100, 200, 300, 400));
        assertThat((List<?>) json.get("log/energy")).element(2).isNull();
        assertThat((List<?>) json.get("log/particles/force")).element(1).isEqualTo(List.of(0.0, 0.0, 0.0));
        assertThat(json.get("log/phase")).isEqualTo(List.of("fluid", "fluid", "fluid", "solid <3>", "solid <3>"));
    }

    @Test
    void curvesAreDrawnWithGapsWhereThereIsNoNumber() throws Exception {
        Path svg = folder.resolve("energy.svg");
        assertThat(command.run("gsd", "plot", file, "--log", "energy", "--log", "count", "-o", svg))
                .isZero();
        var paths = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(svg.toFile())
                .getElementsByTagName("path");
        assertThat(paths.getLength()).isEqualTo(2);
        String energy = paths.item(0).getAttributes().getNamedItem("d").getNodeValue();
        assertThat(energy).matches("M[\\d. ]+L[\\d. ]+M[\\d. ]+L[\\d. ]+");
        assertThat(paths.item(1).getAttributes().getNamedItem("d").getNodeValue())
                .matches("M90\\.0 [\\d.]+(L[\\d. ]+){4}");
    }

    @Test
    void damageIsFound() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int index = (int) ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(8);
        bytes[index + 32 + 30] = 77; // type of the second entry
        Path damaged = Files.write(folder.resolve("damaged"), bytes);
        for (String look : List.of("verify", "inspect")) {
            assertThat(command.run(look, damaged)).isEqualTo(ExitCode.DAMAGED);
            assertThat(command.out() + command.err()).contains("type at offset " + (index + 62), "77");
        }
        bytes[44] = 9; // gsd_version
        bytes[46] = 9;
        assertThat(command.run("inspect", Files.write(damaged, bytes))).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.err()).contains("gsd_version at offset 44");
        assertThat(command.run("extract", damaged, "--select", "chunk=a,frame=0", "-o", "-"))
                .isEqualTo(ExitCode.DAMAGED);
        assertThat(command.run("gsd", "frames", damaged)).isEqualTo(ExitCode.DAMAGED);
    }

    @Test
    void truncateAndUpgradeChangeTheFile() throws IOException {
        assertThat(command.run("gsd", "upgrade", file)).isZero();
        assertThat(command.out()).contains("of version 2.1 already");
        assertThat(command.run("gsd", "truncate", file)).isZero();
        assertThat(command.out()).contains("5 frames deleted");
        assertThat(Files.size(file)).isEqualTo(5376);
        Path old = Files.write(folder.resolve("old"), Files.readAllBytes(golden("v10_alltypes/file.gsd")));
        assertThat(command.run("gsd", "upgrade", old)).isZero();
        assertThat(command.out()).contains("upgraded from version 1.0 to 2.1");
        assertThat(command.run("inspect", old)).isZero();
        assertThat(command.out()).contains("GSD 2.1");
    }

    static Stream<Path> files() throws IOException {
        try (Stream<Path> paths = Files.walk(golden("."))) {
            List<Path> found = paths.filter(path -> path.endsWith("file.gsd"))
                    .filter(path -> !path.toString().contains("corrupt"))
                    .sorted()
                    .toList();
            return found.stream();
        }
    }

    /** The numbers are those of the manifest. */
    @ParameterizedTest
    @MethodSource("files")
    void filesOfTheCLibraryAreShown(Path path) throws Exception {
        Map<String, Object> manifest = JSON.std.mapFrom(Files.readString(path.resolveSibling("manifest.json")));
        Map<?, ?> expected = (Map<?, ?>) manifest.get("expected");
        // What cannot be found because its name is there twice is a finding.
        int exitCode = path.toString().contains("duplicate") ? ExitCode.DAMAGED : ExitCode.OK;
        assertThat(command.run("inspect", "--json", path)).as(command.err()).isEqualTo(exitCode);
        Map<String, Object> json = JSON.std.mapFrom(command.out());
        assertThat(json.get("nframes")).isEqualTo(expected.get("nframes"));
        assertThat(json.get("index_entries")).isEqualTo(expected.get("index_entries"));
        assertThat((List<?>) json.get("names")).hasSize((Integer) expected.get("names_count"));
        assertThat(command.run("verify", path)).as(command.out()).isEqualTo(exitCode);
    }

    /** Ids without a name, and entries in no order: what a frame lists is not found, or has no name. */
    @Test
    void anIndexThatIsDamagedIsToldInWords() throws IOException {
        assertThat(command.run("inspect", "--json", file)).isZero();
        Map<String, Object> shown = JSON.std.mapFrom(command.out());
        int index = ((Number) shown.get("index_location")).intValue();
        int entries = ((Number) shown.get("index_entries")).intValue();
        byte[] whole = Files.readAllBytes(file);
        // Seven words and entries of eight: each field of some entry is damaged.
        for (int at = index; at < index + entries * 32; at += 7 * Integer.BYTES) {
            for (int value : new int[] {0, 1, 0xffff, Integer.MIN_VALUE}) {
                byte[] damaged = whole.clone();
                ByteBuffer.wrap(damaged).order(ByteOrder.LITTLE_ENDIAN).putInt(at, value);
                Files.write(file, damaged);
                for (List<Object> arguments : List.<List<Object>>of(
                        List.of("gsd", "log", file),
                        List.of("gsd", "log", "--json", file),
                        List.of("gsd", "frames", file),
                        List.of("gsd", "plot", file, "--log", "energy", "-o", folder.resolve("p.svg")))) {
                    int code = command.run(arguments.toArray());
                    assertThat(code)
                            .as("%s, %s at %s: %s", arguments, value, at, command.err())
                            .isBetween(0, ExitCode.IO_ERROR);
                    assertThat(command.err()).doesNotContain("\tat ");
                }
            }
        }
    }
}
