package io.drumlin.sion.internal;

import io.drumlin.comm.internal.Agreement;
import java.io.Closeable;
import java.io.IOException;

/** Resources that belong to what is being opened. */
public final class Owned {

    private Owned() {}

    /**
     * Opens something that closes a resource when it is closed.
     *
     * @param resource closed here if the opening fails, whatever the exception
     * @param opening the opening
     * @return what was opened
     */
    public static <T> T by(Agreement.Call<T> opening, Closeable resource) throws IOException {
        try {
            return opening.call();
        } catch (Throwable e) {
            try {
                resource.close();
            } catch (IOException late) {
                e.addSuppressed(late);
            }
            throw e;
        }
    }
}
