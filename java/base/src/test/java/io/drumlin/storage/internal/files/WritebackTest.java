package io.drumlin.storage.internal.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.storage.BlockFile;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the system is asked to write. */
class WritebackTest {

    private static final int MIB = 1 << 20;

    private final List<String> asked = new ArrayList<>();

    private BlockFile file(boolean direct) {
        return (BlockFile) Proxy.newProxyInstance(
                BlockFile.class.getClassLoader(), new Class<?>[] {BlockFile.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("direct")) {
                        return direct;
                    }
                    assertThat(method.getName()).isEqualTo("startWriteback");
                    asked.add((long) arguments[0] / MIB + "+" + (long) arguments[1] / MIB);
                    return null;
                });
    }

    @Test
    void isAskedForInLargePartsOfWhatWasWrittenInSequence() throws IOException {
        Writeback writeback = new Writeback(file(false));
        for (int i = 0; i < 20; i++) {
            writeback.written((long) (100 + i) * MIB, MIB);
        }
        writeback.written(500L * MIB, 30 * MIB);
        writeback.written(530L * MIB, MIB);
        assertThat(asked).containsExactly("100+8", "108+8", "500+30");
    }

    @Test
    void isNotAskedForWhereWritesGoToTheDeviceAnyway() throws IOException {
        new Writeback(file(true)).written(0, 100 * MIB);
        assertThat(asked).isEmpty();
    }
}
