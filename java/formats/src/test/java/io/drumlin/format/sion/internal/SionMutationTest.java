package io.drumlin.format.sion.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.internal.Findings;
import io.drumlin.format.sion.Header;
import io.drumlin.format.sion.KeyValueRecord;
import io.drumlin.format.sion.Meta1;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Damaged files of C SIONlib. Whatever is done to one, a strict reader refuses it with a {@link FormatException} or finds
 * only blocks within the file; nothing else may be thrown, and no more is read or allocated than the file has.
 */
@Tag("exhaustive")
class SionMutationTest {

    private static final int TASKS = 24;

    static List<Path> files() throws IOException {
        return GoldenFiles.all();
    }

    /** A file as C SIONlib left it, and where its metadata are. */
    private record Original(byte[] bytes, SionMeta meta) {

        static Original of(Path path) throws IOException {
            byte[] bytes = Files.readAllBytes(path);
            return new Original(bytes, SionMeta.read(new MemoryByteSource(ByteBuffer.wrap(bytes))));
        }

        /** All of the metadata but the inside of the name. */
        List<Integer> metadata() {
            List<Integer> offsets = new ArrayList<>();
            Meta1 meta1 = meta.meta1();
            add(offsets, 0, 60);
            add(offsets, Header.LENGTH - 2, (int) meta1.tailOffset() + Meta1.TAIL_LENGTH);
            meta.meta2()
                    .ifPresent(blocks -> add(offsets, (int) meta1.startOfVarheader(blocks.maxChunks()), bytes.length));
            return offsets;
        }

        private static void add(List<Integer> offsets, int from, int to) {
            for (int offset = from; offset < to; offset++) {
                offsets.add(offset);
            }
        }

