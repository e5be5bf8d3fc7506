package io.drumlin.checkpoint.internal.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.internal.config.Injection;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code FTI_BitFlip} (docs/configuration.md). */
class FaultInjectionTest {

    private long seconds;

    @ParameterizedTest
    @CsvSource({"0", "31", "32", "52", "62", "63"})
    void flipsTheBitOfTheElement(int position) {
        double[] data = {1, 2, 3};
        assertThat(injection(new Injection(0, 1, position, 1, -1), 0).flip(7, ProtectedData.of(data)))
                .isTrue();
        long expected = Double.doubleToRawLongBits(2) ^ 1L << position;
        assertThat(Double.doubleToRawLongBits(data[1])).isEqualTo(expected);
        assertThat(data).contains(1, 3);
    }

    @Test
    void flipsABitOfAFloatToo() {
        float[] data = {1, -1};
        assertThat(injection(new Injection(0, 1, 31, 1, -1), 0).flip(7, ProtectedData.of(data)))
                .isTrue();
        assertThat(data).containsExactly(1, 1);
    }

    @Test
    void flipsNoMoreOftenThanAllowed() {
        double[] data = {1};
        FaultInjection injection = injection(new Injection(2, 0, 63, 2, 10), 2);
        assertThat(injection.flip(7, ProtectedData.of(data))).isFalse();
        seconds += 11;
        assertThat(injection.flip(7, ProtectedData.of(data))).isTrue();
        assertThat(injection.flip(7, ProtectedData.of(data))).isFalse();
        seconds += 11;
        assertThat(injection.flip(7, ProtectedData.of(data))).isTrue();
        seconds += 11;
        assertThat(injection.flip(7, ProtectedData.of(data))).isFalse();
        assertThat(data).containsExactly(1);
    }

    @Test
    void leavesOtherRanksAlone() {
        double[] data = {1};
        assertThat(injection(new Injection(2, 0, 63, 2, -1), 1).flip(7, ProtectedData.of(data)))
                .isFalse();
        assertThat(data).containsExactly(1);
    }

    @Test
    void refusesWhatIsNotThere() {
        ProtectedData floats = ProtectedData.of(new float[] {1});
        assertThatThrownBy(() -> injection(new Injection(0, 0, 32, 1, -1), 0).flip(7, floats))
                .hasMessageContaining("variable 7 is 1 elements of type SFLT")
                .hasMessageContaining("bit 32 of element 0");
        assertThatThrownBy(() -> injection(new Injection(0, 1, 0, 1, -1), 0).flip(7, floats))
                .hasMessageContaining("element 1");
        assertThatThrownBy(() -> injection(new Injection(0, 0, 0, 1, -1), 0).flip(7, ProtectedData.of(new int[1])))
                .hasMessageContaining("only floats and doubles");
    }

    private FaultInjection injection(Injection settings, int rank) {
        return new FaultInjection(settings, rank, () -> TimeUnit.SECONDS.toNanos(seconds));
    }
}
