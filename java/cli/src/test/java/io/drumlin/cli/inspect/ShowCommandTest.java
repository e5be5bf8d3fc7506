package io.drumlin.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.Golden;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.base.ExitCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code drumlin show} on files of the C originals. */
public class ShowCommandTest {

    @TempDir
    private Path folder;

    private final CommandRun command = new CommandRun();

    /** The only file of a case of that name. */
    public static Path golden(String folder, String name) throws IOException {
        try (Stream<Path> files = Files.walk(Golden.path(folder))) {
            return files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
        }
    }

    private List<String> show(Object... arguments) {
        assertThat(command.run(arguments)).as(command.err()).isZero();
        return command.out().lines().toList();
    }

    /** The formula of the data is in the manifest of the case. */
    @ParameterizedTest
    @CsvSource({
        "1,byte,5,109",
        "2,short,6,6276",
        "3,int,7,3030939",
        "4,long,8,3040946",
        "5,ubyte,9,201",
        "6,ushort,10,46304",
        "7,uint,11,3070967",
        "8,ulong,12,3080974",
        "9,float,13,1545490.5",
        "10,double,14,775247.0",
        "11,longdouble,15,388874.375"
    })
    void typesAreThoseOfTheMetadata(int id, String type, int count, String first) throws IOException {
        List<String> lines = show("show", golden("fti-posix/types-4r", "Ckpt12-Rank3.fti"), "--select", "var=" + id);
        assertThat(lines.get(0)).startsWith("var=" + id + " of rank 3: " + type + ", " + count + ", ");
        assertThat(lines).hasSize(1 + count).contains("  [0] " + first);
    }

    @Test
    void theUserSaysATypeThatTheFileDoesNotHave() throws IOException {
        Path file = golden("fti-ff/types-l1", "Ckpt1-Rank1.fti");
        assertThat(show("show", file, "--select", "var=1", "--type", "double"))
                .hasSize(22)
                .contains("var=1: double, 80, 640 bytes", "  [9] 125126.125", "  ...", "  [79] 125134.875");
        assertThat(show("show", file, "--select", "var=1,rows=2:4", "--type", "float64"))
                .containsExactly("var=1: double, 80, 640 bytes", "  [2] 125125.25", "  [3] 125125.375");
        assertThat(show("show", file, "--select", "var=1", "--type", "double", "--all"))
                .hasSize(81)
                .contains("  [40] 125130.0");
        assertThat(show("show", file, "--select", "var=100"))
                .hasSize(3)
                .element(2)
                .asString()
                .startsWith("  [16] ");
    }

    @Test
    void rowsOfTwoDimensionsAreLines() throws IOException {
        Path file = golden("gsd/hoomd_v341_full", "file.gsd");
        assertThat(show("show", file, "--select", "chunk=particles/position,frame=0"))
                .containsExactly(
                        "chunk=particles/position,frame=0: float, 2x3, 24 bytes, without a digest",
                        "  [0] 0.1 0.2 0.3",
                        "  [1] -1.0 -2.0 -3.0");
        assertThat(show("show", file, "--select", "chunk=particles/position,frame=0,rows=1:2"))
                .endsWith("  [1] -1.0 -2.0 -3.0")
                .hasSize(2);
    }

    /** Elements of a program's types, characters, and long rows. */
    @Test
    void noControlCharacterIsPrinted() throws IOException {
        Path file = golden("fti-ff/types-l1", "Ckpt1-Rank1.fti");
        for (String type : List.of("char", "bytes")) {
            assertThat(show("show", file, "--select", "var=10", "--type", type, "--all"))
                    .allMatch(line -> line.chars().noneMatch(Character::isISOControl));
        }
        assertThat(show("show", file, "--select", "var=10", "--type", "char").get(1))
                .startsWith("  [0] \"PQRSTUVWXYZ[\\\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\\x7f\\x80");
    }

    @ParameterizedTest
    @CsvSource({
        "var=99,double,2,has no variable 99",
        "var=10,double,2,'var=10 has 101 bytes, which are no double of 8 bytes each'",
        "var=10,quad,64,there is none of that name",
        "'var=10,rows=90:102',byte,2,'var=10 has no rows 90:102; it has 101'",
        "'var=10,rows=5:4',byte,2,has no rows 5:4",
        "'var=10,rank=1',byte,64,does not tell ranks apart",
        "var,byte,64,--select needs KEY=VALUE",
        "dataset=10,byte,64,of an FTI-FF file select var=ID"
    })
    void whatCannotBeShownIsRefused(String selection, String type, int exit, String words) throws IOException {
        Path file = golden("fti-ff/types-l1", "Ckpt1-Rank1.fti");
        assertThat(command.run("show", file, "--select", selection, "--type", type))
                .isEqualTo(exit);
        assertThat(command.err()).contains(words);
        assertThat(command.out()).isEmpty();
    }

    @Test
    void aRankOfASharedFileIsSelected() throws IOException {
        Path file = golden("fti-posix/l4-mpiio-8r", "Ckpt4-mpiio.fti");
        assertThat(show("show", file, "--select", "var=1,rank=5")).contains("  [0] 5010426");
        assertThat(show("show", file, "--select", "var=1@5")).contains("  [0] 5010426");
        assertThat(command.run("show", file, "--select", "var=1,rank=8")).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("show", file, "--select", "var=1")).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void damagedValuesAreNotShown() throws IOException {
        Path file = folder.resolve("file");
        byte[] bytes = Files.readAllBytes(golden("fti-ff/types-l1", "Ckpt1-Rank1.fti"));
        int at = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).capacity() / 100;
        bytes[at]++;
        Files.write(file, bytes);
        assertThat(command.run("verify", file)).isEqualTo(ExitCode.DAMAGED);
        String id = command.out().replaceAll("(?s).*\\(variable (\\d+),.*", "$1");
        assertThat(command.run("show", file, "--select", "var=" + id)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.out()).isEmpty();
        assertThat(command.err()).contains("hash at offset");
    }
}
