package io.drumlin.format.gsd.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.Golden;
import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Damaged files of the C library. Whatever is done to one, it is refused with a {@link FormatException} or read within its
 * bounds; nothing else is thrown, and no more is allocated than the file has.
 */
@Tag("exhaustive")
class GsdMutationTest {

    static Stream<Path> files() throws IOException {
        try (Stream<Path> paths = Files.walk(Golden.path("gsd"))) {
            List<Path> files = paths.filter(path -> path.toString().endsWith(".gsd"))
                    .filter(path -> path.toFile().length() < 20_000)
                    .sorted()
                    .toList();
            return files.stream();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyCutIsRefusedOrRead(Path path) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        int step = Math.max(1, bytes.length / 400);
        for (int length = 0; length < bytes.length; length += step) {
            read(Arrays.copyOf(bytes, length));
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyFieldOfTheHeaderMayHaveAnyValue(Path path) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        long size = bytes.length;
        long[] values = {
            0, 1, -1, -8, -4096, size, size + 1, size - 1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 59, 1L << 58
        };
        for (int field = 8; field < 40; field += 8) {
            for (long value : values) {
                read(with(bytes, field, 8, value));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyFieldOfAnEntryMayHaveAnyValue(Path path) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        long index = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(8);
        long[] values = {0, 1, -1, -8, bytes.length, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 62, 12};
        int[][] fields = {{0, 8}, {8, 8}, {16, 8}, {24, 4}, {28, 2}, {30, 1}, {31, 1}};
        for (int slot = 0; slot < 10; slot++) {
            for (int[] field : fields) {
                for (long value : values) {
                    int offset = (int) index + slot * IndexEntry.BYTES + field[0];
                    if (offset + field[1] <= bytes.length) {
                        read(with(bytes, offset, field[1], value));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void anyBytesMayBeFlipped(Path path) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            byte[] changed = bytes.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                changed[random.nextInt(random.nextBoolean() ? 6000 : bytes.length) % bytes.length] ^=
                        (byte) (1 << random.nextInt(8));
            }
            read(changed);
        }
    }

    /** Of the header and of the first entry, whose data begin behind the names. */
    @ParameterizedTest
    @MethodSource("files")
    void theFieldThatCannotBeIsNamed(Path path) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        for (int field = 8; field < 40; field += 8) {
            assertNamed(with(bytes, field, 8, -1), field);
            assertNamed(with(bytes, field, 8, Long.MAX_VALUE), field);
        }
        int entry = (int) ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(8);
        if (ByteBuffer.wrap(bytes).getLong(entry + 16) == 0 || path.toString().contains("corrupt")) {
            return;
        }
        assertNamed(with(bytes, entry, 8, 1L << 40), entry);
        assertNamed(with(bytes, entry + 8, 8, 1L << 59), entry + 8);
        assertNamed(with(bytes, entry + 16, 8, bytes.length + 1L), entry + 16);
        assertNamed(with(bytes, entry + 16, 8, Long.MAX_VALUE), entry + 16);
        assertNamed(with(bytes, entry + 28, 2, 0xffff), entry + 28);
        assertNamed(with(bytes, entry + 30, 1, 77), entry + 30);
        assertNamed(with(bytes, entry + 31, 1, 1), entry + 31);
    }

    private static void assertNamed(byte[] bytes, long offset) {
        assertThatThrownBy(() -> GsdMetadata.read(new BoundedSource(bytes)))
                .isInstanceOfSatisfying(
                        FormatException.class, e -> assertThat(e.finding().offset())
                                .as("%s", e.finding())
                                .isEqualTo(offset));
    }

    private static byte[] with(byte[] bytes, int offset, int length, long value) {
        byte[] changed = bytes.clone();
        for (int i = 0; i < length; i++) {
            changed[offset + i] = (byte) (value >>> 8 * i);
        }
        return changed;
    }

    /** Opens, finds a chunk of each name in some frames, reads what may be read, and verifies all. */
    private static void read(byte[] bytes) throws IOException {
        ByteSource source = new BoundedSource(bytes);
        Findings findings = new Findings();
        GsdVerifier.verify(source, findings);
        findings.list().forEach(finding -> assertThat(finding.field()).isNotEmpty());
        try {
            GsdMetadata metadata = GsdMetadata.read(source);
            for (long frame : new long[] {0, 1, metadata.index().frames() - 1}) {
                for (int id = 0; id < Math.min(metadata.names().size(), 5); id++) {
                    find(metadata.index(), frame, id, bytes.length);
                }
            }
        } catch (FormatException e) {
            assertThat(findings.isEmpty()).as("refused: %s", e.getMessage()).isFalse();
        }
    }

    private static void find(GsdIndex index, long frame, int id, long size) throws IOException {
        OptionalLong slot = index.find(frame, id);
        if (slot.isPresent()) {
            IndexEntry entry = index.slot(slot.getAsLong());
            try {
                entry.checkData(index.limits(), slot.getAsLong(), index.offset(slot.getAsLong()));
            } catch (FormatException e) {
                return;
            }
            assertThat(entry.location()).isBetween(1L, size);
            assertThat(Math.multiplyExact(entry.rows(), entry.rowBytes())).isBetween(0L, size - entry.location());
        }
    }

    /** Fails at whatever is beyond the file, and at buffers that are larger. */
    private record BoundedSource(byte[] bytes) implements ByteSource {

        @Override
        public long size() {
            return bytes.length;
        }

        @Override
        public void readFully(long offset, ByteBuffer target) {
            if (target.capacity() > Math.max(bytes.length, 1 << 16)) {
                throw new AssertionError("a buffer of " + target.capacity() + " bytes for a file of " + bytes.length);
            }
            if (offset < 0 || offset + target.remaining() > bytes.length) {
                throw new AssertionError(target.remaining() + " bytes asked at " + offset + " of " + bytes.length);
            }
            target.put(bytes, (int) offset, target.remaining());
        }
    }
}
