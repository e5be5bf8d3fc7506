package io.drumlin.gsd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Logged quantities of many frames at once, and slices. */
class HoomdLogTest {

    @TempDir
    private Path directory;

    private HoomdTrajectory trajectory() throws IOException {
        Path path = directory.resolve("log.gsd");
        try (HoomdTrajectory made = HoomdTrajectory.create(path)) {
            for (int number = 0; number < 5; number++) {
                HoomdFrame frame = new HoomdFrame();
                frame.configuration.step = 100L * number;
                if (number != 2) {
                    frame.log.put("md/energy", ChunkData.of(1.5 * number));
                }
                frame.log.put("md/forces", ChunkData.of(number, 2, 3));
                frame.log.put("phase", ChunkData.of("phase " + number));
                made.append(frame);
            }
        }
        return HoomdTrajectory.open(path, Access.READ);
    }

    @Test
    void allFramesAsArrays() throws IOException {
        try (HoomdTrajectory read = trajectory()) {
            HoomdLog log = read.readLog("*");
            assertThat(log.steps().longs()).containsExactly(0, 100, 200, 300, 400);
            assertThat(log.numbers().keySet()).containsExactly("md/energy", "md/forces");
            // A frame without the quantity has the value of the first one.
            assertThat(log.numbers().get("md/energy").doubles()).containsExactly(0, 1.5, 0, 4.5, 6);
            assertThat(log.numbers().get("md/forces").ints())
                    .containsExactly(0, 2, 3, 1, 2, 3, 2, 2, 3, 3, 2, 3, 4, 2, 3);
            assertThat(log.texts().get("phase")).containsExactly("phase 0", "phase 1", "phase 2", "phase 3", "phase 4");
            HoomdLog some = read.readLog("phase", 1, 3);
            assertThat(some.steps().longs()).containsExactly(100, 200);
            assertThat(some.numbers()).isEmpty();
            assertThat(some.texts().get("phase")).containsExactly("phase 1", "phase 2");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "* | md/energy,md/forces,phase",
                "md/* | md/energy,md/forces",
                "*e*e* | md/energy",
                "m?/forces | md/forces",
                "md/[a-e]* | md/energy",
                "md/[!a-e]* | md/forces",
                "phase | phase",
                "phas | ''",
                "md.* | ''",
                "[ | ''"
            })
    void patterns(String pattern, String names) {
        List<String> matching = List.of("md/energy", "md/forces", "phase").stream()
                .filter(HoomdLog.pattern(pattern).asMatchPredicate())
                .toList();
        assertThat(String.join(",", matching)).isEqualTo(names);
    }

    @Test
    void slices() throws IOException {
        try (HoomdTrajectory read = trajectory()) {
            assertThat(numbers(read.slice(0, 5, 1))).containsExactly(0, 1, 2, 3, 4);
            assertThat(numbers(read.slice(1, 5, 2))).containsExactly(1, 3);
            assertThat(numbers(read.slice(4, -1, -2))).containsExactly(4, 2, 0);
            assertThat(numbers(read.slice(3, 3, 1))).isEmpty();
            HoomdSlice even = read.slice(0, 5, 2);
            assertThat(numbers(even.slice(2, 0, -1))).containsExactly(4, 2);
            assertThat(even.read(1).configuration.step).isEqualTo(200);
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> read.slice(0, 6, 1));
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> even.read(3));
            assertThatIllegalArgumentException().isThrownBy(() -> read.slice(0, 5, 0));
        }
    }

    private static long[] numbers(HoomdSlice slice) {
        return LongStream.range(0, slice.count()).map(slice::number).toArray();
    }
}
