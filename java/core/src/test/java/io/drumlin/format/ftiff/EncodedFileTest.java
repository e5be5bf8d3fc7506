package io.drumlin.format.ftiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EncodedFileTest {

    @Test
    void everyWindowOfAnExtendedFileEndsWithItsSize() throws IOException {
        byte[] plain = new byte[300];
        Arrays.fill(plain, (byte) 9);
        ByteSource extended = EncodedFile.extended(Layout.F, source(plain), 317);
        byte[] whole = Arrays.copyOf(plain, 317);
        ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).putLong(309, 300);
        assertThat(extended.size()).isEqualTo(317);
        for (int from = 290; from <= 317; from++) {
            for (int to = from; to <= 317; to++) {
                ByteBuffer window = ByteBuffer.allocate(to - from);
                extended.readFully(from, window);
                assertThat(window.hasRemaining()).isFalse();
                assertThat(window.array()).as("%d to %d", from, to).isEqualTo(Arrays.copyOfRange(whole, from, to));
            }
        }
        assertThat(EncodedFile.plainSize(Layout.F, extended)).isEqualTo(300);
        assertThat(EncodedFile.maxFs(Layout.F, 300)).isEqualTo(308);
        assertThatThrownBy(() -> EncodedFile.extended(Layout.F, source(plain), 307))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void sizesThatNoFileCanHaveAreRefused() {
        for (long size : new long[] {Long.MIN_VALUE, -1, 0, 105, 193, Long.MAX_VALUE}) {
            byte[] extended = new byte[200];
            ByteBuffer.wrap(extended).order(ByteOrder.LITTLE_ENDIAN).putLong(192, size);
            assertThatThrownBy(() -> EncodedFile.plainSize(Layout.F, source(extended)))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining(Long.toString(size));
        }
        assertThatThrownBy(() -> EncodedFile.plainSize(Layout.F, source(new byte[113])))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("no room");
        assertThatThrownBy(() -> EncodedFile.plainSize(Layout.A, source(new byte[0])))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("no room");
    }

    /** A and B keep the size in the file record, which comes first. */
    @Test
    void extendedFilesOfOldLayoutsTellTheirSize() throws IOException {
        for (Layout layout : new Layout[] {Layout.A, Layout.B}) {
            for (Path path : GoldenFiles.of(layout, "Rank")) {
                byte[] plain = Files.readAllBytes(path);
                ByteSource file = EncodedFile.extended(layout, source(plain), plain.length + 3);
                assertThat(EncodedFile.plainSize(layout, file))
                        .isEqualTo(FtiFfFile.read(source(plain)).meta().fs());
            }
            assertThat(EncodedFile.maxFs(layout, 300)).isEqualTo(300);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSealedFileIsReadAsAnEncodedOne(Layout layout) throws IOException {
        FileMeta meta = EncodedFile.seal(layout, "0123456789abcdef".repeat(2), 7, 250, 300, 123_456_789_012L);
        ByteBuffer file = ByteBuffer.allocate(300 + layout.fileMetaLength()).position(300);
        layout.put(file, meta);
        FtiFfFile read = FtiFfFile.read(new MemoryByteSource(file.flip()));
        assertThat(read.encoded()).isTrue();
        assertThat(read.meta()).isEqualTo(meta);
        assertThat(read.meta().ckptSize()).isEqualTo(250);
        assertThat(read.meta().ckptId()).isEqualTo(layout.atEnd() ? 7 : -1);
    }

    private static ByteSource source(byte[] bytes) {
        return new MemoryByteSource(ByteBuffer.wrap(bytes));
    }
}
