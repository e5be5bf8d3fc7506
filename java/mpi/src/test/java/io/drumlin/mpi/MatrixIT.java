package io.drumlin.mpi;

import io.drumlin.matrix.Launcher;
import io.drumlin.matrix.Matrix;
import io.drumlin.matrix.Matrix.Preset;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Cases of C FTI's core suites with processes as ranks. */
@Tag("exhaustive")
@Tag("native")
class MatrixIT {

    @TempDir
    private Path directory;

    private Matrix matrix;

    @BeforeEach
    void assumeNativeMpi() {
        matrix = new Matrix(Launcher.MPIRUN, directory);
        MpiTests.assumeNativeMpi();
    }

    /** All levels in one job. */
    @TestFactory
    Stream<DynamicContainer> oneCase() {
        return matrix.tests(List.of(3), List.of(Preset.H0I1), (suite, index) -> suite.equals("nodeflag"));
    }

    /** Heads and threads of the ranks do the work in one mode, the ranks themselves in all. */
    @Tag("soak")
    @TestFactory
    Stream<DynamicContainer> oneOfEachSuite() {
        return Stream.concat(
                matrix.tests(Matrix.MODES, List.of(Preset.H0I1), MatrixIT::isTheOne),
                matrix.tests(List.of(3), List.of(Preset.H1I1, Preset.H1I0, Preset.THREAD), MatrixIT::isTheOne));
    }

    /** The third case of a suite is none of level 1; some have fewer. */
    private static boolean isTheOne(String suite, int index) {
        return index
                == switch (suite) {
                    case "nodeflag", "getconfig", "sync_intv", "staging" -> 0;
                    case "keepl4", "corrupt_check" -> 1;
                    default -> 2;
                };
    }

    @AfterEach
    void printTable() {
        System.out.print(matrix.table());
    }
}