        /** Whether the place of every chunk, or of META2, hangs on a byte. */
        boolean decides(int offset) {
            int sizes = Header.LENGTH + Long.BYTES * meta.meta1().tasks();
            boolean chunkSizeOrTail = offset >= sizes && offset < meta.meta1().tailOffset() + Meta1.TAIL_LENGTH;
            return offset < 4 || (meta.closed() && (chunkSizeOrTail || (offset >= TASKS && offset < TASKS + 4)));
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyMetadataByte(Path path) throws IOException {
        Original original = Original.of(path);
        for (int offset : original.metadata()) {
            for (int mask : new int[] {0x01, 0x80, 0xff}) {
                byte[] bytes = original.bytes().clone();
                bytes[offset] ^= (byte) mask;
                String damage = path + ": byte " + offset + " xor " + mask;
                boolean noticed = read(bytes, damage);
                if (original.decides(offset)) {
                    assertThat(noticed).as(damage).isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyPlaceOfALargeNumber(Path path) throws IOException {
        Original original = Original.of(path);
        long[] values = {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 32, 1L << 62
        };
        for (int offset : original.metadata()) {
            for (long value : values) {
                byte[] bytes = original.bytes().clone();
                ByteBuffer number = ByteBuffer.allocate(Long.BYTES)
                        .order(original.meta().meta1().header().order())
                        .putLong(0, value);
                number.get(bytes, offset, Math.min(Long.BYTES, bytes.length - offset));
                read(bytes, path + ": " + value + " at " + offset);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyLength(Path path) throws IOException {
        Original original = Original.of(path);
        byte[] whole = original.bytes();
        List<Integer> metadata = original.metadata();
        for (int length = 0; length < whole.length; length++) {
            if (length % 97 == 0 || metadata.contains(length)) {
                boolean noticed = read(Arrays.copyOf(whole, length), path + " cut at " + length);
                // A file of one process ends with the size of a mapping that it has not; nobody needs it.
                if (original.meta().closed() && length < whole.length - Integer.BYTES) {
                    boolean mapped = original.meta().mapping().isPresent()
                            && original.meta().meta1().header().files() == 1;
                    assertThat(noticed || mapped)
                            .as("%s cut at %d", path, length)
                            .isTrue();
                }
            }
        }
        for (int length = whole.length + 1; length < whole.length + 50; length++) {
            read(Arrays.copyOf(whole, length), path + " extended to " + length);
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void severalPlacesAtOnce(Path path) throws IOException {
        Original original = Original.of(path);
        List<Integer> metadata = original.metadata();
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 1000; round++) {
            byte[] bytes = original.bytes().clone();
            for (int n = random.nextInt(6); n >= 0; n--) {
                bytes[metadata.get(random.nextInt(metadata.size()))] = (byte) random.nextInt();
            }
            read(bytes, path + ": seed " + seed + ", round " + round);
        }
    }

    /** Sources that claim any size and are zero but for a header: nothing is allocated for what the header claims. */
    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, Integer.MAX_VALUE / 16, 1 << 30})
    void tasksBeyondTheFileAreRefusedBeforeMemoryIsTaken(int tasks) {
        Header header = Header.of(ByteOrder.LITTLE_ENDIAN, false, false, 512, 1, 0, "hostile");
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        header.put(bytes, tasks);
        assertThatExceptionOfType(FormatException.class)
                .isThrownBy(() -> SionMeta.read(new BoundedSource(bytes.array())))
                .satisfies(e -> assertThat(e.finding().field()).isEqualTo("ntasks"));
    }

    @Test
    void blocksBeyondTheFileAreRefusedBeforeMemoryIsTaken() {
        Header header = Header.of(ByteOrder.LITTLE_ENDIAN, false, false, 1, 1, 0, "hostile");
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        header.put(bytes, 1);
        // Chunks without bytes: any number of blocks ends where META2 begins.
        bytes.putLong(0).putLong(0).putInt(Integer.MAX_VALUE).putLong(Meta1.length(1));
        assertThatExceptionOfType(FormatException.class)
                .isThrownBy(() -> SionMeta.read(new BoundedSource(bytes.array())))
                .satisfies(e -> assertThat(e.finding().field()).isEqualTo("maxchunks"));
    }

    /** Whether something was found to be wrong, or the file taken for one that was not closed. */
    private static boolean read(byte[] bytes, String damage) throws IOException {
        ByteSource source = new BoundedSource(bytes);
        boolean noticed = false;
        boolean refused = false;
        try {
            SionMeta meta = SionMeta.read(source);
            noticed = !meta.closed() || !recordsAreRight(meta, source);
            for (int task = 0; task < meta.meta1().tasks(); task++) {
                assertInside(meta.stream(source, task), bytes.length, damage);
            }
        } catch (FormatException e) {
            assertThat(e.offset()).as(damage).isBetween(0L, (long) Math.max(bytes.length, 1 << 11));
            refused = true;
        }
        Findings findings = new Findings();
        Optional<SionMeta> found = SionMeta.read(source, findings);
        assertThat(findings.isEmpty()).as(damage).isNotEqualTo(refused);
        if (found.isPresent()) {
            for (int task = 0; task < found.get().meta1().tasks(); task++) {
                assertInside(found.get().stream(source, task), bytes.length, damage);
            }
        }
        return refused || noticed;
    }

    private static void assertInside(TaskStream stream, long length, String damage) {
        for (int block = 0; block < stream.blocks(); block++) {
            if (stream.size(block) != 0) {
                long offset = stream.fileOffset(block, 0);
                assertThat(offset).as(damage).isBetween(0L, length - stream.size(block));
            }
        }
    }

    private static boolean recordsAreRight(SionMeta meta, ByteSource source) throws IOException {
        if (!meta.meta1().header().keyValue()) {
            return true;
        }
        try {
            for (int task = 0; task < meta.meta1().tasks(); task++) {
                TaskStream stream = meta.stream(source, task);
                KeyValueScanner scanner =
                        new KeyValueScanner(stream, meta.meta1().header().order());
                for (Optional<KeyValueRecord> next = scanner.next(); next.isPresent(); next = scanner.next()) {
                    assertThat(next.get().offset())
                            .isBetween(0L, stream.size() - next.get().length());
                }
            }
            return true;
        } catch (FormatException e) {
            return false;
        }
    }

    /** Refuses to be asked for more than it has: a reader must know before it asks. */
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
