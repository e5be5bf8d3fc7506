package io.drumlin.scr.internal.redundancy;

import io.drumlin.integrity.Gf256;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The distribution of data and sums over the ranks of a set for XOR and RS (docs/formats/scr.md, section 11). There are
 * as many stripes as ranks. In each stripe every rank holds one symbol. K of the ranks hold a sum over the data chunks
 * of the others; each other rank holds the next chunk of its data.
 */
final class StripeCode {

    private final int ranks;
    private final int sums;

    /** The factors of the ranks' data in each sum. */
    private final int[][] factors;

    /**
     * @param ranks number of ranks of the set
     * @param sums K, the number of ranks that may be lost
     * @param factors the factors of the ranks' data in each sum
     */
    private StripeCode(int ranks, int sums, int[][] factors) {
        this.ranks = ranks;
        this.sums = sums;
        this.factors = factors;
    }

    /** Makes a code with one plain sum: any one rank may be lost. */
    static StripeCode xor(int ranks) {
        int[][] ones = new int[1][ranks];
        Arrays.fill(ones[0], 1);
        return new StripeCode(ranks, 1, ones);
    }

    /**
     * Makes a Reed-Solomon code. Its factors are the lower rows of a Vandermonde matrix whose upper part was
     * transformed into the unit matrix.
     */
    static StripeCode reedSolomon(int ranks, int sums) {
        if (sums >= ranks || ranks + sums > Gf256.SIZE) {
            throw new IllegalArgumentException(sums + " sums over " + ranks + " ranks");
        }
        int[][] top = new int[ranks][ranks];
        int[][] bottom = new int[sums][ranks];
        for (int row = 0; row < ranks + sums; row++) {
            for (int column = 0; column < ranks; column++) {
                (row < ranks ? top[row] : bottom[row - ranks])[column] = Gf256.power(row, column);
            }
        }
        return new StripeCode(ranks, sums, Gf256.multiply(bottom, Gf256.inverse(top)));
    }

    /** Returns the number of ranks that may be lost. */
    int sums() {
        return sums;
    }

    /** Returns the factor of a rank's data in a sum. */
    int factor(int sum, int rank) {
        return factors[sum][rank];
    }

    /** Returns the size of a chunk in bytes, given the bytes of data of the largest rank. */
    long chunkBytes(long largest) {
        return Math.max(1, (largest + ranks - sums - 1) / (ranks - sums));
    }

    /** Returns whether the rank's symbol is data. */
    boolean isData(int rank, int stripe) {
        return sum(rank, stripe) >= sums;
    }

    /** Returns the index of the sum that is the rank's symbol, if it is a sum. */
    int sum(int rank, int stripe) {
        return Math.floorMod(stripe - rank, ranks);
    }

    /** Returns the index of the rank's symbol among its sums, in the order of its file, or among its data chunks. */
    int position(int rank, int stripe) {
        if (!isData(rank, stripe)) {
            return sum(rank, stripe);
        }
        int before = 0;
        for (int s = 0; s < stripe; s++) {
            before += isData(rank, s) ? 1 : 0;
        }
        return before;
    }

    /**
     * Returns how a lost symbol follows from the others.
     *
     * @param lost ranks, at most as many as there are sums
     * @param rank one of them
     * @return factors of the symbols of all ranks; those of lost ones are 0
     */
    int[] combination(int stripe, List<Integer> lost, int rank) {
        int[][] ofData = lostData(stripe, lost);
        List<Integer> lostData =
                lost.stream().filter(each -> isData(each, stripe)).toList();
        if (isData(rank, stripe)) {
            return ofData[lostData.indexOf(rank)];
        }
        // A sum combines the data of the surviving ranks with the solved data of the lost ones.
        int[] row = factors[sum(rank, stripe)];
        int[] combination = new int[ranks];
        for (int each = 0; each < ranks; each++) {
            if (isData(each, stripe) && !lost.contains(each)) {
                combination[each] ^= row[each];
            } else if (isData(each, stripe)) {
                int[] data = ofData[lostData.indexOf(each)];
                for (int i = 0; i < ranks; i++) {
                    combination[i] ^= Gf256.multiply(row[each], data[i]);
                }
            }
        }
        return combination;
    }

    /**
     * Solves the surviving sums for the lost data chunks, with as many sums as chunks. Returns one row of factors for
     * each chunk.
     */
    private int[][] lostData(int stripe, List<Integer> lost) {
        List<Integer> unknown =
                lost.stream().filter(each -> isData(each, stripe)).toList();
        List<Integer> holders = new ArrayList<>();
        for (int each = 0; each < ranks && holders.size() < unknown.size(); each++) {
            if (!isData(each, stripe) && !lost.contains(each)) {
                holders.add(each);
            }
        }
        int[][] system = new int[unknown.size()][unknown.size()];
        int[][] known = new int[unknown.size()][ranks];
        for (int i = 0; i < unknown.size(); i++) {
            int holder = holders.get(i);
            int[] row = factors[sum(holder, stripe)];
            for (int j = 0; j < unknown.size(); j++) {
                system[i][j] = row[unknown.get(j)];
            }
            for (int each = 0; each < ranks; each++) {
                known[i][each] = isData(each, stripe) && !lost.contains(each) ? row[each] : 0;
            }
            known[i][holder] = 1;
        }
        return unknown.isEmpty() ? known : Gf256.multiply(Gf256.inverse(system), known);
    }
}
