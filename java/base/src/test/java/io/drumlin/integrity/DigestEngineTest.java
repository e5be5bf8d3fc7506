package io.drumlin.integrity;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.nativecore.NativeCore;
import org.junit.jupiter.api.Test;

class DigestEngineTest {

    @Test
    void theCoreIsTakenWhereItIsAvailable() {
        try (Md5Lanes lanes = DigestEngine.md5()) {
            if (NativeCore.isAvailable()) {
                assertThat(lanes).isInstanceOf(NativeMd5Lanes.class);
                assertThat(DigestEngine.name()).matches("native, (4|8|16) lanes at once");
            } else {
                assertThat(lanes).isInstanceOf(JavaMd5Lanes.class);
                assertThat(DigestEngine.name()).isEqualTo("java");
            }
        }
    }
}
