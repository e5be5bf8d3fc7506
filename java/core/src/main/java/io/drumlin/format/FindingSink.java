package io.drumlin.format;

/** Takes findings: {@link Findings} collects them, a strict reader throws the first. */
@FunctionalInterface
public interface FindingSink {

    /**
     * Takes one.
     *
     * @param finding what is wrong
     * @throws FormatException the reader is strict
     */
    void add(Finding finding) throws FormatException;

    /**
     * A sink for readers that must not go on.
     *
     * @param format name of the format, for example {@code FTI-FF}
     * @return a sink that throws whatever it gets
     */
    static FindingSink strict(String format) {
        return finding -> {
            throw new FormatException(format, finding);
        };
    }
}
