package io.drumlin.format.fti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.SequentialDigester;
import io.drumlin.format.internal.RangeDigester.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DcpFileTest {

    private static final List<LayerEntry.Variable> FIRST =
            List.of(new LayerEntry.Variable(3, 10), new LayerEntry.Variable(200_000, 8), new LayerEntry.Variable(5, 0));

    /** Variable 3 has grown by a block. */
    private static final List<LayerEntry.Variable> THEN =
            List.of(new LayerEntry.Variable(3, 13), new LayerEntry.Variable(200_000, 8), new LayerEntry.Variable(5, 0));

    /** Blocks of 4 bytes: the base, then block 1 of variable 200000, then block 0 and the new block 3 of variable 3. */
    private static final byte[] BYTES = bytes();

    private static final List<LayerEntry> LAYERS = List.of(
            new LayerEntry(72, "18d594ad8a63d03b3401234c7fb5d6", FIRST, -1),
            new LayerEntry(18, "", FIRST, -1),
            new LayerEntry(28, "", THEN, -1));

    private static byte[] bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(118).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(4).putInt(5);
        bytes.putInt(0).putInt(3);
        bytes.putInt(3).putLong(10).put("abcdefghij\0\0".getBytes());
        bytes.putInt(200_000).putLong(8).put("ABCDEFGH".getBytes());
        bytes.putInt(5).putLong(0);
        bytes.putInt(7).putInt(3);
        putHead(bytes, 200_000, 1).put("WXYZ".getBytes());
        bytes.putInt(8).putInt(3);
        putHead(bytes, 3, 0).put("0123".getBytes());
        putHead(bytes, 3, 3).put("m\0\0\0".getBytes());
        return bytes.array();
    }

    private static ByteBuffer putHead(ByteBuffer bytes, int id, long index) {
        long bits = index << 18 | id;
        return bytes.putInt((int) bits).putShort((short) (bits >>> 32));
    }

    private static DcpFile read(byte[] bytes, List<LayerEntry> layers) throws IOException {
        long size = layers.stream().mapToLong(LayerEntry::size).sum();
        FileEntry entry = new FileEntry("dcp-id0-rank0.fti", size, size, "", List.of(), layers, null);
        return DcpFile.read(new MemoryByteSource(ByteBuffer.wrap(bytes)), entry);
    }

    private static String variable(DcpFile file, int layers, int id) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Range range : file.variable(layers, id)) {
            text.append(new String(BYTES, (int) range.offset(), (int) range.length()));
        }
        return text.toString();
    }

    @Test
    void givesAVariableAsItWasAfterEachLayer() throws IOException {
        DcpFile file = read(BYTES, LAYERS.subList(0, 2));
        assertThat(file.blockSize()).isEqualTo(4);
        assertThat(file.stackSize()).isEqualTo(5);
        assertThat(file.storedCkptId(1)).isEqualTo(7);
        assertThat(variable(file, 1, 3)).isEqualTo("abcdefghij");
        assertThat(variable(file, 1, 200_000)).isEqualTo("ABCDEFGH");
        assertThat(variable(file, 2, 200_000)).isEqualTo("ABCDWXYZ");
        assertThat(variable(file, 2, 5)).isEmpty();
        assertThatThrownBy(() -> file.variable(2, 4)).hasMessageContaining("does not know variable 4");
    }

    @Test
    void refusesAVariableWithAGap() throws IOException {
        // Block 2 is there, in the padding of the base; a block 4 would not be.
        DcpFile file = read(BYTES, LAYERS);
        assertThat(variable(file, 3, 3)).isEqualTo("0123efghij\0\0m");
        List<LayerEntry.Variable> longer = List.of(
                new LayerEntry.Variable(3, 17), new LayerEntry.Variable(200_000, 8), new LayerEntry.Variable(5, 0));
        DcpFile gap = read(BYTES, List.of(LAYERS.get(0), LAYERS.get(1), new LayerEntry(28, "", longer, -1)));
        assertThatThrownBy(() -> gap.variable(3, 3))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("not all blocks of the 17 bytes of variable 3")
                .hasMessageContaining("offset 90");
    }

    /** The digest is that of md5sum over the digests of the blocks. */
    @Test
    void comparesTheDigestOfALayer() throws IOException {
        DcpFile file = read(BYTES, LAYERS);
        assertThat(file.isWhole(0, new SequentialDigester())).isTrue();
        assertThat(file.isWhole(1, new SequentialDigester())).isFalse();
        byte[] changed = BYTES.clone();
        changed[35] ^= 1;
        assertThat(read(changed, LAYERS).isWhole(0, new SequentialDigester())).isFalse();
    }

    /**
     * Layers as release v1.5 or v1.6 writes them: which is known only from the indexes of blocks. Index 1 of the one is
     * index 16384 of the other, and index 65536 is 0 in v1.5.
     */
    @ParameterizedTest
    @CsvSource({
        "16384, 0x0003_0000_0003, 3",
        "16385, 0x0001_0000_0003, may be of release v1.5 or v1.6",
        "65537, 0x0005_0000_0003, 'release v1.4.1 or v1.5 of C FTI, which counts no more than 65536 blocks'",
        "65537, 0x0000_0404_0003, 257",
    })
    void tellsReleasesByTheIndexesOfBlocks(int size, String head, String expected) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(24 + size + 15).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(1).putInt(5).putInt(0).putInt(1).putInt(3).putInt(size).position(24 + size);
        long bits = Long.decode(head.replace("_", ""));
        bytes.putInt(7)
                .putInt(1)
                .putInt((int) bits)
                .putShort((short) (bits >>> 32))
                .put((byte) 9);
        List<LayerEntry.Variable> variables = List.of(new LayerEntry.Variable(3, size));
        List<LayerEntry> layers =
                List.of(new LayerEntry(24 + size, "", variables, -1), new LayerEntry(15, "", variables, -1));
        if (!expected.matches("\\d+")) {
            assertThatThrownBy(() -> read(bytes.array(), layers)).hasMessageContaining(expected);
            return;
        }
        DcpFile file = read(bytes.array(), layers);
        assertThat(file.isOfToday()).isFalse();
        int index = Integer.parseInt(expected);
        assertThat(file.variable(2, 3))
                .containsExactly(
                        new Range(24, index),
                        new Range(24 + size + 14, 1),
                        new Range(24 + index + 1, size - index - 1));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, block size",
        "0, 5, variable id",
        "12, 4, number of variables",
        "12, -1, number of variables",
        "16, 4, variable id",
        "20, 11, variable size",
        "24, -1, variable size",
        "76, 2, number of variables",
        "80, 6, block head",
        "82, 255, block head",
    })
    void refusesANumberByItsField(int offset, int value, String field) {
        byte[] bytes = BYTES.clone();
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(offset, value);
        assertThatThrownBy(() -> read(bytes, LAYERS))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("field " + field + " at offset");
    }

    @Test
    void refusesLayersThatAreNotInTheFile() {
        assertThatThrownBy(() -> read(BYTES, List.of())).hasMessageContaining("no layer");
        assertThatThrownBy(() -> read(BYTES, List.of(new LayerEntry(Long.MAX_VALUE, "", FIRST, -1))))
                .isInstanceOf(FormatException.class);
        assertThatThrownBy(() -> read(BYTES, List.of(new LayerEntry(73, "", FIRST, -1))))
                .hasMessageContaining("layer 0");
        assertThatThrownBy(() -> read(BYTES, List.of(LAYERS.get(0), new LayerEntry(19, "", FIRST, -1))))
                .hasMessageContaining("block head");
    }

    @Test
    void leavesADamagedFileAloneOrGivesBytesWithinIt() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = BYTES.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                DcpFile file = read(bytes, LAYERS);
                for (LayerEntry.Variable variable : THEN) {
                    long length = 0;
                    for (Range range : file.variable(3, variable.id())) {
                        assertThat(range.offset()).isBetween(0L, bytes.length - range.length());
                        length += range.length();
                    }
                    assertThat(length).isEqualTo(variable.size());
                }
            } catch (FormatException e) {
                assertThat(e.finding().offset()).isBetween(0L, (long) bytes.length);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", file " + i, e);
            }
        }
    }
}
