package io.drumlin.checkpoint.internal.dcp;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is known of the containers of a differential checkpoint file and the blocks of their content. Not thread-safe. */
public final class FileBlocks {

    private final Map<Long, Area> areas = new TreeMap<>();

    /** All containers, by where they begin. */
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

        /** Whether it was not in the file of the checkpoint before. */
        private final boolean added;

        /**
         * Nothing known of the blocks yet.
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

        /** Numbers of the blocks that the checkpoint before had not, or not so. */
        BitSet changed() {
            return changed;
        }

        /** Takes note whether a block, whose digest is known now, is another than before. */
        void compare(int block, @Nullable Area before) {
            int from = block * digestLength;
            int to = from + digestLength;
            boolean same = before != null
                    && end(block) == before.end(block)
                    && Arrays.equals(digests, from, to, before.digests, from, to);
            changed.set(block, !same);
        }

        /** Where a block ends in the container; it may end before it begins, if the content does. */
        long end(int block) {
            return Math.min((block + 1L) * blockSize, length);
        }
    }
}
