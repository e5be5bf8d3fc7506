package io.drumlin.checkpoint;

import io.drumlin.integrity.Md5Lanes;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What a mode makes of the variables of an incremental checkpoint, which come one by one. Not thread-safe. */
interface Gathering {

    /**
     * Writes a variable as it is now.
     *
     * @param id was not added before
     * @param all what is protected now, by id in the order of the first protection
     * @param file the same each time
     * @param md5 the same each time, and for this alone
     */
    void add(int id, ProtectedData variable, Map<Integer, ProtectedData> all, ChunkedFile file, Md5Lanes md5)
            throws IOException;

    /** The variables that were added, by id in the order in which they came. */
    Map<Integer, ProtectedData> added();

    /**
     * The file with all that was added. Its image is not to be used: the data may have changed since.
     *
     * @param timestamp the same on all ranks
     * @param all what is protected now
     * @throws IOException the mode has no place for what was added
     */
    Draft draft(int ckptId, long timestamp, Map<Integer, ProtectedData> all) throws IOException;

    /** The digests that the draft is to be sealed with. To be called once. */
    List<byte[]> digests(Draft draft, Md5Lanes md5) throws IOException;
}
