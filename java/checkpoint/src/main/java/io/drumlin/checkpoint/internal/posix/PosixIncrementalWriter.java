package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkedFile;
import io.drumlin.checkpoint.internal.file.FileImage;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.FilePlan.Chunk;
import io.drumlin.checkpoint.internal.file.IncrementalWriter;
import io.drumlin.checkpoint.internal.file.RankFileWriter.Seal;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The incremental writer of the mode POSIX. Variables follow each other in the order in which they are added, and one
 * digest covers all of them.
 */
public final class PosixIncrementalWriter implements IncrementalWriter {

    private final Map<Integer, ProtectedData> added = new LinkedHashMap<>();
    private final ChunkedFile file;
    private final FilePlanner planner;
    private final Md5Lanes md5 = DigestEngine.md5();
    private long position;

    /** Makes the plan of a file. */
    @FunctionalInterface
    public interface FilePlanner {
        /**
         * Returns the plan of a file with all added variables.
         *
         * @param data the variables in the file, in its order
         * @param all all protected variables, in the order of their first protection
         */
        FilePlan planFile(int ckptId, Map<Integer, ProtectedData> data, Map<Integer, ProtectedData> all)
                throws IOException;
    }

    PosixIncrementalWriter(ChunkedFile file, FilePlanner planner) {
        this.file = file;
        this.planner = planner;
        md5.reset(0);
    }

    @Override
    public void add(Map<Integer, ProtectedData> variables, Map<Integer, ProtectedData> all) throws IOException {
        for (Map.Entry<Integer, ProtectedData> entry : variables.entrySet()) {
            ProtectedData variable = entry.getValue();
            long end = Math.addExact(position, variable.size());
            if (variable.size() > 0) {
                FileImage image = new FileImage(end);
                image.put(position, variable, 0, variable.size());
                file.allocate(end);
                file.append(image, new Chunk(position, variable.size(), variable.size()), md5);
            }
            position = end;
            added.put(entry.getKey(), variable);
        }
        file.awaitWrites();
    }

    @Override
    public Map<Integer, ProtectedData> added() {
        return added;
    }

    @Override
    public FilePlan planFile(int ckptId, long timestamp, Map<Integer, ProtectedData> all) throws IOException {
        return planner.planFile(ckptId, added, all);
    }

    @Override
    public void finish(FilePlan filePlan, Seal seal) throws IOException {
        file.finish(seal.seal(position == 0 ? List.of() : List.of(md5.digest(0))), filePlan.size());
    }

    @Override
    public void close() throws IOException {
        md5.close();
        file.close();
    }
}
