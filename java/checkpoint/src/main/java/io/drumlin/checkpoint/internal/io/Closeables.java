package io.drumlin.checkpoint.internal.io;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes several objects together. */
public final class Closeables {

    private Closeables() {}

    /**
     * Closes all objects in their order, also if an earlier one fails.
     *
     * @throws IOException the first failure
     */
    public static void close(List<? extends @Nullable Closeable> all) throws IOException {
        IOException failure = null;
        for (Closeable each : all) {
            try {
                if (each != null) {
                    each.close();
                }
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Closes all objects like {@link #close}, and adds a failure to an earlier one. */
    public static void closeAfter(Throwable earlier, List<? extends @Nullable Closeable> all) {
        try {
            close(all);
        } catch (IOException e) {
            earlier.addSuppressed(e);
        }
    }
}
