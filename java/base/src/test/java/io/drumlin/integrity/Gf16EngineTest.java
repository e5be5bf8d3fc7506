package io.drumlin.integrity;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.nativecore.NativeCore;
import org.junit.jupiter.api.Test;

class Gf16EngineTest {

    @Test
    void theCoreIsTakenWhereItIsAvailable() {
        if (NativeCore.isAvailable()) {
            assertThat(Gf16Engine.regions()).isInstanceOf(NativeGf16Regions.class);
        } else {
            assertThat(Gf16Engine.regions()).isInstanceOf(JavaGf16Regions.class);
        }
    }
}
