package io.drumlin.scr.internal.index;

import io.drumlin.DrumlinException;

/**
 * Thrown if the index or the prefix directory has no dataset of a name, or the dataset is not of the required kind.
 * Nothing has changed.
 */
public final class NoSuchDatasetException extends DrumlinException {

    private static final long serialVersionUID = 1L;

    public NoSuchDatasetException(Context context) {
        super(context);
    }
}
