package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.checkpoint.Distribution;
import java.io.IOException;

/** Which rank has which elements of a variable, for one number of ranks: what a {@link Distribution} comes to. */
public interface ElementMap {

    /** Takes consecutive elements that are at consecutive places of a rank. */
    @FunctionalInterface
    interface Sink {

        /**
         * Takes them.
         *
         * @param element number of the first
         * @param place of the first
         * @param length how many
         */
        void take(long element, long place, long length) throws IOException;
    }

    /** How many elements there are in all. */
    long length();

    /** The elements that a rank provides, in the order of places: of several ranks that have an element one does. */
    void owned(int rank, Sink sink) throws IOException;

    /** The elements that a rank has. */
    default void held(int rank, Sink sink) throws IOException {
        owned(rank, sink);
    }
}
