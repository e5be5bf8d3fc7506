package io.drumlin.checkpoint.internal.dcp;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The known containers of a differential checkpoint file, with the digests of their blocks. Not thread-safe. */
public final class FileBlocks {

    private final Map<Long, Area> areas = new TreeMap<>();

    /** Returns all containers, by their start offset. */
    Map<Long, Area> areas() {
        return areas;
    }

    @Nullable
    Area at(long start) {
        return areas.get(start);
    }

    /** A container. */
    static final class Area {

        private final long length;
        private final long room;
        private final int blockSize;
        private final int digestLength;
        private final byte[] digests;
        private final BitSet changed = new BitSet();

        /** Whether the container was not in the previous checkpoint's file. */
        private final boolean added;

        /**
         * Creates a container without known blocks.
         *
         * @param length bytes of the content
         * @param room bytes of the container
         */
        Area(long length, long room, BlockDigests blocks, boolean added) {
            this.length = length;
            this.room = room;
            this.added = added;
            blockSize = blocks.blockSize();
            digestLength = blocks.length();
            digests = new byte[Math.multiplyExact(blocks.count(length), digestLength)];
        }

        long length() {
            return length;
        }

        long room() {
            return room;
        }

        boolean added() {
            return added;
        }

        byte[] digests() {
            return digests;
        }

        /** Returns the numbers of the blocks that the previous checkpoint did not have or had with other content. */
        BitSet changed() {
            return changed;
        }

        /** Records whether a block, whose digest is now known, differs from the previous one. */
        void compare(int block, @Nullable Area before) {
            int from = block * digestLength;
            int to = from + digestLength;
            boolean same = before != null
                    && end(block) == before.end(block)
                    && Arrays.equals(digests, from, to, before.digests, from, to);
            changed.set(block, !same);
        }

        /** Returns where a block ends in the container. If the content ends before the block, so does the block. */
        long end(int block) {
            return Math.min((block + 1L) * blockSize, length);
        }
    }
}
