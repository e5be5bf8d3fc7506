package io.drumlin.golden.fti;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ElementTypeTest {

    /** Rank 2, variable 3, generation 4, element 5, so b = 2030586; the bytes are those of CPython's struct and ctypes. */
    @ParameterizedTest
    @CsvSource({
        "FTI_CHAR, fa",
        "FTI_USHT, fafb",
        "FTI_INTG, fafb1e00",
        "FTI_ULNG, fafb1e0000000000",
        "FTI_SFLT, d0df7749",
        "FTI_DBLE, 00000000fafb1e41",
        "FTI_LDBE, 0000000000d0dff71040000000000000"
    })
    void valuesAreThoseOfTheGenerator(ElementType type, String hex) {
        byte[] bytes = type.values(2, 3, 4, 6).array();
        assertThat(bytes).hasSize(6 * type.size());
        assertThat(HexFormat.of().formatHex(bytes, 5 * type.size(), 6 * type.size()))
                .isEqualTo(hex);
    }
}
