package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.io.Closeables;
import io.drumlin.checkpoint.internal.io.ReadAhead;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** This rank's remaining files of a checkpoint, opened to rebuild lost ones. */
final class SurvivingFiles {

    private final Map<FileKind, ReadAhead> files = new EnumMap<>(FileKind.class);

    private SurvivingFiles() {}

    /** Work on this rank's files. Collective; it fails on all ranks or on none. */
    @FunctionalInterface
    interface Work {
        void run(SurvivingFiles own) throws IOException;
    }

    /** Opens this rank's files, works on them and closes them. Collective. */
    static void with(Communicator app, StorageEngine storage, int ckptId, Map<FileKind, Path> paths, Work work)
            throws IOException {
        SurvivingFiles own = new SurvivingFiles();
        try {
            Agreement.run(app, "opening files of checkpoint " + ckptId, () -> {
                for (Map.Entry<FileKind, Path> each : paths.entrySet()) {
                    own.files.put(each.getKey(), new ReadAhead(storage, each.getValue()));
                }
            });
            work.run(own);
        } catch (IOException | RuntimeException | Error e) {
            own.closeAfter(e);
            throw e;
        }
        Agreement.run(app, "closing files of checkpoint " + ckptId, own::close);
    }

    /** Returns the existing files. */
    Map<FileKind, ReadAhead> all() {
        return files;
    }

    ByteSource get(FileKind kind) {
        ByteSource source = files.get(kind);
        if (source == null) {
            throw new IllegalStateException("this rank has no file " + kind);
        }
        return source;
    }

    /** Returns the bytes of a file; 0 if it does not exist. */
    long size(FileKind kind) {
        ByteSource source = files.get(kind);
        return source == null ? 0 : source.size();
    }

    private void closeAfter(Throwable failure) {
        try {
            close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private void close() throws IOException {
        Closeables.close(List.copyOf(files.values()));
    }
}
