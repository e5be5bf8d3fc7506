package io.drumlin.cli.diff;

import io.drumlin.cli.diff.ElementErrors.Tolerance;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.file.StoredData.Piece;
import io.drumlin.cli.file.ValueType;
import io.drumlin.internal.Printable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalInt;

/** Data of the same name on both sides, and how they differ. */
final class ComparedPair {

    /** Smaller data are compared in one part. */
    private static final long LEAST_DIVIDED = 1 << 20;

    /** Most parts, which are in memory at the same time. */
    private static final int MOST_PARTS = 1024;

    private final StoredData a;
    private final StoredData b;
    private final OptionalInt rank;
    private final ElementErrors errors;
    private final List<ElementErrors> ofParts = new ArrayList<>();
    private final List<String> otherwise = new ArrayList<>();

    /**
     * Makes a pair that was not compared yet.
     *
     * @param a data of the first side, with the type to be used
     * @param rank the rank of both; empty if it is unknown, or not the same
     */
    ComparedPair(StoredData a, StoredData b, OptionalInt rank, ValueType type, Tolerance tolerance) {
        this.a = a;
        this.b = b;
        this.rank = rank;
        errors = new ElementErrors(type, tolerance);
        if (a.size() != b.size()) {
            otherwise.add(a.size() + " and " + b.size() + " bytes");
        } else if (!a.dimensions().equals(b.dimensions())
                && !a.dimensions().isEmpty()
                && !b.dimensions().isEmpty()) {
            otherwise.add("dimensions " + a.dimensions() + " and " + b.dimensions());
        }
    }

    /**
     * Some of the elements, which can be compared beside the others.
     *
     * @param errors their errors, with numbers of elements that begin at 0
     */
    record Part(StoredData a, StoredData b, ElementErrors errors) {}

    /**
     * Returns the bytes of the largest part.
     *
     * @param isDivided whether the parts may be read side by side
     */
    long largestPart(boolean isDivided) {
        return isDivided && partCount() > 1 ? largestPiece() : Math.max(a.size(), b.size());
    }

    private long largestPiece() {
        long largest = 0;
        for (Piece piece : a.pieces()) {
            largest = Math.max(largest, piece.length());
        }
        return largest;
    }

    /** Returns how many parts there are: the pieces with digests, if both sides have the same and no element is in two of them. */
    int partCount() {
        boolean isFile = a.source() instanceof FileSource && b.source() instanceof FileSource;
        if (!isFile || a.size() != b.size() || a.size() < LEAST_DIVIDED) {
            return 1;
        }
        int count = 0;
        long size = 0;
        Iterator<Piece> ofA = a.pieces().iterator();
        Iterator<Piece> ofB = b.pieces().iterator();
        while (ofA.hasNext() && ofB.hasNext()) {
            Piece piece = ofA.next();
            boolean divides = size % errors.type().size() == 0 && piece.length() > 0 && count < MOST_PARTS;
            if (!divides
                    || piece.digest().isEmpty()
                    || piece.length() != ofB.next().length()) {
                return 1;
            }
            size += piece.length();
            count++;
        }
        return size == a.size() && !ofA.hasNext() && !ofB.hasNext() ? count : 1;
    }

    /**
     * Returns the parts in their order.
     *
     * @param isDivided whether they may be read side by side; else there is one
     */
    List<Part> parts(boolean isDivided) {
        if (!isDivided || partCount() == 1) {
            return List.of(new Part(a, b, errors));
        }
        Iterator<Piece> ofB = b.pieces().iterator();
        List<Part> parts = new ArrayList<>();
        for (Piece piece : a.pieces()) {
            ofParts.add(errors.none());
            parts.add(new Part(a.of(piece), b.of(ofB.next()), ofParts.get(ofParts.size() - 1)));
        }
        return parts;
    }

    /** Puts the errors of all parts together, after all are compared. */
    void finish() {
        for (ElementErrors each : ofParts) {
            each.finish();
            errors.append(each);
        }
        ofParts.clear();
        errors.finish();
    }

    /** Adds a difference that the elements do not show. */
    void differs(String how) {
        otherwise.add(how);
    }

    StoredData a() {
        return a;
    }

    StoredData b() {
        return b;
    }

    ElementErrors errors() {
        return errors;
    }

    String name() {
        return a.name();
    }

    OptionalInt rank() {
        return rank;
    }

    /** Returns name and rank, for people. */
    String label() {
        return Printable.text(name()) + (rank.isPresent() ? " of rank " + rank.getAsInt() : "");
    }

    boolean isVerified() {
        return a.verified() && b.verified();
    }

    boolean isDifferent() {
        return errors.different() > 0 || !otherwise.isEmpty();
    }

    /** Returns differences of sizes, dimensions and types, for people. */
    List<String> otherwise() {
        return otherwise;
    }

    /** Returns the indices of the first element that differs. */
    List<Long> first() {
        return StoredData.indices(errors.first(), a.dimensions().isEmpty() ? List.of(0L) : a.dimensions());
    }
}
