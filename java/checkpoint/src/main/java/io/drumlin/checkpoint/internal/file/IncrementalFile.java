package io.drumlin.checkpoint.internal.file;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * This rank's file of a checkpoint whose variables are added a few at a time. Until all variables are in the file, it
 * has a name that no program takes for a checkpoint.
 */
public final class IncrementalFile implements RankFileWriter {

    private final StorageEngine storage;
    private final Path unfinished;
    private final boolean temporary;
    private final Opening opening;
    private final Map<Integer, ProtectedData> all;
    private @Nullable IncrementalWriter incrementalWriter;
    private @Nullable BlockFile written;
    private boolean finished;
    private boolean closed;

    /** Path of the file. */
    private Path plain;

    /** Opens the file when its first variable is added. */
    @FunctionalInterface
    public interface Opening {
        IncrementalWriter open() throws IOException;
    }

    /**
     * Describes a file and opens nothing yet.
     *
     * @param unfinished path of the file until {@link #write}
     * @param temporary whether the file is deleted if the checkpoint is not completed; otherwise it may hold earlier
     *     checkpoints
     * @param all returns the variables that are protected at the time of the call
     */
    public IncrementalFile(
            StorageEngine storage,
            Path unfinished,
            boolean temporary,
            Opening opening,
            Map<Integer, ProtectedData> all) {
        this.temporary = temporary;
        this.storage = storage;
        this.unfinished = unfinished;
        plain = unfinished;
        this.opening = opening;
        this.all = all;
    }

    /**
     * Refuses a variable that is in the file.
     *
     * @throws IllegalArgumentException it was added before
     */
    public void requireNew(int id) {
        if (incrementalWriter != null && incrementalWriter.added().containsKey(id)) {
            throw new IllegalArgumentException("variable " + id + " is already in the incremental checkpoint");
        }
    }

    /**
     * Writes variables with their present values.
     *
     * @param ids protected variables that have not been added yet
     * @throws IOException they could not be written; the checkpoint can then not be completed
     */
    public void add(List<Integer> ids) throws IOException {
        Map<Integer, ProtectedData> variables = new LinkedHashMap<>();
        ids.forEach(id -> variables.computeIfAbsent(id, all::get));
        if (incrementalWriter == null) {
            // A file may have a place for each variable from the beginning on.
            ProtectedData.prepare(all);
        }
        open().add(variables, all);
    }

    /**
     * Returns a writer that adds variables when the file is planned: all at once, with their values at that time.
     *
     * @param ids protected variables that have not been added yet
     */
    public RankFileWriter adding(List<Integer> ids) {
        return new RankFileWriter() {
            @Override
            public FilePlan planFile(int ckptId, long timestamp) throws IOException {
                add(ids);
                return IncrementalFile.this.planFile(ckptId, timestamp);
            }

            @Override
            public void write(Path path, FilePlan filePlan, Seal seal) throws IOException {
                IncrementalFile.this.write(path, filePlan, seal);
            }

            @Override
            public ByteSource image(FilePlan filePlan) throws IOException {
                return IncrementalFile.this.image(filePlan);
            }

            @Override
            public void close() throws IOException {
                IncrementalFile.this.close();
            }
        };
    }

    private IncrementalWriter open() throws IOException {
        IncrementalWriter open = incrementalWriter;
        if (open == null) {
            open = opening.open();
            incrementalWriter = open;
        }
        return open;
    }

    @Override
    public FilePlan planFile(int ckptId, long timestamp) throws IOException {
        IncrementalWriter open = open();
        TreeSet<Integer> missing = new TreeSet<>(all.keySet());
        missing.removeAll(open.added().keySet());
        if (!missing.isEmpty()) {
            throw DrumlinException.during("incremental checkpoint " + ckptId)
                    .problem("variables " + missing + " are protected and were not added")
                    .advice("add every protected variable before the commit")
                    .exception();
        }
        return open.planFile(ckptId, timestamp, all);
    }

    @Override
    public void write(Path path, FilePlan filePlan, Seal seal) throws IOException {
        open().finish(filePlan, seal);
        if (!path.equals(unfinished)) {
            storage.rename(unfinished, path);
        }
        finished = true;
        plain = path;
    }

    @Override
    public ByteSource image(FilePlan filePlan) throws IOException {
        if (!finished) {
            open().finish(filePlan, digests -> List.of());
        }
        BlockFile open = storage.open(plain, EnumSet.of(OpenMode.READ));
        written = open;
        return new BlockFileSource(open);
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (incrementalWriter != null) {
                incrementalWriter.close();
            }
        } finally {
            if (written != null) {
                written.close();
            }
            if (!finished && temporary) {
                storage.delete(unfinished);
            }
        }
    }
}
