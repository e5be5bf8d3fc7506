package io.drumlin.format.ftiff;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Findings;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.RangeDigester;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Damaged files of all layouts of C FTI. Whatever is done to one, a strict reader refuses it with a {@link FormatException}
 * or finds only chunks within the file; nothing else may be thrown, and no more is read or allocated than the file has.
 */
class FtiFfMutationTest {

    private static final int MY_HASH = 33;

    static Stream<Path> files() throws IOException {
        // One of each snapshot and kind is enough: others differ in content only.
        Map<String, Path> files = new TreeMap<>();
        for (Layout layout : Layout.values()) {
            for (Path path : GoldenFiles.of(layout, "Rank", "Pcof", "RSed")) {
                if (path.toFile().length() < 40_000) {
                    files.putIfAbsent(
                            GoldenFiles.root().relativize(path).subpath(0, 2)
                                    + path.getFileName().toString().replaceAll("\\d", ""),
                            path);
                }
            }
        }
        return files.values().stream();
    }

    /** A file as C FTI left it. */
    private record Original(Path path, byte[] bytes, FtiFfFile file) {

        static Original of(Path path) throws IOException {
            byte[] bytes = Files.readAllBytes(path);
            return new Original(path, bytes, FtiFfFile.read(new MemoryByteSource(ByteBuffer.wrap(bytes))));
        }

        Layout layout() {
            return file.layout();
        }

        /** What each byte of the metadata belongs to, by its offset; padding is not in it. */
        Map<Integer, Place> metadata() {
            Map<Integer, Place> places = new TreeMap<>();
            add(places, layout().file(), file.recordOffset(), Optional.empty());
            for (int b = 0; b < file.blocks().size(); b++) {
                RecordFormat block = layout().block();
                add(places, block, file.variableOffset(b, 0) - block.length(), Optional.empty());
                List<VariableMeta> variables = file.blocks().get(b).variables();
                for (int v = 0; v < variables.size(); v++) {
                    add(places, layout().variable(), file.variableOffset(b, v), Optional.of(variables.get(v)));
                }
            }
            return places;
        }

        private static void add(
                Map<Integer, Place> places, RecordFormat format, long offset, Optional<VariableMeta> container) {
            for (int i = 0; i < format.length(); i++) {
                places.put((int) offset + i, new Place(Optional.empty(), container));
            }
            for (Field field : Field.values()) {
                for (int i = 0; format.has(field) && i < format.length(field); i++) {
                    places.put((int) offset + format.offset(field) + i, new Place(Optional.of(field), container));
                }
            }
        }
    }

    /** Where a byte is; padding belongs to no field. */
    private record Place(Optional<Field> field, Optional<VariableMeta> container) {

