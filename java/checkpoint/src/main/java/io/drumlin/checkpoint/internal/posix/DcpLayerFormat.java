package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.internal.file.FileDescription;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.verify.DamagedException;
import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.DcpFile;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.LayerEntry;
import io.drumlin.format.internal.RangeDigester.Range;
import io.drumlin.integrity.LaneDigester;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The content of a file of differential checkpoints in the mode POSIX: layers (docs/formats/fti-posix.md, section 5).
 */
record DcpLayerFormat(List<LayerEntry> layers) implements FileDescription {

    /** Text that C FTI writes in place of a digest, because each layer has its own digest. */
    private static final String NO_CHECKSUM = "0".repeat(32);

    @Override
    public CkptType type() {
        return CkptType.DCP;
    }

    @Override
    public FileEntry described(FileEntry entry) {
        return entry.withChecksum(NO_CHECKSUM).withLayers(layers);
    }

    @Override
    public StoredFile stored(int ckptId, FileEntry entry) {
        return stored(
                ckptId,
                entry,
                layers.get(layers.size() - 1).variables(),
                List.of(),
                (file, path, data) -> wholeChunks(file, path, entry, layers.size(), data.keySet()));
    }

    /**
     * Returns the content of the first layers of a file.
     *
     * @param file the file after these layers
     */
    static StoredFile stored(int ckptId, FileEntry entry, DcpFile file) throws FormatException {
        List<LayerEntry.Variable> variables = file.variables(file.layers());
        List<Integer> ids = variables.stream().map(LayerEntry.Variable::id).toList();
        return stored(
                ckptId,
                entry,
                variables,
                chunks(file, ids),
                (source, path, data) -> wholeChunks(source, path, entry, file.layers(), data.keySet()));
    }

    private static StoredFile stored(
            int ckptId,
            FileEntry entry,
            List<LayerEntry.Variable> variables,
            List<StoredFile.Chunk> chunks,
            StoredFile.Locator verifier) {
        Map<Integer, Long> sizes = new LinkedHashMap<>();
        variables.forEach(variable -> sizes.put(variable.id(), variable.size()));
        return new StoredFile(
                ckptId, chunks, sizes, PosixFilePlan.labels(entry), Optional.empty(), Optional.of(verifier));
    }

    /**
     * Checks a number of layers, and returns where the variables are after them.
     *
     * @param source the bytes of the file
     */
    private static List<StoredFile.Chunk> wholeChunks(
            ByteSource source, Path path, FileEntry entry, int layers, Collection<Integer> ids) throws IOException {
        try {
            DcpFile file = DcpFile.readWhole(source, entry, new LaneDigester());
            if (file.layers() < layers) {
                throw DamagedException.layer(path, file.layers(), file.end());
            }
            return chunks(file.first(layers), ids);
        } catch (FormatException e) {
            throw DamagedException.of(e.in(path));
        }
    }

    private static List<StoredFile.Chunk> chunks(DcpFile file, Collection<Integer> ids) throws FormatException {
        List<StoredFile.Chunk> chunks = new ArrayList<>();
        for (int id : ids) {
            long position = 0;
            for (Range range : file.variable(file.layers(), id)) {
                chunks.add(new StoredFile.Chunk(id, position, range.offset(), range.length(), Optional.empty()));
                position += range.length();
            }
        }
        return chunks;
    }
}
