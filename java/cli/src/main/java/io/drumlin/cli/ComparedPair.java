package io.drumlin.cli;

import io.drumlin.Printable;
import io.drumlin.cli.ElementErrors.Tolerance;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Data of the same name on both sides, and how they differ. */
final class ComparedPair {

    private final StoredData a;
    private final StoredData b;
    private final OptionalInt rank;
    private final ElementErrors errors;
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
