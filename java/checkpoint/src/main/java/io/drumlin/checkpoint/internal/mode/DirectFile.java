package io.drumlin.checkpoint.internal.mode;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkedFile;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.RankFileWriter;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Writes this rank's file of the present data in one pass. All offsets are known before the first byte is written.
 * There is nothing to close.
 *
 * @param data the protected variables, by id
 * @param slabs slabs through which the data pass
 */
public record DirectFile(Map<Integer, ProtectedData> data, IoMode mode, StorageEngine storage, SlabPool slabs)
        implements RankFileWriter {

    @Override
    public FilePlan planFile(int ckptId, long timestamp) throws IOException {
        ProtectedData.prepare(data);
        return mode.planFile(ckptId, timestamp, data);
    }

    @Override
    public void write(Path path, FilePlan filePlan, Seal seal) throws IOException {
        try (ChunkedFile file = new ChunkedFile(storage, slabs, path);
                Md5Lanes md5 = filePlan.lanes()) {
            file.allocate(filePlan.size());
            file.finish(seal.seal(file.write(filePlan.image(), filePlan.chunks(), md5)), filePlan.size());
        }
    }

    @Override
    public ByteSource image(FilePlan filePlan) {
        return filePlan.image();
    }
}
