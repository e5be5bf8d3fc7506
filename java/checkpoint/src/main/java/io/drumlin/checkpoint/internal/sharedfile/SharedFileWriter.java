package io.drumlin.checkpoint.internal.sharedfile;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes the data of all ranks into one file, in the modes that have such a file at level 4. */
public interface SharedFileWriter {

    /** Returns the name of a checkpoint's file. */
    String fileName(int ckptId);

    /**
     * Returns the name of a rank's file in the metadata.
     *
     * @param rankFileName name of a file that belongs to the rank alone
     */
    default String nameInMetadata(int ckptId, String rankFileName) {
        return rankFileName;
    }

    /**
     * Writes the file and makes its content durable. Collective.
     *
     * @param path the file, the same on all ranks; replaced if it exists
     * @param bytes bytes of this rank
     * @throws IOException on all ranks, if it failed on any
     */
    Written write(Path path, ByteSource bytes) throws IOException;

    /**
     * Writes the file from the heads, and makes its content durable: each head writes the data of the application ranks
     * of its node. Collective among the heads.
     *
     * @param path the file, the same on all heads; replaced if it exists
     * @param parts data of the ranks of the node, in their order
     * @param first number of the first of these ranks in the application
     * @throws IOException on all heads, if it failed on any
     */
    void write(Path path, List<ByteSource> parts, int first) throws IOException;

    /**
     * The bytes that this rank wrote.
     *
     * @param start where the bytes begin in the file
     * @param digests the striped MD5 of all these bytes
     */
    record Written(long start, List<byte[]> digests) {}

    /**
     * Returns a locator of this rank's bytes in written files. Collective.
     *
     * @param size number of this rank's bytes
     */
    Locator locator(long size) throws IOException;

    /**
     * Returns where the bytes of any rank begin in a file that was written by any number of ranks. Not collective.
     *
     * @param sizes bytes of each rank
     * @throws IOException the file does not hold them
     */
    long start(Path path, int rank, long[] sizes) throws IOException;

    /** Finds the bytes of a rank. Not collective. */
    interface Locator {

        /**
         * Returns where the bytes begin.
         *
         * @throws IOException the file does not hold them
         */
        long start(Path path) throws IOException;
    }
}
