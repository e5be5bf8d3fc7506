package io.drumlin.checkpoint.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Structure;
import io.drumlin.checkpoint.CompositeType;
import io.drumlin.checkpoint.Dimensions;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.RecordLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** JNA, which lays structs out for C compilers, is the other opinion. */
class RecordLayoutTest {

    private record Point(double x, float y, byte tag) {}

    private record Cell(
            boolean alive,
            Point centre,
            char letter,
            @Dimensions(3) byte[] colour,
            long mass,
            @Dimensions({2, 3}) short[] moments,
            @Dimensions(2) Point[] ends,
            int last) {}

    /** The same in C, to JNA. */
    @Structure.FieldOrder({"x", "y", "tag"})
    public static class CPoint extends Structure {
        public double x;
        public float y;
        public byte tag;
    }

    /** The same in C, to JNA. */
    @Structure.FieldOrder({"alive", "centre", "letter", "colour", "mass", "moments", "ends", "last"})
    public static class CCell extends Structure {
        public byte alive;
        public CPoint centre;
        public short letter;
        public byte[] colour = new byte[3];
        public long mass;
        public short[] moments = new short[6];
        public CPoint[] ends = new CPoint[2];
        public int last;

        int offset(String field) {
            return fieldOffset(field);
        }
    }

    private static final RecordLayout<Cell> LAYOUT = RecordLayout.of(Cell.class);

    private static Cell cell(int seed) {
        return new Cell(
                true,
                new Point(seed + 0.5, 1.25f, (byte) -3),
                'ß',
                new byte[] {1, 2, (byte) seed},
                1L << 40,
                new short[] {1, 2, 3, 4, 5, -6},
                new Point[] {new Point(1, 2, (byte) 3), new Point(4, 5, (byte) seed)},
                seed);
    }

    @Test
    void fieldsAreWhereACompilerPutsThem() {
        CCell struct = new CCell();
        assertThat(LAYOUT.size()).isEqualTo(struct.size());
        assertThat(LAYOUT.type().fields()).hasSize(8).allSatisfy(field -> assertThat(field.offset())
                .as(field.name())
                .isEqualTo(struct.offset(field.name())));
    }

    @Test
    void aStructThatJnaReadsHoldsTheValues() {
        CCell struct = new CCell();
        ByteBuffer memory = struct.getPointer().getByteBuffer(0, struct.size());
        LAYOUT.put(memory, 0, cell(7));
        struct.read();
        assertThat(struct.alive).isEqualTo((byte) 1);
        assertThat(struct.centre.x).isEqualTo(7.5);
        assertThat(struct.centre.tag).isEqualTo((byte) -3);
        assertThat((char) struct.letter).isEqualTo('ß');
        assertThat(struct.colour).containsExactly(1, 2, 7);
        assertThat(struct.mass).isEqualTo(1L << 40);
        assertThat(struct.moments).containsExactly(1, 2, 3, 4, 5, -6);
        assertThat(struct.ends[1].y).isEqualTo(5);
        assertThat(struct.last).isEqualTo(7);
    }

    @Test
    void elementsComeBackWhateverTheStateOfTheBuffer() {
        ByteBuffer cells = ByteBuffer.allocate(3 * LAYOUT.size()).order(ByteOrder.BIG_ENDIAN);
        for (int i = 0; i < 3; i++) {
            LAYOUT.put(cells, i, cell(i));
        }
        cells.position(5).limit(9);
        assertThat(LAYOUT.get(cells, 2)).usingRecursiveComparison().isEqualTo(cell(2));
        assertThat(LAYOUT.get(cells, 0)).usingRecursiveComparison().isEqualTo(cell(0));
        assertThatThrownBy(() -> LAYOUT.get(cells, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> LAYOUT.put(cells, -1, cell(0))).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void theTypeSaysWhatIsInAnElement() {
        assertThat(LAYOUT.type().name()).isEqualTo("Cell");
        CompositeType.Field moments = LAYOUT.type().fields().get(5);
        assertThat(moments.type()).isEqualTo(ElementType.SHRT);
        assertThat(moments.dimensions()).isEqualTo(List.of(2L, 3L));
        assertThat(((CompositeType) LAYOUT.type().fields().get(1).type()).fields())
                .extracting(CompositeType.Field::type)
                .containsExactly(ElementType.DBLE, ElementType.SFLT, ElementType.CHAR);
    }

    private record Named(String name) {}

    private record Unmeasured(int[] values) {}

    private record Endless(Endless next) {}

    private record Three(@Dimensions(3) int[] values) {}

    private record Positive(int value) {
        Positive {
            if (value <= 0) {
                throw new IllegalStateException("not positive");
            }
        }
    }

    @Test
    void whatHasNoPlaceInAStructIsRefused() {
        assertThatThrownBy(() -> RecordLayout.of(Named.class)).hasMessageContaining("only primitives");
        assertThatThrownBy(() -> RecordLayout.of(Unmeasured.class)).hasMessageContaining("@Dimensions");
        assertThatThrownBy(() -> RecordLayout.of(Endless.class)).hasMessageContaining("contains itself");
        ByteBuffer bytes = ByteBuffer.allocate(12);
        assertThatThrownBy(() -> RecordLayout.of(Three.class).put(bytes, 0, new Three(new int[2])))
                .hasMessageContaining("2 elements");
        assertThatThrownBy(() -> RecordLayout.of(Positive.class).get(bytes, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasRootCauseMessage("not positive");
    }
}
