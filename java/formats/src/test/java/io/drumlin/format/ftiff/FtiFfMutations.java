package io.drumlin.format.ftiff;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Damages files in every place. What is done to one of them is noticed, or it is one of the changes that
 * docs/formats/fti-ff.md, section 8, says nobody can notice: neither more nor less. Whatever comes out, the reader
 * keeps to the rules of {@link HostileFile}.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class FtiFfMutations {

    private final Random random;
    private final long seed = Long.getLong("drumlin.test.seed", System.nanoTime());

    FtiFfMutations() {
        random = new Random(seed);
    }

    /** The files to damage. */
    abstract Stream<Specimen> files() throws IOException;

    /** What each byte is combined with by xor. */
    abstract int[] masks();

    /** Damages of several places at once for each file. */
    abstract int rounds();

    private String seed() {
        return ", -Ddrumlin.test.seed=" + seed;
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyFlippedMetadataByte(Specimen file) throws IOException {
        for (Place place : file.places()) {
            for (int i = place.offset(); i < place.offset() + place.length(); i++) {
                for (int mask : masks()) {
                    byte[] damaged = file.bytes().clone();
                    damaged[i] ^= (byte) mask;
                    check(file, place, damaged, "byte " + i + " xor " + mask);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyFieldSetToAnExtreme(Specimen file) throws IOException {
        for (Place place : file.places()) {
            for (byte[] value : extremes(place.length(), file.bytes().length)) {
                byte[] damaged = file.bytes().clone();
                System.arraycopy(value, 0, damaged, place.offset(), value.length);
                check(file, place, damaged, Arrays.toString(value) + " at " + place.offset());
            }
        }
    }

    /** 0, -1, the largest and smallest numbers of 8, 32 and 64 bits, and some that are just too much; little endian. */
    private static List<byte[]> extremes(int length, long fileSize) {
        if (length > Long.BYTES) {
            byte[] ones = new byte[length];
            Arrays.fill(ones, (byte) -1);
            return List.of(new byte[length], ones);
        }
        return Stream.of(
                        0L,
                        1L,
                        -1L,
                        (long) Byte.MAX_VALUE,
                        (long) Byte.MIN_VALUE,
                        (long) Integer.MAX_VALUE,
                        (long) Integer.MIN_VALUE,
                        0xffff_ffffL,
                        1L << 32,
                        1L << 62,
                        Long.MAX_VALUE,
                        Long.MAX_VALUE - fileSize,
                        Long.MIN_VALUE,
                        fileSize,
                        fileSize + 1)
                .map(value -> Arrays.copyOf(
                        ByteBuffer.allocate(Long.BYTES)
                                .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                                .putLong(value)
                                .array(),
                        length))
                .toList();
    }

    /** Whether a change of one field is noticed, as it is and with a digest that fits the changed file record. */
    private void check(Specimen file, Place place, byte[] damaged, String damage) throws IOException {
        if (Arrays.equals(file.bytes(), damaged)) {
            return;
        }
        assertNoticed(!file.uncovered(place, damaged, false), file, damaged, damage);
        if (place.inFileRecord() && !place.is(Field.MY_HASH)) {
            file.sign(damaged);
            assertNoticed(!file.uncovered(place, damaged, true), file, damaged, damage + " signed");
        }
    }

    private static void assertNoticed(boolean expected, Specimen file, byte[] damaged, String damage)
            throws IOException {
        if (isNoticed(damaged, file, damage) != expected) {
            throw new AssertionError(file + ": " + damage + " should " + (expected ? "" : "not ") + "be noticed");
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void flippedDataBytes(Specimen file) throws IOException {
        byte[] whole = file.bytes();
        for (int round = 0; round < rounds(); round++) {
            int i = random.nextInt(whole.length);
            int mask = 1 + random.nextInt(255);
            if (file.places().stream().noneMatch(place -> place.contains(i))) {
                byte[] damaged = whole.clone();
                damaged[i] ^= (byte) mask;
                assertNoticed(file.covers(i), file, damaged, "data byte " + i + " xor " + mask + seed());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyCut(Specimen file) throws IOException {
        byte[] whole = file.bytes();
        Set<Integer> lengths = new TreeSet<>();
        for (Place place : file.places()) {
            lengths.addAll(List.of(place.offset(), place.offset() + 1, place.offset() + place.length()));
        }
        for (int i = 0; i < 200; i++) {
            lengths.add(random.nextInt(whole.length));
        }
        lengths.remove(whole.length);
        for (int length : lengths) {
            assertNoticed(length < file.least(), file, Arrays.copyOf(whole, length), "cut at " + length + seed());
        }
        for (int more : new int[] {1, 2, 3, 4, 8, 12, 50, 58, 62, 64, 82, 90, 96, 106, 110, 4096}) {
            byte[] longer = Arrays.copyOf(whole, whole.length + more);
            assertNoticed(longer.length > file.most(), file, longer, "longer by " + more);
        }
    }

    /** Nobody can say of these whether they are noticed: the fields may agree with each other again. */
    @ParameterizedTest
    @MethodSource("files")
    void severalPlacesAtOnce(Specimen file) throws IOException {
        List<Place> places = file.places();
        for (int round = 0; round < rounds(); round++) {
            byte[] damaged = file.bytes().clone();
            for (int n = random.nextInt(6); n >= 0; n--) {
                Place place = places.get(random.nextInt(places.size()));
                List<byte[]> values = extremes(place.length(), damaged.length);
                byte[] value = random.nextBoolean()
                        ? values.get(random.nextInt(values.size()))
                        : new byte[] {(byte) random.nextInt()};
                System.arraycopy(value, 0, damaged, place.offset(), value.length);
            }
            file.sign(damaged);
            isNoticed(damaged, file, "round " + round + seed());
        }
    }

    /** Whether something was found to be wrong. */
    static boolean isNoticed(byte[] bytes, Specimen file, String damage) throws IOException {
        try {
            return HostileFile.isDamaged(bytes);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(file + ": " + damage + ": " + e.getMessage(), e);
        }
    }
}
