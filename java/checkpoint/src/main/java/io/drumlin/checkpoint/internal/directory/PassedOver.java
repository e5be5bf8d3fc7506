package io.drumlin.checkpoint.internal.directory;

import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.EnumSet;

/**
 * An empty file that says of a checkpoint that a restart has found it damaged and has taken another. It is not kept
 * when the next one replaces it, because it would take the place of a whole one
 * (docs/formats/fti-run-directory.md, section 13). It lies with the files, because heads and later starts need to know.
 */
final class PassedOver {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private static final String NAME = "drumlin-passed-over";

    private PassedOver() {}

    static boolean isMark(Path file) {
        return file.endsWith(NAME);
    }

    static boolean isMarked(Path directory) throws IOException {
        return PathStatus.exists(directory.resolve(NAME));
    }

    /** Does nothing if the directory has no checkpoint. */
    static void mark(Path directory, StorageEngine storage) {
        change(directory, () -> {
            if (PathStatus.isDirectory(directory) && !isMarked(directory)) {
                storage.open(directory.resolve(NAME), EnumSet.of(OpenMode.WRITE, OpenMode.CREATE))
                        .close();
            }
        });
    }

    static void unmark(Path directory, StorageEngine storage) {
        change(directory, () -> {
            if (isMarked(directory)) {
                storage.delete(directory.resolve(NAME));
            }
        });
    }

    /** Without its mark, a checkpoint is kept, or deleted later than it should be. The restart goes on. */
    private static void change(Path directory, Agreement.Step change) {
        try {
            change.run();
        } catch (IOException stays) {
            LOG.log(Logger.Level.DEBUG, () -> "the mark of " + directory + " stays as it is", stays);
        }
    }
}
