package io.drumlin.matrix;

import io.drumlin.matrix.Matrix.Preset;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** C FTI's core suites with threads as ranks. */
@Tag("exhaustive")
class MatrixTest {

    @TempDir
    private Path directory;

    private Matrix matrix;

    @TestFactory
    Stream<DynamicContainer> someOfEachSuite() {
        matrix = new Matrix(Launcher.THREADS, directory);
        return matrix.tests(Matrix.MAIN_MODES, List.of(Preset.H0I1), (suite, index) -> index % 160 == 0);
    }

    @TestFactory
    Stream<DynamicContainer> someOfEachSuiteWithHeadsOrThreads() {
        matrix = new Matrix(Launcher.THREADS, directory);
        return matrix.tests(
                List.of(3), List.of(Preset.H1I1, Preset.H1I0, Preset.THREAD), (suite, index) -> index % 360 == 3);
    }

    @Tag("soak")
    @TestFactory
    Stream<DynamicContainer> allOfEachSuite() {
        matrix = new Matrix(Launcher.THREADS, directory);
        return matrix.tests(Matrix.MODES, List.of(Preset.values()), (suite, index) -> true);
    }

    @AfterEach
    void printTable() {
        System.out.print(matrix.table());
    }
}
