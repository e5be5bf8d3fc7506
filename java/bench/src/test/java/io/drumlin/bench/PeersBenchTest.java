package io.drumlin.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PeersBenchTest {

    /** What {@code scripts/bench peers} compiles. */
    private static final Path DRIVER = Path.of(System.getProperty("drumlin.root"), "build/peers/fti_peer");

    /**
     * Takes the place of mpirun: a job of C, whose program has this name, takes twice as long as one of Java, and has the mode
     * MPI-IO but not HDF5. The arguments are "-n RANKS PROGRAM ... CONFIG MIB ARRAYS write LEVELS ROUNDS" or "... restart". A
     * JVM that shall archive its classes leaves the archive.
     */
    private static final String LAUNCHER =
            """
            archive="${*#*-XX:ArchiveClassesAtExit=}"
            if [ "$archive" != "$*" ]; then touch "${archive%% *}"; fi
            case "$*" in
              *" the-driver "*" write 4 1") touch "${4%/*}/Global/x-mpiio.fti"; seconds=1 ;;
              *" the-driver "*) seconds=1 ;;
              *) seconds=0.5 ;;
            esac
            case "$*" in
              *" write "*) printf 'peer level-1 9 9 9\\npeer level-1 %s 0 4\\n' $seconds ;;
              *) printf 'a line of the library\\npeer restart %s 0.25 8\\n' $seconds ;;
            esac
            """;

    @TempDir
    private Path folder;

    private Path json() {
        return folder.resolve("rows.json");
    }

    private int run(Path driver, String only, List<String> launcher) {
        List<String> arguments =
                new ArrayList<>(List.of("--fti", driver.toString(), "--mib", "1", "--runs", "1", "--rest", "0"));
        arguments.addAll(List.of("--only", only, "--dir", folder.toString(), "--json", json().toString(), "--"));
        arguments.addAll(launcher);
        return new CommandLine(new PeersBench()).execute(arguments.toArray(String[]::new));
    }

    @Test
    void ratiosSayHowManyTimesAsMuchTheOriginalTook() throws IOException {
        assertThat(run(Path.of("the-driver"), "MPI-IO, L4", List.of("sh", "-c", LAUNCHER, "sh")))
                .isZero();
        List<MeasuredRow> rows = MeasuredRow.read(json());
        assertThat(rows)
                .extracting(MeasuredRow::name)
                .containsExactly(
                        "C FTI: MPI-IO, L4, 2 x 1 MiB, checkpoint",
                        "C FTI: MPI-IO, L4, 2 x 1 MiB, checkpoint, CPU",
                        "C FTI: MPI-IO, L4, 2 x 1 MiB, restart and recovery",
                        "C FTI: MPI-IO, L4, 2 x 1 MiB, restart and recovery, CPU");
        assertThat(rows.get(0).ratio()).hasValue(2);
        assertThat(rows.get(0).original()).hasValue(1);
        assertThat(rows.get(1).value()).isEqualTo(2048);
        assertThat(rows.get(2).value()).isEqualTo(0.75);
        assertThat(rows.get(2).original()).hasValue(1.25);
        assertThat(rows).allMatch(MeasuredRow::hasGoal);
    }

    @Test
    void modesThatTheOriginalLacksAreLeftOut() {
        assertThat(run(Path.of("the-driver"), "HDF5", List.of("sh", "-c", LAUNCHER, "sh")))
                .isZero();
        assertThat(json()).doesNotExist();
    }

    @Test
    void aJobThatFailsEndsTheMeasurement() {
        assertThat(run(Path.of("the-driver"), "FTI-FF, L1", List.of("sh", "-c", "exit 1", "sh")))
                .isZero();
        assertThat(json()).doesNotExist();
        String onlyTheProbe =
                "case \"$*\" in *\" write 4 1\") touch \"${4%/*}/Global/x.fti\"; echo peer a 1 1 1;; *) exit 1;; esac";
        assertThat(run(Path.of("the-driver"), "FTI-FF, L1", List.of("sh", "-c", onlyTheProbe, "sh")))
                .isEqualTo(1);
    }

    @Test
    void aMeasurementWithoutAnArchiveOfClassesEnds() {
        String noArchive = LAUNCHER.replace("then touch", "then :");
        assertThat(run(Path.of("the-driver"), "MPI-IO, L4", List.of("sh", "-c", noArchive, "sh")))
                .isEqualTo(1);
        assertThat(json()).doesNotExist();
    }

    @Test
    @Tag("native")
    void aBuiltOriginalRunsBesideDrumlin() throws IOException {
        assumeTrue(Files.exists(DRIVER), "there is no " + DRIVER + ", which scripts/bench peers --fti PREFIX makes");
        assertThat(run(DRIVER, "FTI-FF, L2", List.of("mpirun", "--oversubscribe", "--allow-run-as-root")))
                .isZero();
        assertThat(MeasuredRow.read(json())).hasSize(6).allMatch(row -> row.value() > 0);
    }
}
