package io.drumlin.golden.ftiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.ManifestException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueRuleTest {

    /** Rank 2, variable 3, element 4, seed 1, so b = 2010923; the bytes are those of CPython's struct and ctypes. */
    @ParameterizedTest
    @CsvSource({
        "i8, 2b",
        "u16, 2baf",
        "i32, 2baf1e00",
        "u64, 41eeb534d4010000",
        "f32, 5879f548",
        "f64, 000000002baf0e41",
        "f80, 00000000005879f51340000000000000",
        "op3, 353637"
    })
    void valuesAreThoseOfTheRule(String type, String hex) {
        ByteBuffer variable = rule(type).bytes(2, 3, 5, List.of(new Manifest.Segment(0, OptionalLong.empty(), 1)));
        int size = rule(type).elementSize();
        assertThat(HexFormat.of().formatHex(variable.array(), 4 * size, 5 * size))
                .isEqualTo(hex);
    }

    @Test
    void laterSegmentsOverrideEarlierOnes() {
        ByteBuffer variable = rule("i32")
                .bytes(
                        0,
                        1,
                        6,
                        List.of(
                                new Manifest.Segment(0, OptionalLong.empty(), 0),
                                new Manifest.Segment(1, OptionalLong.of(2), 1),
                                new Manifest.Segment(5, OptionalLong.of(9), 1)));
        assertThat(HexFormat.of().formatHex(variable.array()))
                .isEqualTo("e8030000" + "d8220000" + "d9220000" + "eb030000" + "ec030000" + "dc220000");
    }

    @Test
    void whatIsNoTypeIsRefused() {
        for (String type : List.of("i33", "op", "f16", "")) {
            assertThatExceptionOfType(ManifestException.class)
                    .isThrownBy(() -> rule(type))
                    .withMessageContaining("manifest/type");
        }
    }

    private static ValueRule rule(String type) {
        return ValueRule.of(Json.root(Map.of("type", type)).get("type"));
    }
}
