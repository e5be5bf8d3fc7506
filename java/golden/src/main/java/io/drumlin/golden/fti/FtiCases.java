package io.drumlin.golden.fti;

import io.drumlin.checkpoint.internal.config.Mode;
import io.drumlin.golden.base.GoldenCases;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Cases of the modes POSIX and MPI-IO: reads every file of the run's directories and compares it with the calls, writes it
 * again, and restarts from it. Those of the mode HDF5 are read, and restarted from. */
public final class FtiCases implements GoldenCases {

    /** Makes the reader of these cases. */
    public FtiCases() {}

    @Override
    public boolean understands(Map<String, Object> manifest) {
        return Manifest.looksRight(manifest);
    }

    @Override
    public Outcome run(Path directory, Map<String, Object> json) throws IOException {
        Manifest manifest = Manifest.of(Json.root(json));
        Mode mode = manifest.mode();
        Outcome outcome = new Outcome();
        if (mode == Mode.HDF5) {
            new Hdf5Comparison(directory, manifest, outcome).compare();
            new Restarts(directory, manifest, outcome).restart();
            return outcome;
        }
        if (mode != Mode.POSIX && mode != Mode.MPI_IO) {
            return Outcome.skipped("ckpt_io = " + mode.number() + " is neither POSIX nor MPI-IO nor HDF5");
        }
        CaseComparison comparison = new CaseComparison(directory, manifest, outcome);
        comparison.compare();
        if (!outcome.isFailed()) {
            if (comparison.rewritable()) {
                new Rewriter(directory, manifest, outcome).rewrite();
            }
            new Restarts(directory, manifest, outcome).restart();
        }
        return outcome;
    }
}
