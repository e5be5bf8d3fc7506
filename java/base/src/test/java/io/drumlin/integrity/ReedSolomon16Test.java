package io.drumlin.integrity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReedSolomon16Test {

    private final long seed = Long.getLong("drumlin.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void everyElementTimesItsInverseIsOne() {
        for (int element = 1; element < 1 << 16; element++) {
            assertThat(Gf16RegionsContract.product(element, Gf16.inverse(element)))
                    .isOne();
        }
        assertThatThrownBy(() -> Gf16.inverse(0)).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void theMatrixIsThatOfCauchy() {
        for (int files = 1; files <= ReedSolomon16.MOST_FILES; files++) {
            ReedSolomon16 code = new ReedSolomon16(files);
            for (int parity = 0; parity < files; parity++) {
                int[] row = code.codingRow(parity);
                for (int data = 0; data < files; data++) {
                    assertThat(row[data]).isEqualTo(code.coefficient(parity, data));
                    assertThat(Gf16RegionsContract.product(row[data], parity ^ (files + data)))
                            .isOne();
                }
            }
        }
    }

    @Test
    void anyFilesOfSmallGroupsGiveAllOthers() {
        for (int files = 1; files <= 5; files++) {
            for (long set = 0; set < 1L << (2 * files); set++) {
                if (Long.bitCount(set) >= files) {
                    assertDecodes(files, BitSet.valueOf(new long[] {set}));
                }
            }
        }
    }

    @Test
    void randomFilesOfLargeGroupsGiveAllOthers() {
        for (int files = 6; files <= ReedSolomon16.MOST_FILES; files++) {
            for (int trial = 0; trial < 5; trial++) {
                BitSet survivors = new BitSet();
                while (survivors.cardinality() < files) {
                    survivors.set(random.nextInt(2 * files));
                }
                assertDecodes(files, survivors);
            }
        }
    }

    private void assertDecodes(int files, BitSet survivors) {
        int[] words = codeWord(new ReedSolomon16(files));
        ReedSolomon16.Decoding decoding = new ReedSolomon16(files).decoding(survivors);
        assertThat(decoding.used()).isEqualTo(survivors.stream().limit(files).toArray());
        for (int number = 0; number < 2 * files; number++) {
            int[] row = decoding.row(number);
            int word = 0;
            for (int i = 0; i < files; i++) {
                word ^= Gf16RegionsContract.product(row[i], words[decoding.used()[i]]);
            }
            assertThat(word)
                    .as("file %d of %d from %s, -Ddrumlin.test.seed=%d", number, files, survivors, seed)
                    .isEqualTo(words[number]);
        }
    }

    /** A random word of each data file, and what the parity files have there. */
    private int[] codeWord(ReedSolomon16 code) {
        int files = code.files();
        int[] words = new int[2 * files];
        for (int data = 0; data < files; data++) {
            words[data] = random.nextInt(1 << 16);
        }
        for (int parity = 0; parity < files; parity++) {
            for (int data = 0; data < files; data++) {
                words[files + parity] ^= Gf16RegionsContract.product(code.codingRow(parity)[data], words[data]);
            }
        }
        return words;
    }

    @Test
    void whatIsNotOfTheCodeIsRefused() {
        assertThatThrownBy(() -> new ReedSolomon16(0)).hasMessageContaining("a group of 0");
        assertThatThrownBy(() -> new ReedSolomon16(32)).hasMessageContaining("1 to 31");
        ReedSolomon16 code = new ReedSolomon16(3);
        assertThatThrownBy(() -> code.codingRow(3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> code.coefficient(0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> code.decoding(of(1, 4))).hasMessageContaining("it takes 3");
        assertThatThrownBy(() -> code.decoding(of(1, 4, 6))).hasMessageContaining("0 to 5");
        assertThatThrownBy(() -> code.decoding(of(1, 4, 5)).row(6)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    private static BitSet of(int... numbers) {
        BitSet set = new BitSet();
        IntStream.of(numbers).forEach(set::set);
        return set;
    }
}
