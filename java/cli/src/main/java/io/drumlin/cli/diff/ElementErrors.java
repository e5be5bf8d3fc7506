package io.drumlin.cli.diff;

import io.drumlin.cli.file.ValueType;
import io.drumlin.cli.file.ValueType.Kind;
import java.nio.ByteBuffer;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Compares the elements of two buffers after the other, and counts how they differ. */
final class ElementErrors {

    /** Bytes that are compared at once before single elements are. */
    private static final int BLOCK = 4 << 10;

    private static final int LONG_DOUBLE_BYTES = 10;

    private final ValueType type;
    private final Tolerance tolerance;
    private final SortedMap<Integer, Long> decades = new TreeMap<>();

    /** Counts that are not in {@link #decades} yet; null before the first error. */
    private long @Nullable [] counts;

    private long elements;
    private long different;
    private long tolerated;
    private long onlyBits;
    private long unbounded;
    private long first = -1;
    private String firstA = "";
    private String firstB = "";
    private double mostAbsolute;
    private double mostRelative;

    /**
     * Errors that count as none, of numbers in floating point.
     *
     * @param absolute 0 or more
     * @param relative 0 or more, of the larger number
     */
    record Tolerance(double absolute, double relative) {

        boolean covers(double error, double largest) {
            return error <= absolute || (error <= Double.MAX_VALUE && error <= relative * largest);
        }
    }

    ElementErrors(ValueType type, Tolerance tolerance) {
        this.type = type;
        this.tolerance = tolerance;
    }

    /** Compares the next elements: as many as both buffers have from their positions on. */
    void compare(ByteBuffer a, ByteBuffer b) {
        // The longer side may have a part of an element more.
        int length = Math.min(a.remaining(), b.remaining()) / type.size() * type.size();
        ByteBuffer ours = a.slice(a.position(), length).order(a.order());
        ByteBuffer theirs = b.slice(b.position(), length).order(b.order());
        int size = type.size();
        int at = ours.mismatch(theirs);
        int block = Math.max(BLOCK / size, 1) * size;
        while (at >= 0) {
            int start = at / size * size;
            int end = Math.min(start + block, length);
            for (int i = start; i < end; i += size) {
                if (differs(ours, theirs, i)) {
                    add(elements + i / size, ours, theirs, i);
                }
            }
            int next = ours.slice(end, length - end).mismatch(theirs.slice(end, length - end));
            at = next < 0 ? -1 : end + next;
        }
        elements += length / size;
    }

    private boolean differs(ByteBuffer a, ByteBuffer b, int at) {
        return switch (type.size()) {
            case Byte.BYTES -> a.get(at) != b.get(at);
            case Short.BYTES -> a.getShort(at) != b.getShort(at);
            case Integer.BYTES -> a.getInt(at) != b.getInt(at);
            case Long.BYTES -> a.getLong(at) != b.getLong(at);
            default -> a.slice(at, type.size()).mismatch(b.slice(at, type.size())) >= 0;
        };
    }

    /** Counts two elements whose bytes differ. */
    private void add(long index, ByteBuffer a, ByteBuffer b, int at) {
        if (type.kind() == Kind.FLOAT) {
            addFloat(index, a, b, at);
        } else if (type.kind() == Kind.OPAQUE || type.kind() == Kind.CHARACTER) {
            addDifferent(index, a, b, at);
        } else {
            long x = type.integer(a, at);
            long y = type.integer(b, at);
            boolean isLess = type.kind() == Kind.SIGNED ? x < y : Long.compareUnsigned(x, y) < 0;
            // The difference of signed numbers needs all 64 bits too.
            double error = ValueType.unsigned(isLess ? y - x : x - y);
            addError(error, Math.max(Math.abs(type.number(a, at)), Math.abs(type.number(b, at))));
            addDifferent(index, a, b, at);
        }
    }

    private void addFloat(long index, ByteBuffer a, ByteBuffer b, int at) {
        double x = type.number(a, at);
        double y = type.number(b, at);
        if (isSameValue(a, b, at, x, y)) {
            onlyBits++;
            return;
        }
        double error = x == y ? leastError(a, at) : Math.abs(x - y);
        double largest = Math.max(Math.abs(x), Math.abs(y));
        addError(error, largest);
        if (tolerance.covers(error, largest)) {
            tolerated++;
        } else {
            addDifferent(index, a, b, at);
        }
    }

