package io.drumlin.checkpoint.internal.verify;

import io.drumlin.DrumlinException;
import io.drumlin.format.FormatException;
import java.nio.file.Path;

/** Thrown if the bytes read differ from the bytes written, or from those verified earlier. */
public final class DamagedException extends DrumlinException {

    private static final long serialVersionUID = 1L;

    private DamagedException(Context context) {
        super(context);
    }

    /** Returns the exception for a verified part of a file that has changed when it is read again. */
    public static DamagedException of(Path path, long offset, long length) {
        return new DamagedException(during("recovery")
                .path(path)
                .range(offset, length)
                .problem("these bytes are not those that were verified when the run was opened")
                .advice("the file was written since, or a read gave wrong bytes: restart, which verifies all"
                        + " checkpoints again; if it happens again, look for a broken device or memory"));
    }

    /**
     * Returns the exception for a part of a file with a wrong digest.
     *
     * @param what was being checked
     */
    static DamagedException of(String what, Path path, long offset, long length, String md5, String expected) {
        return new DamagedException(during(what)
                .path(path)
                .range(offset, length)
                .problem("its MD5 is " + md5 + " and the metadata say " + expected)
                .advice("the file is damaged; another level or an older checkpoint is needed"));
    }

    /** Returns the exception for a file that was written between two reads. */
    public static DamagedException changing(Path path) {
        return new DamagedException(during("recovery")
                .path(path)
                .problem("it was written while it was read")
                .advice("let no other program write the files of a run"));
    }

    /**
     * Returns the exception for a file of differential checkpoints whose layers were whole, or were just written.
     *
     * @param layer the first layer that is not whole any more, from 0
     * @param offset start of this layer
     */
    public static DamagedException layer(Path path, int layer, long offset) {
        return new DamagedException(during("recovery")
                .path(path)
                .range(offset, -1)
                .problem("layer " + layer + " has not the digest of the metadata")
                .advice("restart, which goes back to the layer before, or to another checkpoint"));
    }

    /** Returns the exception for a file that no longer has its format. */
    public static DamagedException of(FormatException e) {
        return new DamagedException(during("recovery")
                .problem(String.valueOf(e.getMessage()))
                .advice("restart, which verifies all checkpoints again")
                .cause(e));
    }
}
