package io.drumlin.golden.fti;

import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.hdf5.Hdf5File;
import io.drumlin.golden.base.Outcome;
import io.drumlin.golden.fti.Manifest.StoredFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the files of a case in the mode HDF5 without the HDF5 library, with all checksums. */
final class Hdf5Comparison {

    private final Path directory;
    private final Manifest manifest;
    private final Outcome outcome;

    Hdf5Comparison(Path directory, Manifest manifest, Outcome outcome) {
        this.directory = directory;
        this.manifest = manifest;
        this.outcome = outcome;
    }

    void compare() throws IOException {
        int read = 0;
        for (StoredFile file : manifest.files()) {
            byte[] bytes = Files.readAllBytes(directory.resolve(file.path()));
            outcome.same(
                    file.path() + ": sha256 of the golden file",
                    file.sha256(),
                    CaseComparison.digest("SHA-256", bytes));
            if (file.path().matches(".*-(Rank|Pcof)\\d+\\.h5")) {
                Hdf5File found = Hdf5File.read(new MemoryByteSource(ByteBuffer.wrap(bytes)));
                found.verify();
                outcome.same(
                        file.path() + ": datasets",
                        variables().size(),
                        found.datasets().size());
                read++;
            }
        }
        outcome.compared(read + " files of all variables with the checksums of their chunks");
    }

    private List<Checkpoint.Variable> variables() {
        return manifest.checkpoints().get(0).variables();
    }
}
