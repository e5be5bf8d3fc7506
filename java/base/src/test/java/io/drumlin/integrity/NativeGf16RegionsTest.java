package io.drumlin.integrity;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.nativecore.NativeTests;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("native")
class NativeGf16RegionsTest {

    @Nested
    class Width2 extends Width {
        Width2() {
            super(2);
        }
    }

    @Nested
    class Width16 extends Width {
        Width16() {
            super(16);
        }
    }

    @Nested
    class Width32 extends Width {
        Width32() {
            super(32);
        }
    }

    @Nested
    class Width64 extends Width {
        Width64() {
            super(64);
        }
    }

    abstract static class Width extends Gf16RegionsContract {

        private final int width;

        Width(int width) {
            this.width = width;
        }

        @Override
        Gf16Regions make() {
            NativeTests.requireCore();
            assumeTrue(NativeGf16Regions.widest() >= width, "this processor takes no " + width + " bytes at once");
            return new NativeGf16Regions(width);
        }
    }

    @Test
    void whatTheProcessorCannotIsRefused() {
        NativeTests.requireCore();
        assertThatThrownBy(() -> new NativeGf16Regions(2 * NativeGf16Regions.widest()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
