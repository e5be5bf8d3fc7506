package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.checkpoint.Distribution;
import java.io.IOException;

/** The elements of a variable that each rank has: a {@link Distribution} applied to a number of ranks. */
public interface ElementMap {

    /** Receives consecutive elements that are at consecutive places of a rank. */
    @FunctionalInterface
    interface Sink {

        /**
         * Receives elements.
         *
         * @param element number of the first element
         * @param place place of the first element
         * @param length number of elements
         */
        void take(long element, long place, long length) throws IOException;
    }

    /** Returns the total number of elements. */
    long length();

    /**
     * Passes on the elements that a rank provides, in the order of places. If several ranks have an element, only one
     * provides it.
     */
    void owned(int rank, Sink sink) throws IOException;

    /** Passes on the elements that a rank has. */
    default void held(int rank, Sink sink) throws IOException {
        owned(rank, sink);
    }
}
