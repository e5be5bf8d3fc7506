package io.drumlin.hdf5;

import io.drumlin.DrumlinException;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.UnsupportedFeatureException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;

/** Why a file, or a part of it, cannot be read. It is made beside the library, and understood by the caller. */
final class Refusal extends IOException {

    private static final long serialVersionUID = 1L;

    /** What the refusal says about the file. */
    enum Kind {
        /** The file is damaged. */
        DAMAGED,
        /** The file is whole, and of a kind that no checkpoint has. */
        OTHER_KIND,
        /** The library lacks something, for example a filter; the file may be whole. */
        LACKING,
        /** The system refused a call; a later one may succeed. */
        PASSING
    }

    private final Kind kind;
    private final String what;
    private final String problem;

    Refusal(Kind kind, String what, String problem) {
        super(what + ": " + problem);
        this.kind = kind;
        this.what = what;
        this.problem = problem;
    }

    void write(DataOutputStream out) throws IOException {
        Texts.write(out, kind.name());
        Texts.write(out, what);
        Texts.write(out, problem);
    }

    static Refusal read(DataInputStream in) throws IOException {
        return new Refusal(Kind.valueOf(Texts.read(in)), Texts.read(in), Texts.read(in));
    }

    /** Returns the exception for the caller. Its cause tells whether the file may be whole. */
    IOException of(Path file) {
        Finding finding = new Finding(what, 0, problem);
        return switch (kind) {
            case DAMAGED -> new FormatException("HDF5", finding).in(file);
            case OTHER_KIND -> new UnsupportedFeatureException(finding).in(file);
            case LACKING -> failure(file, new UnsatisfiedLinkError(problem));
            case PASSING -> failure(file, new IOException(problem));
        };
    }

    private DrumlinException failure(Path file, Throwable cause) {
        return DrumlinException.during("reading HDF5: " + what)
                .path(file)
                .problem(problem)
                .cause(cause)
                .exception();
    }
}
