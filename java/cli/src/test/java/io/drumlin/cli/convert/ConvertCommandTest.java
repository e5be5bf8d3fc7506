package io.drumlin.cli.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.cli.CommandRun;
import io.drumlin.cli.GoldenCheckpoints;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.FtiFfFile.ChecksumRule;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.VariableMeta;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("exhaustive")
class ConvertCommandTest {

    /** The same calls made with five releases of C FTI; head's files are of other calls. */
    private static final Map<Layout, String> RELEASES = new TreeMap<>(Map.of(
            Layout.A, "v1.1-levels",
            Layout.B, "v1.2-levels",
            Layout.C, "v1.3-levels",
            Layout.D, "v1.4-levels",
            Layout.E, "v1.6-levels",
            Layout.F, "dcp-md5"));

    @TempDir
    private Path directory;

    private final CommandRun command = new CommandRun();

    static Stream<Arguments> pairs() {
        return RELEASES.keySet().stream()
                .flatMap(from -> Stream.of(Layout.values()).map(to -> Arguments.of(from, to)));
    }

    /** Plain files of the first rank of a case and partner copies of the second, by snapshot and name. */
    private static Map<String, Path> plainFiles(String name) throws IOException {
        Path root = GoldenCheckpoints.folder("fti-ff/" + name);
        return GoldenCheckpoints.ftiFfFiles(root).stream()
                .filter(path -> path.getFileName().toString().matches(".*-(Rank0|Pcof1)\\.fti"))
                .collect(Collectors.toMap(
                        path -> root.relativize(path).getName(0) + "-"
                                + path.getParent().getFileName() + "-" + path.getFileName(),
                        path -> path,
                        (one, other) -> one,
                        TreeMap::new));
    }

    private static FtiFfFile read(Path path) throws IOException {
        return FtiFfFile.read(new MemoryByteSource(ByteBuffer.wrap(Files.readAllBytes(path))));
    }

