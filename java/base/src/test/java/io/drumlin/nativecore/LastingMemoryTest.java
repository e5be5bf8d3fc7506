package io.drumlin.nativecore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("native")
class LastingMemoryTest {

    @BeforeEach
    void requireCore() {
        NativeTests.requireCore();
    }

    @Test
    void isThatOfTheVirtualMachineAndOfTheCore() {
        assertLasting(ByteBuffer.allocateDirect(4096), true);
        long address = NativeMemory.make("memory", result -> CoreLibrary.drumlin_memory_allocate(result, 4096));
        assertLasting(NativeMemory.view(address, 4096), true);
        CoreLibrary.drumlin_memory_free(address);
    }

    @Test
    void isNoHeapAndNoMappedFile(@TempDir Path folder) throws IOException {
        assertThat(NativeMemory.isLasting(ByteBuffer.allocate(8))).isFalse();
        try (FileChannel file = FileChannel.open(
                folder.resolve("file"), StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            assertLasting(file.map(FileChannel.MapMode.READ_WRITE, 0, 4096), false);
        }
    }

    @Tag("java22")
    @Test
    void isNoArena() throws ReflectiveOperationException {
        assumeTrue(Runtime.version().feature() >= 22, "there is no Arena before Java 22");
        Class<?> type = Class.forName("java.lang.foreign.Arena");
        for (String kind : List.of("ofShared", "ofConfined", "ofAuto", "global")) {
            Object segment = type.getMethod("allocate", long.class)
                    .invoke(type.getMethod(kind).invoke(null), 4096L);
            ByteBuffer buffer = (ByteBuffer) Class.forName("java.lang.foreign.MemorySegment")
                    .getMethod("asByteBuffer")
                    .invoke(segment);
            assertLasting(buffer, false);
        }
    }

    private static void assertLasting(ByteBuffer memory, boolean lasting) {
        ByteBuffer swapped = memory.duplicate().order(ByteOrder.BIG_ENDIAN);
        ByteBuffer piece = memory.slice(8, 1024).order(ByteOrder.nativeOrder());
        List<Buffer> views = List.of(
                memory,
                piece,
                memory.asReadOnlyBuffer(),
                piece.asDoubleBuffer(),
                swapped.asLongBuffer(),
                piece.slice(8, 64)
                        .order(ByteOrder.nativeOrder())
                        .asFloatBuffer()
                        .slice(),
                memory.asReadOnlyBuffer().asIntBuffer(),
                piece.asShortBuffer().duplicate().asReadOnlyBuffer());
        for (Buffer view : views) {
            assertThat(NativeMemory.isLasting(view)).as(view.toString()).isEqualTo(lasting);
        }
    }
}
