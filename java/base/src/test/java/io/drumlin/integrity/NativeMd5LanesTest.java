package io.drumlin.integrity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.nativecore.NativeTests;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("native")
class NativeMd5LanesTest {

    @Nested
    class Width1 extends Width {
        Width1() {
            super(1);
        }
    }

    @Nested
    class Width4 extends Width {
        Width4() {
            super(4);
        }
    }

    @Nested
    class Width8 extends Width {
        Width8() {
            super(8);
        }
    }

    @Nested
    class Width16 extends Width {
        Width16() {
            super(16);
        }
    }

    abstract static class Width extends Md5LanesContract {

        private final int width;

        Width(int width) {
            this.width = width;
        }

        @Override
        Md5Lanes make() {
            NativeTests.requireCore();
            try (NativeMd5Lanes best = new NativeMd5Lanes(0)) {
                assumeTrue(best.width() >= width, "this processor has no lanes of width " + width);
            }
            NativeMd5Lanes lanes = new NativeMd5Lanes(width);
            assertThat(lanes.width()).isEqualTo(width);
            return lanes;
        }
    }

    @Test
    void closedLanesAreRefused() {
        NativeTests.requireCore();
        NativeMd5Lanes lanes = new NativeMd5Lanes(0);
        lanes.close();
        assertThatThrownBy(() -> lanes.update(List.of(ByteBuffer.allocate(1))))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> lanes.digest(0)).isInstanceOf(IllegalStateException.class);
    }
}
