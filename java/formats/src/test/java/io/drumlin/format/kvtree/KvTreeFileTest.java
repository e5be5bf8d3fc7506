package io.drumlin.format.kvtree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class KvTreeFileTest {

    /** The index that SCR 3.1.0 leaves when the last dataset is dropped; the hex dump of docs/formats/kvtree.md. */
    private static final String EMPTY_INDEX = "951fc3f500010001000000000000002e"
            + "000000010000000156455253494f4e00"
            + "000000013200000000003312"
            + "27bf";

    static KvTreeFile read(byte[] bytes) throws IOException {
        return KvTreeFile.read(new MemoryByteSource(ByteBuffer.wrap(bytes)));
    }

    private static KvTreeFile readAgain(KvTree tree) throws IOException {
        return KvTreeFile.read(new MemoryByteSource(KvTreeFile.encode(tree)));
    }

    @Test
    void anIndexOfScr() throws IOException {
        byte[] bytes = HexFormat.of().parseHex(EMPTY_INDEX);
        KvTreeFile file = read(bytes);
        assertThat(file.tree().value("VERSION")).contains("2");
        assertThat(file.flags()).isEqualTo(KvTreeFile.CRC);
        assertThat(file.length()).isEqualTo(46);
        assertThat(KvTreeFile.encode(file.tree())).isEqualTo(ByteBuffer.wrap(bytes));
    }

    @Test
    void anEmptyTreeTakes28Bytes() throws IOException {
        assertThat(KvTreeFile.encode(new KvTree()).remaining()).isEqualTo(28);
        assertThat(readAgain(new KvTree()).tree().isEmpty()).isTrue();
    }

    @Test
    void anEmptyFileIsAnEmptyTree() throws IOException {
        assertThat(read(new byte[0]).tree().isEmpty()).isTrue();
    }

    @Test
    void anyByteStringIsAKey() throws IOException {
        KvTree tree = new KvTree();
        for (byte[] key : new byte[][] {
            {},
            {'a'},
            {(byte) 0xe9},
            {(byte) 0xc3, (byte) 0xa9},
            {'x', (byte) 0xff, 'y'},
            {(byte) 0xed, (byte) 0xb2, (byte) 0xa0},
            {(byte) 0xf0, (byte) 0x9f, (byte) 0x98, (byte) 0x80},
            {(byte) 0xc3},
            {(byte) 0xc0, (byte) 0x80}
        }) {
            String text = Keys.text(key, 0, key.length);
            assertThat(Keys.bytes(text)).isEqualTo(key);
            assertThat(tree.has(text)).isFalse();
            tree.add(text);
        }
        assertThat(readAgain(tree).tree().keys()).containsExactlyElementsOf(tree.keys());
        assertThat(tree.has("\u00e9")).isTrue();
        assertThat(tree.has("\udce9")).as("a byte that is no UTF-8").isTrue();
    }

    @Test
    void keepsTheOrderOfKeysButDoesNotCompareIt() throws IOException {
        KvTree tree = new KvTree();
        tree.set("z", "1");
        tree.set("a", "2");
        KvTree other = new KvTree();
        other.set("a", "2");
        other.set("z", "1");
        assertThat(readAgain(tree).tree().keys()).containsExactly("z", "a");
        assertThat(tree).isEqualTo(other).hasSameHashCodeAs(other);
        assertThat(KvTreeFile.encode(tree)).isNotEqualTo(KvTreeFile.encode(other));
    }

    @Test
    void refusesWhatNoFileCanHold() {
        KvTree nul = new KvTree();
        nul.add("a\0b");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KvTreeFile.encode(nul))
                .withMessageContaining("U+0000");
        KvTree half = new KvTree();
        half.add("\ud800");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KvTreeFile.encode(half))
                .withMessageContaining("half");
    }

    @Test
    void refusesTreesThatAreTooDeepBothWays() throws IOException {
        KvTree deepest = new KvTree();
        KvTree node = deepest;
        for (int level = 1; level < KvTreeFile.MAX_DEPTH; level++) {
            node = node.add("x");
        }
        assertThat(readAgain(deepest).tree()).isEqualTo(deepest);
        node.add("one more");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KvTreeFile.encode(deepest))
                .withMessageContaining("deeper than 1000 levels");
        // By hand: 100,000 levels, each the element with the empty key.
        ByteBuffer file = ByteBuffer.allocate(20 + 5 * 100_000 + 4);
        file.putLong(0x951fc3f500010001L).putLong(file.capacity()).putInt(0);
        for (int level = 0; level < 100_000; level++) {
            file.putInt(1).put((byte) 0);
        }
        assertThatExceptionOfType(FormatException.class)
                .isThrownBy(() -> read(file.array()))
                .withMessageContaining("deeper than 1000 levels");
    }

    @Test
    void joinsEqualKeys() throws IOException {
        byte[] bytes = Files.readAllBytes(ScrGolden.root().resolve("kvtree_general/files/duplicate_keys.kv"));
        KvTree expected = new KvTree();
        expected.add("B");
        expected.addPath("A", "2");
        expected.addPath("A", "1", "x");
        expected.addPath("A", "1", "y");
        assertThat(read(bytes).tree()).isEqualTo(expected);
    }

    static Stream<Path> invalid() throws IOException {
        return ScrGolden.files("kvtree_invalid").stream()
                .filter(path -> path.toString().endsWith(".kv"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void refusesDamagedFiles(Path path) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        assertThatExceptionOfType(FormatException.class)
                .isThrownBy(() -> read(bytes))
                .withMessageStartingWith("reading kvtree field ");
    }

    @Test
    void ignoresWhatFollowsTheTree() throws IOException {
        byte[] bytes = HexFormat.of().parseHex(EMPTY_INDEX + "00ffee");
        assertThat(read(bytes).length()).isEqualTo(46);
    }

    @Test
    void refusesBytesBetweenTheTreeAndItsCrc() {
        ByteBuffer file = ByteBuffer.allocate(26);
        file.putLong(0x951fc3f500010001L).putLong(26).putInt(0).putInt(0).putShort((short) 7);
        assertThatExceptionOfType(FormatException.class)
                .isThrownBy(() -> read(file.array()))
                .withMessageContaining("field tree at offset 24")
                .withMessageContaining("2 bytes follow");
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 21, 22, 23})
    void refusesASizeWithoutRoomForTheCrc(int size) {
        ByteBuffer file = ByteBuffer.allocate(size);
        file.putLong(0x951fc3f500010001L).putLong(size).putInt(1);
        assertThatExceptionOfType(FormatException.class).isThrownBy(() -> read(file.array()));
    }

    /** What C does with a list took minutes for a node of this many keys; the limit of the test run is the only clock. */
    @Test
    void manyKeysInOneNode() throws IOException {
        KvTree tree = new KvTree();
        for (int i = 0; i < 300_000; i++) {
            tree.addPath("DSET", Integer.toString(i), "COMPLETE", "1");
        }
        KvTree again = readAgain(tree).tree();
        assertThat(again).isEqualTo(tree);
        KvTree datasets = again.add("DSET");
        for (int i = 0; i < 300_000; i++) {
            datasets.remove(Integer.toString(i));
        }
        assertThat(datasets.isEmpty()).isTrue();
    }
}
