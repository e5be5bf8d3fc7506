package io.drumlin.cli.picture;

import io.drumlin.cli.file.FileRange;
import io.drumlin.cli.file.FileRange.Matter;
import io.drumlin.cli.picture.PictureBoxes.Box;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The positions at which consecutive leaves of the file are drawn, side by side: each extends from one edge to the
 * next.
 */
final class PictureRow {

    /** Largest number of leaves that are drawn at a readable width; nobody looks at more. */
    static final int LEAVES = 1000;

    /** Mean width of a letter. */
    static final double LETTER = 6.4;

    private static final double LEAST_WIDTH = 16;
    private static final double MOST_WIDTH = 110;

    private final int first;
    private final double[] edges;

    private PictureRow(int first, double[] edges) {
        this.first = first;
        this.edges = edges;
    }

    /** Returns one row of all leaves with widths in proportion to their lengths. */
    static PictureRow toScale(PictureBoxes picture, double left, double right) {
        List<Box> leaves = picture.leaves();
        double[] edges = new double[leaves.size() + 1];
        for (int leaf = 0; leaf < leaves.size(); leaf++) {
            edges[leaf] = scaled(picture, leaves.get(leaf).start(), left, right);
        }
        edges[leaves.size()] = right;
        return new PictureRow(0, edges);
    }

    /** Returns the position of a file offset if the whole file is drawn to scale. */
    static double scaled(PictureBoxes picture, long offset, double left, double right) {
        return left + (right - left) * offset / Math.max(1, picture.size());
    }

    /** Returns the first {@link #LEAVES} leaves in as many rows as they need, each wide enough for its name. */
    static List<PictureRow> readable(PictureBoxes picture, double left, double right) {
        double[] widths = readableWidths(picture);
        List<PictureRow> rows = new ArrayList<>();
        int first = 0;
        while (first < widths.length) {
            int end = first;
            double free = right - left;
            while (end < widths.length && (end == first || widths[end] <= free)) {
                free -= widths[end++];
            }
            boolean restOfMany = end == widths.length && first > 0;
            rows.add(filled(picture, first, Arrays.copyOfRange(widths, first, end), left, restOfMany ? 0 : free));
            first = end;
        }
        return rows;
    }

    private static double[] readableWidths(PictureBoxes picture) {
        double[] widths = new double[Math.min(LEAVES, picture.leaves().size())];
        Arrays.fill(widths, LEAST_WIDTH);
        for (Box box : picture.boxes()) {
            boolean named = box.range().matter() != Matter.UNUSED;
            if (named && box.endLeaf() <= widths.length) {
                widen(widths, box);
            }
        }
        return widths;
    }

    /** Makes room for the name of a range. */
    private static void widen(double[] widths, Box box) {
        FileRange range = box.range();
        String text = box.depth() == 0 || range.label().isEmpty() ? range.name() : range.label();
        double wanted = Math.min(MOST_WIDTH, LETTER * text.length() + 8);
        double missing =
                wanted - Arrays.stream(widths, box.firstLeaf(), box.endLeaf()).sum();
        for (int leaf = box.firstLeaf(); leaf < box.endLeaf() && missing > 0; leaf++) {
            widths[leaf] += missing / (box.endLeaf() - box.firstLeaf());
        }
    }

    /** Distributes free space so that longer leaves look longer, in proportion to the square root of their lengths. */
    private static PictureRow filled(PictureBoxes picture, int first, double[] widths, double left, double free) {
        double[] roots = new double[widths.length];
        Arrays.setAll(roots, i -> {
            Box leaf = picture.leaves().get(first + i);
            return Math.sqrt((double) leaf.end() - leaf.start());
        });
        double sum = Arrays.stream(roots).sum();
        double[] edges = new double[widths.length + 1];
        edges[0] = left;
        for (int i = 0; i < widths.length; i++) {
            double share = sum == 0 ? 1.0 / widths.length : roots[i] / sum;
            edges[i + 1] = edges[i] + widths[i] + free * share;
        }
        return new PictureRow(first, edges);
    }

    /** Returns whether this row has a part of a range. */
    boolean has(Box box) {
        return box.endLeaf() > first && box.firstLeaf() < first + edges.length - 1;
    }

    /** Returns the left edge of a range, or of its part in this row. */
    double left(Box box) {
        return edges[Math.max(box.firstLeaf() - first, 0)];
    }

    /** Returns the right edge of a range, or of its part in this row. */
    double right(Box box) {
        return edges[Math.min(box.endLeaf() - first, edges.length - 1)];
    }
}
