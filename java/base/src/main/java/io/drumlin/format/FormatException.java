package io.drumlin.format;

import io.drumlin.DrumlinException;
import java.nio.file.Path;

/** Thrown if bytes do not conform to their format. It has the field, its position, its value and the allowed values. */
public class FormatException extends DrumlinException {

    private static final long serialVersionUID = 1L;

    /** Name of the format. */
    private final String format;

    /** Name of the field. */
    private final String field;

    /** The value and the allowed values. */
    private final String problem;

    /**
     * Describes the first field that is wrong.
     *
     * @param format name of the format, for example {@code FTI-FF}
     * @param finding the fault and its position
     */
    public FormatException(String format, Finding finding) {
        this(context(format, finding), format, finding);
    }

    /**
     * Repeats an exception with the name of the file.
     *
     * @param of becomes the cause
     * @param path the file that was read
     */
    protected FormatException(FormatException of, Path path) {
        this(context(of.format, of.finding()).path(path).cause(of), of.format, of.finding());
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
     * Returns this exception with the name of the file. Formats do not know the file of their bytes; their callers do.
     *
     * @param path the file that was read
     * @return a new exception with this one as cause
     */
    public FormatException in(Path path) {
        return new FormatException(this, path);
    }

    /**
     * Returns the fault and its position.
     *
     * @return the field, its byte position and the problem
     */
    public Finding finding() {
        return new Finding(field, offset(), problem);
    }
}
