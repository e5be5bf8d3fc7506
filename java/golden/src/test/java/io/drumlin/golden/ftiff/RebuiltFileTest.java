package io.drumlin.golden.ftiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.Golden;
import io.drumlin.format.ByteSource;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.integrity.LastByte;
import io.drumlin.integrity.ReedSolomon16;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Groups of files that C FTI encoded in POSIX mode, and windows of random ones. */
class RebuiltFileTest {

    private final long seed = Long.getLong("drumlin.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** A group as its metadata file tells it; parity files follow the data files. */
    private record Group(int files, long maxSize, List<byte[]> plain, List<byte[]> parity, List<byte[]> md5) {

        private static Group read(Path metadata) throws IOException {
            List<Map<String, String>> members = new ArrayList<>();
            for (String section : Files.readString(metadata).split("\\[\\d+\\]", -1)) {
                members.add(section.lines()
                        .filter(line -> line.contains("="))
                        .map(line -> line.split("=", 2))
                        .collect(Collectors.toMap(pair -> pair[0].trim(), pair -> pair[1].trim(), (a, b) -> b)));
            }
            List<byte[]> plain = new ArrayList<>();
            List<byte[]> parity = new ArrayList<>();
            List<byte[]> md5 = new ArrayList<>();
            Path data = metadata.getParent().getParent().getParent().getParent();
            for (Map<String, String> member : members.subList(1, members.size())) {
                String name = value(member, "ckpt_file_name");
                plain.add(find(data, name));
                parity.add(find(data, name.replace("Rank", "RSed")));
                md5.add(jdkMd5(plain.get(plain.size() - 1)));
                String computed = HexFormat.of().formatHex(md5.get(md5.size() - 1));
                assertThat(FileEntry.isDigestOf(value(member, "ckpt_checksum"), computed))
                        .isTrue();
            }
            long maxSize = Long.parseLong(value(members.get(1), "ckpt_file_maxs"));
            return new Group(plain.size(), maxSize, plain, parity, md5);
        }

        private static String value(Map<String, String> member, String key) {
            String value = member.get(key);
            assertThat(value).as(key).isNotNull();
            return String.valueOf(value);
        }

        private static byte[] find(Path data, String name) throws IOException {
            try (Stream<Path> paths = Files.walk(data.resolve("Local"))) {
                return Files.readAllBytes(paths.filter(path -> path.endsWith(Path.of("l3", name)))
                        .findFirst()
                        .orElseThrow());
            }
        }

        private List<ByteSource> sources() {
            List<ByteSource> sources = new ArrayList<>();
            plain.forEach(bytes -> sources.add(source(Arrays.copyOf(bytes, (int) maxSize))));
            parity.forEach(bytes -> sources.add(source(bytes)));
            return sources;
        }
    }

    @TestFactory
    Stream<DynamicTest> anyHalfOfAGoldenGroupGivesTheOther() throws IOException {
        Path root = Golden.path("fti-posix");
        try (Stream<Path> paths = Files.walk(root)) {
            List<Path> groups = paths.filter(
                            path -> path.toString().matches(".*/Meta/[^/]+/l3/sector\\d+-group\\d+.fti"))
                    .sorted()
                    .toList();
            assertThat(groups).hasSizeGreaterThan(6);
            return groups.stream()
                    .map(path -> DynamicTest.dynamicTest(
                            root.relativize(path).toString(), () -> assertEveryHalfGivesTheOther(Group.read(path))));
        }
    }

    private static void assertEveryHalfGivesTheOther(Group group) throws IOException {
        ReedSolomon16 code = new ReedSolomon16(group.files);
        List<ByteSource> all = group.sources();
        for (long set = 0; set < 1L << (2 * group.files); set++) {
            if (Long.bitCount(set) == group.files) {
                BitSet survivors = BitSet.valueOf(new long[] {set});
                assertRebuilt(code, group, only(all, survivors), survivors);
            }
        }
    }

    /** The lost plain files of the survivors; then the lost parity files of all plain files. */
    private static void assertRebuilt(
            ReedSolomon16 code, Group group, List<@Nullable ByteSource> files, BitSet survivors) throws IOException {
        List<@Nullable ByteSource> data = new ArrayList<>(files);
        for (int number = survivors.nextClearBit(0);
                number < group.files;
                number = survivors.nextClearBit(number + 1)) {
            byte[] plain = group.plain.get(number);
            RebuiltFile rebuilt = RebuiltFile.of(code, files, number, group.maxSize);
            assertThat(rebuilt.lastByteIsSure()).isEqualTo(group.maxSize % 2 == 0);
            if (!rebuilt.lastByteIsSure() && plain.length == group.maxSize) {
                rebuilt = rebuilt.withLastByte(
                        LastByte.of(rebuilt, 0, group.md5.get(number)).orElseThrow());
                assertThat(rebuilt.lastByteIsSure()).isTrue();
            }
            assertThat(Arrays.copyOf(bytes(rebuilt), plain.length))
                    .as("file %d from %s", number, survivors)
                    .isEqualTo(plain);
            data.set(number, source(Arrays.copyOf(plain, (int) group.maxSize)));
        }
        for (int number = survivors.nextClearBit(group.files);
                number < 2 * group.files;
                number = survivors.nextClearBit(number + 1)) {
            assertThat(bytes(RebuiltFile.of(code, data, number, group.maxSize)))
                    .isEqualTo(group.parity.get(number - group.files));
        }
    }

    @Test
    void anyWindowIsThatOfTheWholeFile() throws IOException {
        for (int length : new int[] {0, 1, 2, 131_072, 200_001}) {
            List<ByteSource> files = new ArrayList<>();
            for (int data = 0; data < 3; data++) {
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                files.add(source(bytes));
            }
            files.addAll(Collections.nCopies(3, null));
            RebuiltFile parity = RebuiltFile.of(new ReedSolomon16(3), files, 4, length);
            byte[] whole = bytes(parity);
            byte[] original = bytes(files.set(1, null));
            files.set(4, source(whole));
            RebuiltFile lost = RebuiltFile.of(new ReedSolomon16(3), files, 1, length);
            assertThat(Arrays.copyOf(bytes(lost), length / 2 * 2)).isEqualTo(Arrays.copyOf(original, length / 2 * 2));
            for (int trial = 0; trial < 50; trial++) {
                int offset = random.nextInt(length + 1);
                ByteBuffer window = ByteBuffer.allocate(random.nextInt(length - offset + 1));
                parity.readFully(offset, window);
                assertThat(window.hasRemaining()).isFalse();
                assertThat(window.array())
                        .as("length %d, offset %d, -Ddrumlin.test.seed=%d", length, offset, seed)
                        .isEqualTo(Arrays.copyOfRange(whole, offset, offset + window.capacity()));
            }
            assertThatThrownBy(() -> parity.readFully(length, ByteBuffer.allocate(1)))
                    .isInstanceOf(EOFException.class);
            assertThatThrownBy(() -> parity.readFully(-1, ByteBuffer.allocate(1)))
                    .isInstanceOf(EOFException.class);
        }
    }

    @Test
    void aDigestThatFitsNoLastByteIsTold() throws IOException {
        byte[] first = {1, 2, 3};
        List<@Nullable ByteSource> files =
                new ArrayList<>(Arrays.asList(source(first), source(new byte[3]), null, null));
        RebuiltFile parity = RebuiltFile.of(new ReedSolomon16(2), files, 3, 3);
        files.set(0, null);
        files.set(3, source(bytes(parity)));
        RebuiltFile rebuilt = RebuiltFile.of(new ReedSolomon16(2), files, 0, 3);
        assertThat(rebuilt.lastByteIsSure()).isFalse();
        assertThat(LastByte.of(rebuilt, 0, jdkMd5(new byte[] {1, 2, 77}))).hasValue(77);
        assertThat(bytes(rebuilt.withLastByte(77))).isEqualTo(new byte[] {1, 2, 77});
        assertThat(LastByte.of(rebuilt, 0, jdkMd5(new byte[] {1, 3, 3}))).isEmpty();
    }

    @Test
    void filesTooFewOrTooShortAreRefused() {
        ReedSolomon16 code = new ReedSolomon16(2);
        ByteSource four = source(new byte[4]);
        assertThatThrownBy(() -> RebuiltFile.of(code, Arrays.asList(null, four, null, null), 0, 4))
                .hasMessageContaining("it takes 2");
        assertThatThrownBy(() -> RebuiltFile.of(code, Arrays.asList(four, four, null), 0, 4))
                .hasMessageContaining("3 files in a group of 2");
        assertThatThrownBy(() -> RebuiltFile.of(code, Arrays.asList(null, four, null, source(new byte[3])), 0, 4))
                .hasMessageContaining("file 3 of the group is shorter than 4");
    }

    private static List<@Nullable ByteSource> only(List<ByteSource> all, BitSet survivors) {
        List<@Nullable ByteSource> files = new ArrayList<>();
        for (int number = 0; number < all.size(); number++) {
            files.add(survivors.get(number) ? all.get(number) : null);
        }
        return files;
    }

    private static ByteSource source(byte[] bytes) {
        return new MemoryByteSource(ByteBuffer.wrap(bytes));
    }

    private static byte[] bytes(ByteSource source) throws IOException {
        byte[] bytes = new byte[(int) source.size()];
        source.readFully(0, ByteBuffer.wrap(bytes));
        return bytes;
    }

    private static byte[] jdkMd5(byte[] bytes) {
        try {
            return MessageDigest.getInstance("MD5").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
