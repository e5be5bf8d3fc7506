package io.drumlin.cli.picture;

import io.drumlin.cli.file.FileRange;
import io.drumlin.cli.file.FileRange.Matter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The ranges of a file, cut so that they lie side by side and within each other, whatever a damaged file contains.
 * Further ranges fill the gaps. Leaves are numbered in file order.
 */
final class PictureBoxes {

    /**
     * A range to be drawn.
     *
     * @param start first byte after the cut
     * @param end offset after the last byte after the cut
     * @param depth 0 for ranges of the file, 1 for their parts
     * @param firstLeaf number of the first leaf in it
     * @param endLeaf number after that of the last leaf in it
     */
    record Box(FileRange range, long start, long end, int depth, int firstLeaf, int endLeaf) {

        boolean isLeaf() {
            return range.parts().isEmpty();
        }
    }

    private final List<Box> boxes = new ArrayList<>();
    private final List<Box> leaves = new ArrayList<>();
    private final long size;
    private int depth;

    PictureBoxes(long size, List<FileRange> ranges) {
        this.size = size;
        addParts(FileRange.data("file", "", 0, size).with(ranges), 0, 0, size);
    }

    private void add(FileRange range, int level, long start, long end) {
        int place = boxes.size();
        int firstLeaf = leaves.size();
        Box leaf = new Box(range, start, end, level, firstLeaf, firstLeaf + 1);
        boxes.add(leaf);
        depth = Math.max(depth, level + 1);
        if (range.parts().isEmpty()) {
            leaves.add(leaf);
        } else {
            addParts(range, level + 1, start, end);
            boxes.set(place, new Box(range, start, end, level, firstLeaf, leaves.size()));
        }
    }

    private void addParts(FileRange range, int level, long start, long end) {
        long done = start;
        List<FileRange> parts = new ArrayList<>(range.parts());
        parts.sort(Comparator.comparingLong(FileRange::offset));
        for (FileRange part : parts) {
            long partStart = within(part.offset(), done, end);
            addUnused(range, level, done, partStart);
            done = within(partStart + Math.min(Math.max(part.length(), 0), end - partStart), partStart, end);
            add(part, level, partStart, done);
        }
        addUnused(range, level, done, end);
    }

    private void addUnused(FileRange range, int level, long start, long end) {
        if (start < end) {
            boolean gap = range.kind().equals("file");
            Map<String, Object> fields = gap ? Map.of() : Map.of("in", range.name());
            add(
                    new FileRange(
                            gap ? "gap" : "unused",
                            "",
                            Matter.UNUSED,
                            range.owner(),
                            start,
                            end - start,
                            fields,
                            List.of()),
                    level,
                    start,
                    end);
        }
    }

    private static long within(long value, long least, long most) {
        return Math.max(least, Math.min(value, most));
    }

    /** Returns all ranges, each before its parts. */
    List<Box> boxes() {
        return boxes;
    }

    /** Returns the ranges without parts, in file order. */
    List<Box> leaves() {
        return leaves;
    }

    /** Returns the size of the file in bytes. */
    long size() {
        return size;
    }

    /** Returns the depth of nested ranges. */
    int depth() {
        return depth;
    }
}
