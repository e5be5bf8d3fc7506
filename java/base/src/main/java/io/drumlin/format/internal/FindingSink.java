package io.drumlin.format.internal;

import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;

/** Accepts findings. {@link Findings} collects them; a strict reader throws the first. */
@FunctionalInterface
public interface FindingSink {

    /**
     * Accepts a finding.
     *
     * @param finding the fault
     * @throws FormatException the reader is strict
     */
    void add(Finding finding) throws FormatException;

    /**
     * Returns a sink for readers that must not continue after a fault.
     *
     * @param format name of the format, for example {@code FTI-FF}
     * @return a sink that throws each finding
     */
    static FindingSink strict(String format) {
        return finding -> {
            throw new FormatException(format, finding);
        };
    }
}
