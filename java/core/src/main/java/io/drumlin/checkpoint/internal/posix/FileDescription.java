package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.FileEntry;

/** What the metadata say of a file, and what that makes of it. */
interface FileDescription {

    /** What the metadata call the checkpoint. */
    default CkptType type() {
        return CkptType.FULL;
    }

    /** An entry whose {@code ckpt_checksum} is what C FTI writes there. */
    default FileEntry described(FileEntry entry) {
        return entry;
    }

    /** What a file that is described so holds. */
    StoredFile stored(int ckptId, FileEntry entry);
}