    /** The variables of a file in hexadecimal, put together from their chunks by this test. */
    private static Map<Integer, String> variables(Path path) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        Map<Integer, String> variables = new TreeMap<>();
        for (VariableMeta container : read(path).containers().toList()) {
            int start = (int) container.fptr();
            int end = start + (int) container.chunkSize();
            variables.merge(container.id(), HexFormat.of().formatHex(bytes, start, end), String::concat);
        }
        return variables;
    }

    /** Of each release another third for each layout. */
    @ParameterizedTest
    @MethodSource("pairs")
    void someFilesOfReleasesBecomeThoseOfOthers(Layout from, Layout to) throws IOException {
        convert(from, to, (from.ordinal() + to.ordinal()) % 3, 3);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("pairs")
    void allFilesOfReleasesBecomeThoseOfOthers(Layout from, Layout to) throws IOException {
        convert(from, to, 0, 1);
    }

    private void convert(Layout from, Layout to, int first, int stride) throws IOException {
        boolean sameCalls = from != Layout.F && to != Layout.F;
        Map<String, Path> goal = sameCalls ? plainFiles(RELEASES.get(to)) : Map.of();
        Map<String, Path> sources = plainFiles(RELEASES.get(from));
        List<Map.Entry<String, Path>> ordered = List.copyOf(sources.entrySet());
        assertThat(ordered).hasSizeGreaterThan(first);
        for (int i = first; i < ordered.size(); i += stride) {
            Map.Entry<String, Path> each = ordered.get(i);
            Path source = each.getValue();
            Path target = directory.resolve("out.fti");
            assertThat(command.run("convert", source, target, "--to", to))
                    .as("%s: %s", source, command.err())
                    .isZero();
            assertThat(command.out())
                    .startsWith(target + ": FTI-FF layout " + to + ", made of layout " + from + ": whole");
            assertThat(variables(target)).isEqualTo(variables(source));
            assertThat(read(target).layout()).isEqualTo(to);
            if (sameCalls) {
                assertThat(goal).containsKey(each.getKey());
                assertEqualToThatOfTheRelease(target, goal.get(each.getKey()));
            }
            assertThat(command.run("verify", target)).isZero();
        }
    }

    /** All but the timestamp, padding, and at levels 2 and 3 what belongs to the other files of the group. */
    private static void assertEqualToThatOfTheRelease(Path made, Path release) throws IOException {
        FtiFfFile one = read(made);
        FtiFfFile other = read(release);
        assertThat(withoutPadding(made, one)).as("%s", release).isEqualTo(withoutPadding(release, other));
        FileMeta meta = other.meta();
        assertThat(one.meta())
                .usingRecursiveComparison()
                .ignoringFields(
                        "myHash", "timestamp", "maxFs", "ptFs", one.layout() == Layout.A ? "checksum" : "myHash")
                .as("%s", release)
                .isEqualTo(meta);
    }

    /** The bytes without the file record and without the padding of layout A; zeros that layout B leaves out included. */
    private static byte[] withoutPadding(Path path, FtiFfFile file) throws IOException {
        byte[] bytes = Arrays.copyOf(Files.readAllBytes(path), (int) file.meta().fs());
        int record = (int) file.recordOffset();
        Arrays.fill(bytes, record, record + file.layout().fileMetaLength(), (byte) 0);
        for (int b = 0; file.layout() == Layout.A && b < file.blocks().size(); b++) {
            for (int v = 0; v < file.blocks().get(b).variables().size(); v++) {
                int padding = (int) file.variableOffset(b, v) + 13;
                Arrays.fill(bytes, padding, padding + 3, (byte) 0);
            }
        }
        return bytes;
    }

    /** The example of the documentation at its last checkpoint, where containers have lost their content. */
    @ParameterizedTest
    @EnumSource(Layout.class)
    void emptiedContainersStay(Layout to) throws IOException {
        for (String name : List.of("v1.1-seed7", "seed7-l1")) {
            Path source = plainFiles(name).get("7-l1-Ckpt7-Rank0.fti");
            Path target = directory.resolve("Ckpt7-Rank0.fti");
            assertThat(command.run("convert", source, target, "--to", to)).isZero();
            assertThat(command.out().contains("new: a checksum without emptied containers"))
                    .as("C FTI's head counts them")
                    .isEqualTo(name.equals("seed7-l1"));
            assertThat(variables(target)).isEqualTo(variables(source));
            assertThat(read(target).containers().map(VariableMeta::hasContent))
                    .containsExactly(true, true, true, true, false, false, true, false, false);
            assertThat(read(target).checksumRule()).isIn(ChecksumRule.CONTENT, ChecksumRule.BYTES);

            Path back = directory.resolve("back");
            assertThat(command.run("convert", target, back, "--to", read(source).layout()))
                    .as(command.err())
                    .isZero();
            assertThat(variables(back)).isEqualTo(variables(source));
            assertThat(read(back).containers().map(VariableMeta::fptr))
                    .containsExactlyElementsOf(
                            read(source).containers().map(VariableMeta::fptr).toList());
        }
    }

    @Test
    void whatIsLostOrNewIsSaid() throws IOException {
        Path a = plainFiles("v1.1-levels").get("2-l2-Ckpt2-Rank0.fti");
        assertThat(command.run("convert", a, directory.resolve("f"), "--to", "F"))
                .isZero();
        assertThat(command.out().lines().skip(1).map(String::strip))
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("new: ckptId 2, which layout A does not hold"),
                        line -> assertThat(line).startsWith("lost: ptFs 2217; partner copies and encoded files"),
                        line -> assertThat(line).startsWith("lost: idx"),
                        line -> assertThat(line).isEqualTo("new: hasCkpt 0"),
                        line -> assertThat(line).startsWith("lost: the high 32 bits of the timestamp 1"));
        Path e = plainFiles("v1.6-levels").get("4-l4-Ckpt4-Rank0.fti");
        assertThat(command.run("convert", e, directory.resolve("a"), "--to", "A"))
                .isZero();
        assertThat(command.out().lines().skip(1).map(String::strip))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("lost: ckptId 4"),
                        line -> assertThat(line).startsWith("new: idx"),
                        line -> assertThat(line).startsWith("new: the high 32 bits of the timestamp are 0"));
        assertThat(command.run("convert", e, directory.resolve("f"), "--to", "F"))
                .isZero();
        assertThat(command.out().lines().skip(1)).isEmpty();
    }

    @Test
    void theIdIsThatOfTheFileOfItsNameOrOfTheCommandLine() throws IOException {
        Path a = plainFiles("v1.1-levels").get("1-l1-Ckpt1-Rank0.fti");
        Path unnamed = Files.copy(a, directory.resolve("unnamed"));
        Path target = directory.resolve("target");
        assertThat(command.run("convert", unnamed, target, "--to", "F")).isEqualTo(64);
        assertThat(command.err()).contains("say --id");
        assertThat(command.run("convert", unnamed, target, "--to", "F", "--id", "-1"))
                .isEqualTo(64);
        assertThat(target).doesNotExist();
        assertThat(command.run("convert", unnamed, target, "--to", "F", "--id", "77"))
                .isZero();
        assertThat(read(target).meta().ckptId()).isEqualTo(77);
        assertThat(command.run("convert", target, target, "--to", "E")).isZero();
        assertThat(read(target).meta().ckptId()).isEqualTo(77);
        assertThat(command.run("convert", target, target, "--to", "F", "--id", "77"))
                .isEqualTo(64);
        assertThat(command.run("convert", target, target, "--to", "G")).isEqualTo(64);
        assertThat(command.run("convert", target, target, "--to", "A"))
                .as("no id needed")
                .isZero();
        assertThat(variables(target)).isEqualTo(variables(a));
        assertThat(entries()).containsExactly("target", "unnamed");
    }

    @Test
    void damagedAndOtherFilesAreRefusedAndNothingIsReplaced() throws IOException {
        Path target = Files.writeString(directory.resolve("target"), "old");
        Path source = plainFiles("v1.6-levels").get("1-l1-Ckpt1-Rank0.fti");
        byte[] bytes = Files.readAllBytes(source);
        bytes[10]++;
        Path damaged = Files.write(directory.resolve("damaged"), bytes);
        assertThat(command.run("convert", damaged, target, "--to", "F")).isEqualTo(1);
        assertThat(command.out()).contains(damaged + ": hash at offset ", "the data are damaged");

        Path encoded = GoldenCheckpoints.ftiFfFiles(GoldenCheckpoints.folder("fti-ff/v1.6-levels/3")).stream()
                .filter(path -> path.toString().contains("RSed"))
                .findFirst()
                .orElseThrow();
        assertThat(command.run("convert", encoded, target, "--to", "F")).isEqualTo(2);
        assertThat(command.err()).contains("Convert the plain files");
        assertThat(command.run("convert", directory.resolve("target"), target, "--to", "F"))
                .isEqualTo(2);
        assertThat(command.run("convert", source, "/dev/null", "--to", "F")).isEqualTo(3);
        assertThat(target).hasContent("old");
        assertThat(entries()).containsExactly("damaged", "target");
    }

    private List<String> entries() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    /** Of 3 GiB, most of it a container that lost its content, so that only a hole is large. */
    @Tag("soak")
    @Test
    void filesBeyondTwoGiBAreConvertedButNotToE() throws IOException {
        long large = 3L << 30;
        byte[] chunk = {1, 2, 3, 4, 5};
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT)
                .next(List.of(new VariableSize(1, large), new VariableSize(2, 5)))
                .next(List.of(new VariableSize(1, 0), new VariableSize(2, 5)))
                .withHashes(List.of(md5(new byte[0]), md5(chunk)));
        Path file = directory.resolve("Ckpt3-Rank0.fti");
        ByteBuffer area = ByteBuffer.allocate((int) plan.metaSize());
        Layout.F.put(area, plan.blocks(), Layout.F.seal(plan.blocks(), 3, 0, -1, -1));
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.seek(large);
            sparse.write(chunk);
            sparse.write(area.array());
        }
        Path target = directory.resolve("target");
        assertThat(command.run("convert", file, target, "--to", "E")).isEqualTo(2);
        assertThat(command.err())
                .contains("a file of layout E must be smaller than 2 GiB, this would have " + (large + 5 + 190)
                        + " bytes");
        assertThat(target).doesNotExist();
        for (Layout to : List.of(Layout.B, Layout.D)) {
            assertThat(command.run("convert", file, target, "--to", to)).isZero();
            assertThat(command.run("verify", target)).isZero();
            Path variable = directory.resolve("variable");
            assertThat(command.run("extract", target, "--select", "var=2", "-o", variable))
                    .isZero();
            assertThat(variable).hasBinaryContent(chunk);
        }
    }

    private static byte[] md5(byte[] bytes) {
        try {
            return MessageDigest.getInstance("MD5").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
