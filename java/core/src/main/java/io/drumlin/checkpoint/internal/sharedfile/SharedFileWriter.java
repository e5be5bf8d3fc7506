package io.drumlin.checkpoint.internal.sharedfile;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes the data of all ranks into one file, in the modes that have such a file at level 4. */
public interface SharedFileWriter {

    /** The name of the file of a checkpoint. */
    String fileName(int ckptId);

    /**
     * The name that the metadata give the file of a rank.
     *
     * @param rankFileName that of a file of the rank alone
     */
    default String nameInMetadata(int ckptId, String rankFileName) {
        return rankFileName;
    }

    /**
     * Writes the file and makes its content durable. Collective.
     *
     * @param path the same on all ranks, replaced when it exists
     * @param bytes of this rank
     * @throws IOException on all ranks, if it failed on any
     */
    Written write(Path path, ByteSource bytes) throws IOException;

    /**
     * Does the same for heads: each writes the data of the application ranks of its node. Collective among the heads.
     *
     * @param parts of the ranks of the node, in their order
     * @param first number of the first of them in the application
     * @throws IOException on all heads, if it failed on any
     */
    void write(Path path, List<ByteSource> parts, int first) throws IOException;

    /**
     * What this rank wrote.
     *
     * @param start where its bytes begin in the file
     * @param digests the MD5 of all of them
     */
    record Written(long start, List<byte[]> digests) {}

    /**
     * Prepares to find this rank's bytes in files that were written. Collective.
     *
     * @param size how many there are
     */
    Locator locator(long size) throws IOException;

    /**
     * Where the bytes of any rank begin in a file that was written by any number of them. Not collective.
     *
     * @param sizes how many bytes each rank wrote
     * @throws IOException the file does not hold them
     */
    long start(Path path, int rank, long[] sizes) throws IOException;

    /** Finds the bytes of a rank. Not collective. */
    interface Locator {

        /**
         * Where they begin.
         *
         * @throws IOException the file does not hold them
         */
        long start(Path path) throws IOException;
    }
}
