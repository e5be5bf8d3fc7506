package io.drumlin.checkpoint.internal.file;

import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.FileEntry;

/** How metadata describe a file, and what the description says about its content. */
public interface FileDescription {

    /** Returns the type of the checkpoint in the metadata. */
    default CkptType type() {
        return CkptType.FULL;
    }

    /** Returns an entry whose {@code ckpt_checksum} is that of C FTI. */
    default FileEntry described(FileEntry entry) {
        return entry;
    }

    /** Returns the content of a file with this description. */
    StoredFile stored(int ckptId, FileEntry entry);
}
