package io.drumlin.scr;

import io.drumlin.DrumlinException;

/** The index, or the prefix directory, has no dataset of this name, or it is not what is needed. Nothing has changed. */
public final class NoSuchDatasetException extends DrumlinException {

    private static final long serialVersionUID = 1L;

    NoSuchDatasetException(Context context) {
        super(context);
    }
}
