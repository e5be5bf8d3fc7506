package io.drumlin.cli.diff;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.Golden;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.FtiFfFiles;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.file.ValueType;
import io.drumlin.cli.inspect.ShowCommandTest;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code drumlin diff} on files. */
class DiffCommandTest {

    @TempDir
    private Path folder;

    private final long seed = Long.getLong("drumlin.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final CommandRun command = new CommandRun();

    private int diff(Object... arguments) {
        return command.run(
                Stream.concat(Stream.of("diff"), Arrays.stream(arguments)).toArray());
    }

    private Map<String, Object> json(int exit, Object... arguments) throws IOException {
        Object[] words =
                Stream.concat(Arrays.stream(arguments), Stream.of("--json")).toArray();
        assertThat(diff(words)).as(command.err() + command.out()).isEqualTo(exit);
        return JSON.std.mapFrom(command.out());
    }

    @SuppressWarnings("unchecked") // as written by the command
    private static Map<String, Object> data(Map<String, Object> json, int number) {
        return ((List<Map<String, Object>>) json.get("data")).get(number);
    }

    private static byte[] bytes(double... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asDoubleBuffer().put(values);
        return bytes.array();
    }

    private Path file(String name, double... values) throws IOException {
        return FtiFfFiles.write(folder.resolve(name), new TreeMap<>(Map.of(1, bytes(values))));
    }

    @Test
    void equalFilesAreEqual() throws IOException {
        for (Path file : List.of(
                ShowCommandTest.golden("fti-ff/types-l1", "Ckpt1-Rank1.fti"),
                ShowCommandTest.golden("fti-posix/types-4r", "Ckpt12-Rank3.fti"),
                ShowCommandTest.golden("fti-posix/l4-mpiio-8r", "Ckpt4-mpiio.fti"),
                ShowCommandTest.golden("gsd/v21_alltypes", "file.gsd"))) {
            assertThat(diff(file, file)).as(command.err() + command.out()).isZero();
            assertThat(command.out().lines()).first().asString().startsWith("A: " + file + ": ");
            assertThat(command.out())
                    .contains("\nequal: ", " equal, 0 different")
                    .doesNotContain("differ,");
        }
        Path dcp = Files.walk(Golden.path("fti-posix/dcp-posix-4r"))
                .filter(file -> file.getFileName().toString().startsWith("dcp-id"))
                .findFirst()
                .orElseThrow();
        assertThat(diff(dcp, dcp)).as(command.err()).isZero();
    }

    @Test
    void theFirstDifferenceAndTheErrorsAreTold() throws IOException {
        Path a = file("a", 1, 2, 3, 4, 5);
        Path b = file("b", 1, 2.5, 3, 4.0625, 5);
        assertThat(diff(a, b, "--type", "double")).isEqualTo(1);
        assertThat(command.out().lines())
                .contains(
                        "var=1 (double): 2 of 5 differ, first at [1]: 2.0 and 2.5; largest error 0.500000, relative"
                                + " 0.200000",
                        "    1e-2                1  ########################################",
                        "    1e-1                1  ########################################",
                        "different: 0 equal, 1 different");
        Map<String, Object> json = json(1, a, b, "--type", "var=1:double");
        assertThat(json).containsEntry("equal", false).containsEntry("different_count", 1);
        assertThat(data(json, 0))
                .containsEntry("name", "var=1")
                .containsEntry("different", 2)
                .containsEntry("max_absolute_error", 0.5)
                .containsEntry("max_relative_error", 0.2)
                .containsEntry("errors_by_decade", Map.of("1e-2", 1, "1e-1", 1));
        assertThat(diff(a, b)).isEqualTo(1);
        assertThat(command.out()).contains("var=1 (bytes): 2 of 40 differ, first at [14]: 00 and 04");
    }

    @ParameterizedTest
    @CsvSource({
        "0.5,0,0,2",
        "0.4,0,1,1",
        "0.0625,0,1,1",
        "0,0.2,0,2",
        "0,0.1,1,1",
        "0.1,0.2,0,2",
        "inf,0,64,0",
        "-1,0,2,0",
        "NaN,0,2,0",
    })
    void errorsWithinTheToleranceAreEqual(String absolute, String relative, int exit, int within) throws IOException {
        Path a = file("a", 1, 2, 3, 4, 5);
        Path b = file("b", 1, 2.5, 3, 4.0625, 5);
        Object[] words = {a, b, "--type", "double", "--tolerance", absolute, "--relative-tolerance", relative};
        if (exit > 1) {
            assertThat(diff(words)).isEqualTo(2);
        } else {
            assertThat(data(json(exit, words), 0)).containsEntry("within_tolerance", within);
        }
    }

    @Test
    void specialNumbersAreWhatTheyAre() throws IOException {
        double quiet = Double.longBitsToDouble(0x7ff8000000000001L);
        double other = Double.longBitsToDouble(0xfff8000000000777L);
        double signalling = Double.longBitsToDouble(0x7ff0000000000001L);
        double infinite = Double.POSITIVE_INFINITY;
        Object[] asDoubles = {"--type", "double", "--tolerance", "1e300", "--relative-tolerance", "1"};
        assertThat(data(compared(0, asDoubles, new double[] {0.0, quiet}, new double[] {-0.0, other}), 0))
                .containsEntry("only_bits", 2)
                .containsEntry("different", 0);
        assertThat(command.run("diff", folder.resolve("a"), folder.resolve("b"), "--type", "double"))
                .isZero();
        assertThat(command.out())
                .contains("equal, 2 elements; 2 differ only in the sign of zero or in the bits of NaN");
        for (double[] pair : new double[][] {
            {quiet, signalling}, {quiet, 1}, {infinite, 1}, {infinite, -infinite}, {Double.MAX_VALUE, infinite}
        }) {
            assertThat(data(compared(1, asDoubles, new double[] {pair[0]}, new double[] {pair[1]}), 0))
                    .containsEntry("different", 1)
                    .containsEntry("infinite_or_nan", 1);
        }
        assertThat(compared(0, asDoubles, new double[] {infinite}, new double[] {infinite}))
                .containsEntry("equal", true);
    }

    private Map<String, Object> compared(int exit, Object[] options, double[] a, double[] b) throws IOException {
        Object[] files = {file("a", a), file("b", b)};
        return json(
                exit,
                Stream.concat(Arrays.stream(files), Arrays.stream(options)).toArray());
    }

    /** Against the plainest comparison, with containers at other places on both sides and more than a round of bytes. */
    @ParameterizedTest
    @ValueSource(strings = {"byte", "ushort", "int", "ulong", "float", "double"})
    void countsAreThoseOfAPlainLoop(String typeName) throws IOException {
        ValueType type = ValueType.parsed(typeName).orElseThrow();
        for (int round = 0; round < 3; round++) {
            int most = round > 0 ? 3000 : type.size() == Double.BYTES ? 1_300_000 : 200_000;
            byte[] a = new byte[(1 + random.nextInt(most)) * type.size()];
            random.nextBytes(a);
            byte[] b = a.clone();
            for (int n = random.nextInt(1 << random.nextInt(10)); n > 0; n--) {
                b[random.nextInt(b.length)] += (byte) (1 << random.nextInt(8));
            }
            // The same containers on both sides, in which no element is divided, are compared side by side.
            long third = Math.max(1, a.length / type.size() / 3) * type.size();
            long[] ends =
                    round == 1 ? new long[] {random.nextInt(a.length), a.length / 2} : new long[] {third, 2 * third};
            Path pathA = FtiFfFiles.write(
                    folder.resolve("a"),
                    new TreeMap<>(Map.of(3, a, 5, b)),
                    round == 1 ? new long[] {random.nextInt(a.length)} : ends);
            Path pathB = FtiFfFiles.write(folder.resolve("b"), new TreeMap<>(Map.of(3, b, 5, b)), ends);
            ByteBuffer ofA = ValueType.littleEndian(a);
            ByteBuffer ofB = ValueType.littleEndian(b);
            long different = 0;
            long first = -1;
            double largest = 0;
            for (int i = 0; i < a.length; i += type.size()) {
                double error = error(type, ofA, ofB, i);
                different += error == 0 ? 0 : 1;
                first = error != 0 && first < 0 ? i / type.size() : first;
                largest = error <= Double.MAX_VALUE ? Math.max(largest, error) : largest;
            }
            String as = typeName + ", " + a.length + " bytes, -Ddrumlin.test.seed=" + seed;
            Map<String, Object> json = json(different > 0 ? 1 : 0, pathA, pathB, "--type", typeName);
            assertThat(((Number) data(json, 0).get("different")).longValue())
                    .as(as)
                    .isEqualTo(different);
            if (different > 0) {
                assertThat(((Map<?, ?>) data(json, 0).get("first")).get("element"))
                        .as(as)
                        .isEqualTo((int) first);
            }
            Number error = (Number) data(json, 0).getOrDefault("max_absolute_error", 0);
            assertThat(error.doubleValue()).as(as).isEqualTo(largest);
            assertThat(data(json, 1)).as(as).containsEntry("equal", true);
        }
    }

    private static double error(ValueType type, ByteBuffer a, ByteBuffer b, int at) {
        if (!type.isFloat()) {
            BigInteger difference = new BigInteger(type.text(a, at)).subtract(new BigInteger(type.text(b, at)));
            return difference.abs().doubleValue();
        }
        double x = type.number(a, at);
        double y = type.number(b, at);
        if (Double.isNaN(x) && Double.isNaN(y)) {
            return type.isQuiet(a, at) == type.isQuiet(b, at) ? 0 : Double.NaN;
        }
        return x == y ? 0 : Math.abs(x - y);
    }

    @Test
    void whatOnlyOneHasIsNamed() throws IOException {
        Path a = FtiFfFiles.write(folder.resolve("a"), new TreeMap<>(Map.of(1, bytes(1), 2, bytes(2), 4, bytes(1, 2))));
        Path b = FtiFfFiles.write(
                folder.resolve("b"), new TreeMap<>(Map.of(2, bytes(2), 3, bytes(3), 4, bytes(1, 2, 3))));
        assertThat(diff(a, b)).isEqualTo(1);
        assertThat(command.out().lines())
                .contains(
                        "var=1: only in A",
                        "var=3: only in B",
                        "var=2 (bytes): equal, 8 elements",
                        "var=4 (bytes): 16 and 24 bytes; the first 16 are equal",
                        "different: 1 equal, 1 different, 1 only in A, 1 only in B");
        assertThat(diff(a, b, "--brief")).isEqualTo(1);
        assertThat(command.out()).doesNotContain("var=2");
        assertThat(diff(a, b, "--select", "var=2")).isZero();
        assertThat(command.out()).contains("equal: 1 equal, 0 different");
        assertThat(json(1, a, b).get("only_in_b")).isEqualTo(List.of("var=3"));
    }

    @Test
    void ranksOfASharedFileAreComparedOneByOne() throws IOException {
        Path shared = ShowCommandTest.golden("fti-posix/l4-mpiio-8r", "Ckpt4-mpiio.fti");
        Path meta = ShowCommandTest.golden("fti-posix/l4-mpiio-8r", "sector0-group0.fti")
                .getParent();
        Path changed = folder.resolve("Ckpt4-mpiio.fti");
        byte[] bytes = Files.readAllBytes(shared);
        bytes[828]++;
        Files.write(changed, bytes);
        assertThat(diff(shared, changed, "--meta-b", meta)).isEqualTo(1);
        assertThat(command.out().lines())
                .contains(
                        "var=1 of rank 2 (int): 1 of 66 differ, first at [0]: 2010417 and 2010418; largest error 1.00000,"
                                + " relative 4.97409e-07; not verified",
                        "var=2 of rank 7 (double): equal, 21 elements; not verified")
                .anyMatch(line ->
                        line.startsWith("not verified, because there are no digests of them: var=1 of rank 0, "));
        assertThat(diff(shared, changed, "--meta-b", meta, "--select", "var=1,rank=3"))
                .isZero();
        assertThat(diff(shared, changed, "--meta-b", meta, "--select", "var=1,rank=8"))
                .isEqualTo(2);
    }

    @Test
    void damageIsNoDifference() throws IOException {
        Path golden = ShowCommandTest.golden("fti-ff/types-l1", "Ckpt1-Rank1.fti");
        byte[] bytes = Files.readAllBytes(golden);
        bytes[500]++;
        Path damaged = Files.write(folder.resolve("damaged"), bytes);
        assertThat(diff(golden, damaged)).isEqualTo(ExitCode.DAMAGED_DATA);
        assertThat(command.err()).contains("hash at offset", damaged.toString());
        assertThat(diff(damaged, golden)).isEqualTo(ExitCode.DAMAGED_DATA);
        assertThat(diff(damaged, golden, "--json")).isEqualTo(ExitCode.DAMAGED_DATA);
        assertThat(JSON.std.mapFrom(command.out())).doesNotContainKey("equal");

        // The digest of such a file covers all of it.
        Path posix = ShowCommandTest.golden("fti-posix/types-4r", "Ckpt12-Rank3.fti");
        Path meta = ShowCommandTest.golden("fti-posix/types-4r", "sector0-group0.fti")
                .getParent();
        byte[] other = Files.readAllBytes(posix);
        other[600]++;
        Path changed = Files.write(folder.resolve("Ckpt12-Rank3.fti"), other);
        assertThat(diff(posix, changed, "--meta-b", meta)).isEqualTo(ExitCode.DAMAGED_DATA);
        assertThat(command.err()).contains("ckpt_checksum at offset 0");
        assertThat(diff(posix, changed, "--meta-b", meta, "--select", "var=1")).isEqualTo(ExitCode.DAMAGED_DATA);
    }

    @ParameterizedTest
    @CsvSource({
        "--select,var=99,neither A nor B has this",
        "--select,'var=1,rows=0:1',all rows are compared",
        "--select,var,needs KEY=VALUE",
        "--type,quad,there is none of that name",
        "--type,var=99:int,neither A nor B has var=99",
        "--type,var=10:double,'var=10 has 101 bytes, which are no double'",
        "--tolerance,-1,a tolerance must be 0 or more",
        "-o,picture.png,must end in .svg",
        "--nonsense,x,Unknown option"
    })
    void whatCannotBeComparedIsRefused(String option, String value, String words) throws IOException {
        Path file = ShowCommandTest.golden("fti-ff/types-l1", "Ckpt1-Rank1.fti");
        assertThat(diff(file, file, option, value)).isEqualTo(2);
        assertThat(command.err()).contains(words);
        assertThat(command.out()).isEmpty();
    }

    @Test
    void otherFormatsAreRefused() throws IOException {
        Path file = ShowCommandTest.golden("fti-ff/types-l1", "Ckpt1-Rank1.fti");
        Path trajectory = ShowCommandTest.golden("gsd/v21_alltypes", "file.gsd");
        assertThat(diff(file, trajectory)).isEqualTo(2);
        assertThat(command.err()).contains("has data by the name of var", "of chunk; they cannot be compared");
        assertThat(diff(file, Files.write(folder.resolve("x"), new byte[500]))).isEqualTo(2);
        assertThat(diff(file, folder.resolve("missing"))).isEqualTo(3);
        Path encoded = ShowCommandTest.golden("fti-ff/l3-8r", "Ckpt" + "1" + "-RSed0.fti");
        assertThat(diff(encoded, encoded)).isEqualTo(2);
        assertThat(command.err()).contains("no variables are in a Reed-Solomon file");
        assertThat(command.out()).isEmpty();
    }

    @Test
    void aPictureShowsTheErrors() throws Exception {
        Path a = file("a", 1, 2, 3, 4, 5);
        Path b = file("b", 1, 2.5, 3, Double.NaN, 5.000001);
        Path picture = folder.resolve("diff.svg");
        assertThat(diff(a, b, "--type", "double", "--tolerance", "0.01", "-o", picture))
                .isEqualTo(1);
        var svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(picture.toFile());
        assertThat(svg.getDocumentElement().getTextContent())
                .contains("Differences of a and b", "var=1", "2 of 5 differ", "infinite or NaN: 1 elements")
                .contains("1e-6 to 1e-5: 1 elements", "1e-1 to 1e0: 1 elements", "tolerance");
        assertThat(diff(a, a, "--type", "double", "-o", picture)).isZero();
        assertThat(picture).content().contains("1 equal, 0 different: no elements differ");
    }

    @Test
    void decadesAreExact() {
        for (int exponent = -323; exponent <= 308; exponent++) {
            double power = Double.parseDouble("1e" + exponent);
            assertThat(Decades.of(power)).isEqualTo(exponent);
            assertThat(Decades.of(Math.nextDown(power))).isEqualTo(exponent - 1);
        }
        assertThat(Decades.of(Double.MIN_VALUE)).isEqualTo(-324);
        assertThat(Decades.of(Double.MAX_VALUE)).isEqualTo(308);
    }
}
