package io.drumlin.checkpoint.modes;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.modes.WrongReads.How;
import io.drumlin.checkpoint.modes.WrongReads.Restart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What every mode promises of a read that brings a wrong bit, for the differential checkpoints that two modes have. */
@ExtendWith(EngineLog.class)
class WrongReadTest {

    private static final int POSIX = 1;
    private static final int FTI_FF = 3;

    @TempDir(factory = InMemory.class)
    private Path directory;

    static Stream<Arguments> ordinary() {
        return all().filter(each -> isOrdinary((Restart) each.get()[1]));
    }

    static Stream<Arguments> others() {
        return all().filter(each -> !isOrdinary((Restart) each.get()[1]));
    }

    private static boolean isOrdinary(Restart each) {
        return each.engine().equals("nio") && each.how() != How.SINGLY;
    }

    /** Only FTI-FF takes them up on another number of ranks. */
    private static Stream<Arguments> all() {
        Stream<Arguments> posix = WrongReads.restarts(Level.L4_DCP).map(each -> arguments(POSIX, each));
        Stream<Arguments> ftiFf = Stream.concat(
                        WrongReads.restarts(Level.L4_DCP), WrongReads.onOtherRanks(Level.L4_DCP))
                .map(each -> arguments(FTI_FF, each));
        return Stream.concat(posix, ftiFf);
    }

    @ParameterizedTest
    @MethodSource("ordinary")
    void aWrongBitIsNotRecovered(int ioMode, Restart each) throws IOException {
        new WrongReads(directory, ioMode, each).someReads();
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @MethodSource("ordinary")
    void noWrongBitIsRecovered(int ioMode, Restart each) throws IOException {
        new WrongReads(directory, ioMode, each).everyRead();
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("others")
    void aWrongBitIsNotRecoveredByOtherWays(int ioMode, Restart each) throws IOException {
        new WrongReads(directory, ioMode, each).everyRead();
    }

    @ParameterizedTest
    @MethodSource("ordinary")
    void aFileThatIsWrittenAfterTheOpeningIsNotRecovered(int ioMode, Restart each) throws IOException {
        new WrongReads(directory, ioMode, each).written(4);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("others")
    void aFileThatIsWrittenAfterTheOpeningIsNotRecoveredByOtherWays(int ioMode, Restart each) throws IOException {
        new WrongReads(directory, ioMode, each).written(10);
    }
}
