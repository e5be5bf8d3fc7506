package io.drumlin.golden.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.integrity.Gf16Engine;
import io.drumlin.integrity.Gf16Regions;
import io.drumlin.integrity.ReedSolomon16;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file of a Reed-Solomon group that is computed from others of the group while it is read: a lost file from
 * survivors, or a parity file from the data files. Not thread-safe.
 *
 * <p>All files of the group count as equally long. If that length is odd, C FTI stores only the low byte of the last
 * word of a parity file, so it does not determine the last byte of a data file. {@link #lastByteIsSure} reports that.
 * A shorter data file, cut to its own size, does not contain that byte. Lost parity files of that length must be
 * computed last, from all data files.
 */
final class RebuiltFile implements ByteSource {

    /** Number of bytes that are computed at a time; those of all sources stay in the cache. */
    private static final int WINDOW = 64 << 10;

    private static final int WORD = Short.BYTES;
    private static final int BYTE_VALUES = 256;
    private static final int UNKNOWN = -1;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(WINDOW).asReadOnlyBuffer();

    private final Gf16Regions regions = Gf16Engine.regions();
    private final List<ByteSource> sources;
    private final int[] factors;
    private final long length;
    private final boolean sure;

    /** The last byte, if it is known from something better than the sources; otherwise {@link #UNKNOWN}. */
    private final int lastByte;

    private final List<ByteBuffer> windows;
    private final ByteBuffer sum;

    private RebuiltFile(List<ByteSource> sources, int[] factors, long length, boolean sure, int lastByte) {
        this.sources = sources;
        this.factors = factors;
        this.length = length;
        this.sure = sure;
        this.lastByte = lastByte;
        int window = (int) Math.min(WINDOW, wholeWords(length));
        this.windows = new ArrayList<>();
        sources.forEach(source -> windows.add(ByteBuffer.allocateDirect(window)));
        this.sum = ByteBuffer.allocateDirect(window);
    }

    /**
     * Makes a file from others.
     *
     * @param code the code of the group
     * @param files data files, then parity files; {@code null} where one is lost. Bytes from {@code length} on are
     *     ignored. At least k files must be there; the first k are read, whether or not the wanted one is among them
     * @param number number of the wanted file, 0 to 2k - 1
     * @param length length of each file in bytes
     * @return the wanted file
     * @throws IllegalArgumentException there are too few files, or one is too short
     */
    static RebuiltFile of(ReedSolomon16 code, List<? extends @Nullable ByteSource> files, int number, long length) {
        if (files.size() != 2 * code.files()) {
            throw new IllegalArgumentException(files.size() + " files in a group of " + code.files());
        }
        ReedSolomon16.Decoding decoding = code.decoding(present(files));
        int[] used = decoding.used();
        int[] factors = decoding.row(number);
        List<ByteSource> sources = new ArrayList<>();
        boolean sure = length % WORD == 0;
        boolean ofData = true;
        for (int i = 0; i < used.length; i++) {
            ByteSource file = files.get(used[i]);
            if (file == null || file.size() < length) {
                throw new IllegalArgumentException("file " + used[i] + " of the group is shorter than " + length);
            }
            sources.add(file);
            ofData &= used[i] < code.files() || factors[i] == 0;
        }
        return new RebuiltFile(sources, factors, length, sure || ofData, UNKNOWN);
    }

    private static BitSet present(List<? extends @Nullable ByteSource> files) {
        BitSet present = new BitSet();
        for (int number = 0; number < files.size(); number++) {
            present.set(number, files.get(number) != null);
        }
        return present;
    }

    private static long wholeWords(long bytes) {
        return (bytes + WORD - 1) / WORD * WORD;
    }

    /**
     * Returns whether the last byte follows from the sources.
     *
     * @return false for a file of odd length that is computed from parity files too, unless {@link #withLastByte} told it
     */
    boolean lastByteIsSure() {
        return sure;
    }

    /**
     * Returns the same file with another last byte, for callers that know it or whose digest does not cover the whole
     * file.
     *
     * @param value 0 to 255
     * @return a file whose last byte is sure
     */
    RebuiltFile withLastByte(int value) {
        return new RebuiltFile(sources, factors, length, true, Objects.checkIndex(value, BYTE_VALUES));
    }

    @Override
    public long size() {
        return length;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        if (offset < 0 || offset > length - target.remaining()) {
            throw new EOFException(target.remaining() + " bytes at offset " + offset + " are not within " + length);
        }
        long next = offset;
        while (target.hasRemaining()) {
            int skipped = (int) (next % WORD);
            int taken = Math.min(target.remaining(), sum.capacity() - skipped);
            compute(next - skipped, (int) wholeWords(skipped + taken));
            target.put(sum.slice(skipped, taken));
            next += taken;
        }
        if (next == length && next > offset && lastByte != UNKNOWN) {
            target.put(target.position() - 1, (byte) lastByte);
        }
    }

    /** Adds words of the file to the sum. */
    private void compute(long start, int bytes) throws IOException {
        zero(sum.clear().limit(bytes));
        int there = (int) Math.min(bytes, length - start);
        for (int i = 0; i < windows.size(); i++) {
            ByteBuffer window = windows.get(i);
            sources.get(i).readFully(start, window.clear().limit(there));
            zero(window.limit(bytes));
            window.flip();
        }
        regions.accumulate(sum.flip(), windows, factors);
    }

    private static void zero(ByteBuffer rest) {
        rest.put(ZEROS.slice(0, rest.remaining()));
    }
}