        /** Whether this byte can be changed by the mask and nobody notices; docs/formats/fti-ff.md, section 8. */
        boolean uncovered(Layout layout, int mask) {
            if (layout == Layout.A && container.isPresent()) {
                return false; // the checksum covers all bytes behind the file record
            }
            if (field.isEmpty()) {
                return true;
            }
            return switch (field.get()) {
                case CKPT_ID, ID, IDX -> true;
                case HAS_CKPT -> mask == 1;
                case HAS_CONTENT -> mask == 1 && container.orElseThrow().chunkSize() == 0;
                case HASH -> layout == Layout.B && !container.orElseThrow().hasContent();
                default -> false;
            };
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyMetadataByteIsNoticedUnlessNothingCoversIt(Path path) throws IOException {
        Original original = Original.of(path);
        for (Map.Entry<Integer, Place> entry : original.metadata().entrySet()) {
            for (int mask : new int[] {0x01, 0x80, 0xff}) {
                byte[] bytes = original.bytes().clone();
                bytes[entry.getKey()] ^= (byte) mask;
                String damage = path + ": byte " + entry.getKey() + " xor " + mask;
                boolean noticed = read(bytes, damage);
                if (!entry.getValue().uncovered(original.layout(), mask)) {
                    assertThat(noticed).as(damage).isTrue();
                }
                seal(original, bytes);
                read(bytes, damage);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyPlaceOfALargeNumber(Path path) throws IOException {
        Original original = Original.of(path);
        long[] values = {
            0,
            -1,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            original.bytes().length,
            Integer.MAX_VALUE,
            Integer.MIN_VALUE,
            1L << 32,
            1L << 62
        };
        for (int i : original.metadata().keySet()) {
            for (long value : values) {
                byte[] bytes = original.bytes().clone();
                ByteBuffer number = ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(0, value);
                number.get(bytes, i, Math.min(Long.BYTES, bytes.length - i));
                seal(original, bytes);
                read(bytes, path + ": " + value + " at " + i);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyLength(Path path) throws IOException {
        Original original = Original.of(path);
        byte[] whole = original.bytes();
        Map<Integer, Place> metadata = original.metadata();
        for (int length = 0; length < whole.length; length++) {
            if (length % 97 == 0 || metadata.containsKey(length) || whole.length - length < 300) {
                boolean noticed = read(Arrays.copyOf(whole, length), path + " cut at " + length);
                assertThat(noticed).as("%s cut at %d", path, length).isTrue();
            }
        }
        for (int length = whole.length + 1; length < whole.length + 200; length++) {
            read(Arrays.copyOf(whole, length), path + " extended to " + length);
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void severalPlacesAtOnce(Path path) throws IOException {
        Original original = Original.of(path);
        List<Integer> metadata = List.copyOf(original.metadata().keySet());
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 1000; round++) {
            byte[] bytes = original.bytes().clone();
            for (int n = random.nextInt(6); n >= 0; n--) {
                bytes[metadata.get(random.nextInt(metadata.size()))] = (byte) random.nextInt();
            }
            seal(original, bytes);
            read(bytes, path + ": seed " + seed + ", round " + round);
        }
    }

    /** Gives the file record its digest, so that the damage gets past it. */
    private static void seal(Original original, byte[] bytes) {
        int offset = (int) original.file().recordOffset();
        ByteBuffer record =
                ByteBuffer.wrap(bytes).slice(offset, original.layout().fileMetaLength());
        System.arraycopy(original.layout().recordDigest(record), 0, bytes, offset + MY_HASH, 16);
    }

    /** Whether something was found to be wrong. */
    private static boolean read(byte[] bytes, String damage) throws IOException {
        ByteSource source = new BoundedSource(bytes);
        Optional<Recognition> recognition = Recognition.of(source);
        // A file of layout B may be shorter than it says, and what it lacks is where it should be.
        boolean mayEndEarly = recognition.isPresent() && recognition.get().layout() == Layout.B;
        boolean refused = false;
        try {
            FtiFfFile file = FtiFfFile.read(source);
            long limit =
                    file.layout().atEnd() ? file.meta().dataSize() : file.meta().fs();
            assertThat(file.containers()).as(damage).allSatisfy(container -> {
                assertThat(container.chunkSize()).isBetween(0L, container.containerSize());
                assertThat(container.fptr()).isBetween(0L, limit - container.containerSize());
                assertThat(container.fptr()).isLessThanOrEqualTo(bytes.length - container.chunkSize());
                assertThat(container.dptr()).isBetween(0L, limit);
            });
        } catch (FormatException e) {
            assertThat(e.offset()).as(damage).isBetween(0L, mayEndEarly ? Long.MAX_VALUE : bytes.length);
            refused = true;
        }
        Findings findings = new Findings();
        if (recognition.isPresent()) {
            FtiFfFile file = FtiFfFile.read(source, recognition.get(), findings);
            assertThat(findings.isEmpty()).as(damage).isNotEqualTo(refused);
            new FtiFfVerifier(source, file, RangeDigester.sequential()).verify(findings);
        }
        return recognition.isEmpty() || !findings.isEmpty();
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