    /** Zeros of both signs are the same, and NaN that both are quiet or both signal. */
    private boolean isSameValue(ByteBuffer a, ByteBuffer b, int at, double x, double y) {
        if (Double.isNaN(x) && Double.isNaN(y)) {
            return type.isQuiet(a, at) == type.isQuiet(b, at);
        }
        if (type.size() > Double.BYTES) {
            boolean zeros = a.getLong(at) == 0 && b.getLong(at) == 0;
            return zeros || a.slice(at, LONG_DOUBLE_BYTES).mismatch(b.slice(at, LONG_DOUBLE_BYTES)) < 0;
        }
        return x == y;
    }

    /** Returns about the error of two long doubles that are the same when rounded to a double. */
    private double leastError(ByteBuffer a, int at) {
        return Math.ulp(type.number(a, at)) / 2048;
    }

    private void addError(double error, double largest) {
        if (error <= Double.MAX_VALUE) {
            mostAbsolute = Math.max(mostAbsolute, error);
            mostRelative = Math.max(mostRelative, largest > 0 ? error / largest : 0);
            count(Decades.of(error));
        } else {
            unbounded++;
        }
    }

    private void count(int decade) {
        if (counts == null) {
            counts = new long[Decades.MOST - Decades.LEAST + 1];
        }
        counts[decade - Decades.LEAST]++;
    }

    /** Gives up memory that only {@link #compare} needs. */
    void finish() {
        for (int i = 0; counts != null && i < counts.length; i++) {
            if (counts[i] > 0) {
                decades.merge(i + Decades.LEAST, counts[i], Long::sum);
            }
        }
        counts = null;
    }

    private void addDifferent(long index, ByteBuffer a, ByteBuffer b, int at) {
        if (different == 0) {
            first = index;
            firstA = type.text(a, at);
            firstB = type.text(b, at);
        }
        different++;
    }

    /** Returns a new object for elements of the same type. */
    ElementErrors none() {
        return new ElementErrors(type, tolerance);
    }

    /** Adds what was found in the elements that follow these. */
    void append(ElementErrors next) {
        if (different == 0 && next.different > 0) {
            first = elements + next.first;
            firstA = next.firstA;
            firstB = next.firstB;
        }
        add(next);
    }

    /** Adds the counts of others of the same name, whose elements are others. */
    void add(ElementErrors others) {
        elements += others.elements;
        different += others.different;
        tolerated += others.tolerated;
        onlyBits += others.onlyBits;
        unbounded += others.unbounded;
        mostAbsolute = Math.max(mostAbsolute, others.mostAbsolute);
        mostRelative = Math.max(mostRelative, others.mostRelative);
        others.decades.forEach((decade, count) -> decades.merge(decade, count, Long::sum));
    }

    ValueType type() {
        return type;
    }

    /** Returns how many elements both sides have. */
    long elements() {
        return elements;
    }

    /** Returns how many elements differ by more than the tolerance. */
    long different() {
        return different;
    }

    /** Returns how many elements differ within the tolerance. */
    long tolerated() {
        return tolerated;
    }

    /** Returns how many elements have the same value in other bits. */
    long onlyBits() {
        return onlyBits;
    }

    /** Returns how many pairs have no finite error: one of them is infinite or NaN. */
    long unbounded() {
        return unbounded;
    }

    /** Returns the index of the first element that differs by more than the tolerance; -1 if there is none. */
    long first() {
        return first;
    }

    String firstA() {
        return firstA;
    }

    String firstB() {
        return firstB;
    }

    double mostAbsolute() {
        return mostAbsolute;
    }

    double mostRelative() {
        return mostRelative;
    }

    /** Returns, after {@link #finish}, the number of finite errors by decade: -3 stands for errors from 0.001 to below 0.01. */
    SortedMap<Integer, Long> decades() {
        return decades;
    }
}
