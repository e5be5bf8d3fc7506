package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkedFile;
import io.drumlin.checkpoint.internal.file.FileImage;
import io.drumlin.checkpoint.internal.file.IncrementalWriter;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.VariableEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A file with the variables one after the other, and nothing else. */
public final class RawContent implements PosixFileFormat {

    @Override
    public String suffix() {
        return FileNames.FTI;
    }

    @Override
    public PosixFilePlan planFile(int ckptId, String fileName, Map<Integer, ProtectedData> data, List<Integer> order) {
        FileImage image = new FileImage(
                data.values().stream().mapToLong(ProtectedData::size).reduce(0, Math::addExact));
        Map<Integer, VariableEntry> entries = new HashMap<>();
        long position = 0;
        for (Map.Entry<Integer, ProtectedData> entry : data.entrySet()) {
            ProtectedData variable = entry.getValue();
            entries.put(entry.getKey(), PosixFilePlan.entry(entry.getKey(), variable, position));
            image.put(position, variable, 0, variable.size());
            position += variable.size();
        }
        return new PosixFilePlan(
                ckptId, fileName, image, order.stream().map(entries::get).toList(), this);
    }

    @Override
    public IncrementalWriter incrementalWriter(
            ChunkedFile file, Function<PosixFileFormat, PosixIncrementalWriter.FilePlanner> planner) {
        return new PosixIncrementalWriter(file, planner.apply(this));
    }

    @Override
    public StoredFile stored(int ckptId, FileEntry entry) {
        List<StoredFile.Chunk> chunks = new ArrayList<>();
        for (VariableEntry variable : entry.variables()) {
            if (variable.size() > 0) {
                chunks.add(new StoredFile.Chunk(variable.id(), 0, variable.pos(), variable.size(), Optional.empty()));
            }
        }
        return PosixFilePlan.stored(ckptId, entry, chunks, Optional.empty());
    }
}
