package io.drumlin.format;

import io.drumlin.DrumlinException;
import java.nio.file.Path;

/** Bytes that are not what their format demands: the field, where it is, what it holds and what is allowed. */
public final class FormatException extends DrumlinException {

    private static final long serialVersionUID = 1L;

    /** Name of the format. */
    private final String format;

    /** Name of the field. */
    private final String field;

    /** The value and what is allowed. */
    private final String problem;

    /**
     * Describes the first field found wrong.
     *
     * @param format name of the format, for example {@code FTI-FF}
     * @param finding what is wrong and where
     */
    public FormatException(String format, Finding finding) {
        this(context(format, finding), format, finding);
    }

    private FormatException(Context context, String format, Finding finding) {
        super(context);
        this.format = format;
        this.field = finding.field();
        this.problem = finding.problem();
    }

    private static Context context(String format, Finding finding) {
        return during("reading " + format + " field " + finding.field())
                .range(finding.offset(), -1)
                .problem(finding.problem());
    }

    /**
     * The same, naming the file. Formats do not know where their bytes are from; their callers do.
     *
     * @param path the file that was read
     * @return a new exception with this one as cause
     */
    public FormatException in(Path path) {
        Finding finding = finding();
        return new FormatException(context(format, finding).path(path).cause(this), format, finding);
    }

    /**
     * What is wrong and where.
     *
     * @return the field, its byte position and the problem
     */
    public Finding finding() {
        return new Finding(field, offset(), problem);
    }
}
