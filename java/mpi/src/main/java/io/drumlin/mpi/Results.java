package io.drumlin.mpi;

import io.drumlin.DrumlinException;
import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeMemory;
import io.drumlin.nativecore.mpi.MpiLibrary;
import io.drumlin.storage.internal.IoFailures;
import java.util.Locale;

/** Converts results of libdrumlin_mpi to exceptions. */
final class Results {

    private Results() {}

    /** Returns a result of 0 or above; otherwise throws. */
    static long check(long result, DrumlinException.Context failure) throws DrumlinException {
        if (result >= 0) {
            return result;
        }
        throw failure(failure, result);
    }

    /** Describes a result below 0. For frequent calls, whose descriptions are only made after a failure. */
    static DrumlinException failure(DrumlinException.Context failure, long result) {
        return describe(failure, result).exception();
    }

    /** Adds the meaning of a result below 0, and advice. */
    static DrumlinException.Context describe(DrumlinException.Context failure, long result) {
        String words = NativeMemory.string(MpiLibrary.drumlin_mpi_error_message(result));
        if (words == null) {
            return describeErrno(failure, (int) result);
        }
        failure.problem(words);
        return words.toLowerCase(Locale.ROOT).contains("truncate")
                ? failure.advice(
                        "the buffer is too small; receive into one as large as the largest message; this message"
                                + " is lost")
                : failure.advice("MPI may not work after an error; end the job and start it again");
    }

    private static DrumlinException.Context describeErrno(DrumlinException.Context failure, int error) {
        if (IoFailures.describe(failure, -error)) {
            return failure;
        }
        String name = NativeMemory.string(CoreLibrary.drumlin_error_name(error));
        failure.errno(name == null ? "errno " + -error : name);
        if ("ESHUTDOWN".equals(name)) {
            return failure.problem("MPI is not initialised, or already finalised")
                    .advice("use communicators only between MPI's beginning and end");
        }
        return failure.problem(String.valueOf(NativeMemory.string(CoreLibrary.drumlin_error_message(error))));
    }
}
