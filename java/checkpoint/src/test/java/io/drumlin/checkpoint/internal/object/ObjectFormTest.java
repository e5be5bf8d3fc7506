package io.drumlin.checkpoint.internal.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Codec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The layout of docs/formats/objects.md. */
class ObjectFormTest {

    enum Color {
        RED,
        GREEN
    }

    record Point(int x, Color color, String name, double[] weights) {}

    private static <T> byte[] encode(Codec<T> codec, T value) {
        ObjectBytes bytes = new ObjectBytes();
        new ObjectForm<>(codec).encode(value, bytes);
        ByteBuffer all = ByteBuffer.allocate((int) bytes.size());
        bytes.copyOut(0, all);
        return all.array();
    }

    private static <T> T decode(Codec<T> codec, byte[] stored) throws IOException {
        ObjectBytes bytes = ObjectBytes.ofSize(stored.length);
        bytes.copyIn(0, ByteBuffer.wrap(stored));
        return new ObjectForm<>(codec).decode(bytes);
    }

    @Test
    void theExampleIsAsDescribed() {
        String schema = "list<record{x:int,color:enum{RED,GREEN}?,name:string?,weights:double[]?}?>";
        ByteBuffer expected = ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN);
        expected.put("drumlin object 1".getBytes(StandardCharsets.US_ASCII)).putLong(schema.length());
        expected.put(schema.getBytes(StandardCharsets.US_ASCII));
        expected.putInt(2).put((byte) 1).putInt(7);
        expected.put((byte) 1).putShort((short) 1);
        expected.put((byte) 1).putInt(2).put("\u00e4".getBytes(StandardCharsets.UTF_8));
        expected.put((byte) 1).putInt(1).putDouble(0.5).put((byte) 0);
        List<Point> points = Arrays.asList(new Point(7, Color.GREEN, "\u00e4", new double[] {0.5}), null);
        assertThat(encode(Codec.list(Codec.record(Point.class)), points))
                .isEqualTo(Arrays.copyOf(expected.array(), expected.position()));
    }

    record Before(int kept, String gone, List<Set<Inner>> goneToo, Color color, Inner inner, Integer boxed) {}

    record Inner(long a, float[] b) {}

    enum Shade {
        BLUE,
        GREEN,
        RED
    }

    record After(double added, Integer boxed, Map<String, String> addedToo, InnerAfter inner, int kept, Shade color) {}

    record InnerAfter(char added, Long a) {}

    @Test
    void componentsMayComeAndGo() throws IOException {
        Inner inner = new Inner(5, new float[] {1, 2});
        Before before = new Before(1, "x", List.of(Set.of(inner), Set.of()), Color.GREEN, inner, 9);
        byte[] stored = encode(Codec.record(Before.class), before);
        After after = decode(Codec.record(After.class), stored);
        assertThat(after).isEqualTo(new After(0, 9, null, new InnerAfter('\0', 5L), 1, Shade.GREEN));
    }

    record Stored(Map<String, List<Integer>> values, Color color, Integer boxed) {}

    record OtherElement(Map<String, List<Long>> values) {}

    record OtherKind(Map<String, Set<Integer>> values) {}

    record Unboxed(int boxed) {}

    enum OneColor {
        RED
    }

    record NoGreen(OneColor color) {}

    record Picky(Integer boxed) {
        Picky {
            if (boxed == null) {
                throw new IllegalArgumentException("nothing is there");
            }
        }
    }

    record Fewer(Set<Key> keys) {}

    record Key(int a) {}

    record More(Set<Pair> keys) {}

    record Pair(int a, int b) {}

    @Test
    void whatDoesNotFitIsNamed() {
        byte[] stored = encode(Codec.record(Stored.class), new Stored(Map.of("k", List.of(1)), Color.GREEN, null));
        refuses(
                stored,
                Codec.record(OtherElement.class),
                "a value of OtherElement.values",
                "stored as int, and is long");
        refuses(stored, Codec.record(OtherKind.class), "OtherKind.values", "list<int?>", "set<int?>");
        refuses(stored, Codec.record(Unboxed.class), "Unboxed.boxed is stored as null, and is int");
        refuses(stored, Codec.record(NoGreen.class), "NoGreen.color is stored as GREEN", "[RED]");
        refuses(stored, Codec.record(Picky.class), "Picky", "nothing is there");
        refuses(stored, Codec.of(String.class), "the object", "and is string in this program");
        byte[] more = encode(Codec.record(More.class), new More(Set.of(new Pair(1, 1), new Pair(1, 2))));
        refuses(more, Codec.record(Fewer.class), "an element of Fewer.keys is there twice");
        refuses(new byte[100], Codec.of(String.class), "not as an object with a Codec");
        refuses(new byte[3], Codec.of(String.class), "not as an object with a Codec");
        refuses(Arrays.copyOf(stored, stored.length + 1), Codec.record(Stored.class), "1 bytes too early");
    }

    private static void refuses(byte[] stored, Codec<?> codec, String... words) {
        assertThatThrownBy(() -> decode(codec, stored))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll(words);
    }

    record Self(int a, List<Self> more) {}

    record Odd(List<? extends Number> numbers) {}

    record Named(UUID id, List<UUID> others, Point point) {}

    record Nodes<T>(T first) {}

    @Test
    void whatCannotBeStoredIsRefusedWhenItIsProtected() {
        cannot(Codec.record(Self.class), "Self contains itself");
        cannot(Codec.record(Odd.class), "Odd.numbers", "? extends java.lang.Number");
        cannot(Codec.record(Named.class), "Named.id", "java.util.UUID");
        cannot(Codec.record(Nodes.class), "Nodes.first", "a T");
        cannot(Codec.of(Point.class), "Codec.record(Point.class)");
        cannot(Codec.of(Object.class), "no codec for java.lang.Object");
        cannot(Codec.of(String[].class), "no codec for java.lang.String[]");
        assertThatThrownBy(() -> encode(Codec.of(String.class), "a\ud800b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("half a surrogate pair at 1");
        Codec<?> deep = Codec.of(Integer.class);
        for (int i = 0; i <= Schema.MOST_DEPTH; i++) {
            deep = Codec.list(deep);
        }
        cannot(deep, "64 types");
    }

    private static void cannot(Codec<?> codec, String... words) {
        assertThatThrownBy(() -> new ObjectForm<>(codec))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(words);
    }

    @Test
    void classesOfTheProgramHaveCodecsOfTheirOwn() throws IOException {
        Codec<UUID> ids = Codec.of(String.class).as(UUID::fromString, UUID::toString);
        Codec<Named> named = Codec.record(Named.class, Map.of(UUID.class, ids));
        UUID id = new UUID(1, 2);
        Named value = new Named(id, Arrays.asList(null, id), null);
        byte[] stored = encode(named, value);
        assertThat(decode(named, stored)).isEqualTo(value);
        Codec<ArrayDeque<Integer>> queues = Codec.list(Codec.of(Integer.class)).as(ArrayDeque::new, ArrayList::new);
        ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(3, 1, 2));
        assertThat(decode(queues, encode(queues, queue))).containsExactly(3, 1, 2);
        refuses(encode(Codec.of(String.class), "?"), ids, "the object is refused by its Codec", "Invalid UUID");
    }

    @Property(tries = 50)
    void comesBack(@ForAll long seed) throws IOException {
        requireRoundTrip(seed);
    }

    @Tag("exhaustive")
    @Test
    void allComeBack() throws IOException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        for (int round = 0; round < 20_000; round++) {
            requireRoundTrip(seed + round);
        }
    }

    private static void requireRoundTrip(long seed) throws IOException {
        Random random = new Random(seed);
        RandomObject<?> object = RandomObject.of(random, random.nextInt(5));
        requireRoundTrip(object, seed);
    }

    private static <T> void requireRoundTrip(RandomObject<T> object, long seed) throws IOException {
        byte[] stored = encode(object.codec(), object.value());
        T read = decode(object.codec(), stored);
        assertThat(RandomObject.isSame(read, object.value()))
                .as("seed %d", seed)
                .isTrue();
        assertThat(encode(object.codec(), read)).as("seed %d", seed).isEqualTo(stored);
    }

    /** An object, or words, and never memory for what is not there. */
    @Test
    void hostileBytesAreRefused() {
        requireBounded(new Random().nextLong(), 1500);
    }

    @Tag("exhaustive")
    @Test
    void manyHostileBytesAreRefused() {
        requireBounded(new Random().nextLong(), 300_000);
    }

    private static void requireBounded(long seed, int rounds) {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < rounds; round++) {
            RandomObject<?> object = RandomObject.of(random, random.nextInt(4));
            byte[] stored = encodeAny(object);
            int header = 24;
            int changes = 1 + random.nextInt(3);
            for (int i = 0; i < changes; i++) {
                int from = random.nextBoolean() ? 0 : header;
                int at = from + random.nextInt(stored.length - from);
                stored[at] = (byte) random.nextInt();
                if (random.nextInt(4) == 0 && at + 4 <= stored.length) {
                    ByteBuffer.wrap(stored)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putInt(at, random.nextInt() >> random.nextInt(31));
                }
            }
            try {
                decode(
                        object.codec(),
                        random.nextInt(3) == 0 ? Arrays.copyOf(stored, random.nextInt(stored.length)) : stored);
            } catch (IOException e) {
                assertThat(e.getMessage()).as("seed %d, round %d", seed, round).isNotBlank();
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ", round " + round, e);
            }
        }
    }

    private static <T> byte[] encodeAny(RandomObject<T> object) {
        return encode(object.codec(), object.value());
    }

    /** Two thousand million elements in a few bytes. */
    @Test
    void lengthsAreNotBelieved() {
        for (Codec<?> codec : List.of(
                Codec.list(Codec.of(Integer.class)),
                Codec.set(Codec.of(Integer.class)),
                Codec.map(Codec.of(Integer.class), Codec.of(Integer.class)),
                Codec.of(String.class),
                Codec.of(double[].class),
                Codec.of(byte[].class))) {
            String schema = ValueTypes.of(codec).schema().toString();
            ByteBuffer stored = ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN);
            stored.put("drumlin object 1".getBytes(StandardCharsets.US_ASCII)).putLong(schema.length());
            stored.put(schema.getBytes(StandardCharsets.US_ASCII)).putInt(Integer.MAX_VALUE);
            refuses(stored.array(), codec, "is stored with 2147483647 elements, and");
        }
    }

    @Test
    void bytesGoToAnyPlace() {
        Random random = new Random(1);
        byte[] all = new byte[300_000];
        random.nextBytes(all);
        ObjectBytes written = new ObjectBytes();
        for (int at = 0; at < all.length; ) {
            int length = Math.min(all.length - at, 1 + random.nextInt(9));
            ByteBuffer value = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
            if (length == 8) {
                written.putLong(value.getLong(at));
            } else if (length == 4) {
                written.putInt(value.getInt(at));
            } else if (length == 2) {
                written.putShort(value.getShort(at));
            } else {
                written.put(Arrays.copyOfRange(all, at, at + length), length);
            }
            at += length;
        }
        assertThat(written.size()).isEqualTo(all.length);
        ObjectBytes copy = ObjectBytes.ofSize(all.length);
        List<Integer> places = new ArrayList<>();
        for (int at = 0; at < all.length; at += 1777) {
            places.add(at);
        }
        Collections.shuffle(places, random);
        for (int at : places) {
            ByteBuffer piece = ByteBuffer.allocate(Math.min(1777, all.length - at));
            written.copyOut(at, piece);
            assertThat(piece.flip()).isEqualTo(ByteBuffer.wrap(all, at, piece.limit()));
            copy.copyIn(at, piece);
        }
        ByteBuffer same = ByteBuffer.allocate(all.length);
        copy.copyOut(0, same);
        assertThat(same.array()).isEqualTo(all);
    }
}
