package io.drumlin.golden.ftiff;

import io.drumlin.format.ftiff.BlockMeta;
import io.drumlin.format.ftiff.Layout;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The bytes of a checkpoint file that a writer of the same data need not write again: C FTI leaves them to the clock or to
 * chance, or they follow from such bytes (docs/formats/fti-ff.md, sections 3, 4 and 10).
 */
final class Mask {

    /** Why bytes are masked. */
    enum Reason {
        /** The clock. */
        TIMESTAMP("timestamp"),
        /** Covers the timestamp. */
        MY_HASH("myHash"),
        /** Never written by C FTI. */
        PADDING("padding"),
        /** Covers padding, or was made by the rule that C FTI's own reader refuses. */
        CHECKSUM("checksum"),
        /** The sizes in encoded files, which C FTI never initialises. */
        SIZES("metaSize and dataSize"),
        /** 16-bit words of encoded files that mix in a masked byte of a plain file of the group. */
        MIXED("mixed words");

        private final String label;

        Reason(String label) {
            this.label = label;
        }

        @Override
        public String toString() {
            return label;
        }
    }

    private static final int CHECKSUM_LENGTH = 33;
    private static final int MY_HASH_END = 49;

    private final BitSet bytes = new BitSet();
    private final Set<Reason> reasons = EnumSet.noneOf(Reason.class);

    private Mask() {}

    /**
     * The mask of a plain file or a partner copy.
     *
     * @param checkpoint what the manifest says of it
     * @param file its bytes
     */
    static Mask plain(Manifest.CheckpointFile checkpoint, byte[] file) {
        Mask mask = new Mask();
        Layout layout = Layout.valueOf(checkpoint.layout());
        int record = layout.atEnd() ? file.length - layout.fileMetaLength() : 0;
        mask.addRecord(layout, record);
        boolean dirty = layout == Layout.A && mask.addPadding(checkpoint, file);
        if (dirty || !checkpoint.checksumOfContent()) {
            mask.add(Reason.CHECKSUM, record, record + CHECKSUM_LENGTH);
        }
        return mask;
    }

    /**
     * The mask of a Reed-Solomon file.
     *
     * @param checkpoint what the manifest says of it
     * @param length its bytes
     * @param group masks of the plain files of its group
     */
    static Mask encoded(Manifest.CheckpointFile checkpoint, int length, Iterable<Mask> group) {
        Mask mask = new Mask();
        Layout layout = Layout.valueOf(checkpoint.layout());
        int record = length - layout.fileMetaLength();
        mask.addRecord(layout, record);
        mask.add(Reason.CHECKSUM, record, record + CHECKSUM_LENGTH);
        switch (layout) {
            case E -> mask.add(Reason.SIZES, record + 57, record + 65);
            case F -> mask.add(Reason.SIZES, record + 61, record + 77);
            default -> {}
        }
        for (Mask plain : group) {
            plain.bytes.stream().forEach(at -> mask.add(Reason.MIXED, at & ~1, Math.min((at | 1) + 1, record)));
        }
        return mask;
    }

    private void addRecord(Layout layout, int record) {
        add(Reason.MY_HASH, record + CHECKSUM_LENGTH, record + MY_HASH_END);
        switch (layout) {
            case A -> {
                add(Reason.PADDING, record + MY_HASH_END, record + 56);
                add(Reason.TIMESTAMP, record + 88, record + 96);
            }
            case E -> {
                add(Reason.TIMESTAMP, record + 77, record + 81);
                add(Reason.PADDING, record + 81, record + 82);
            }
            case F -> {
                add(Reason.TIMESTAMP, record + 101, record + 105);
                add(Reason.PADDING, record + 105, record + 106);
            }
            default -> throw new IllegalArgumentException("layout " + layout + " is not written");
        }
    }

    /** Bytes 13 to 15 of the variable records of layout A, 64 bytes each; whether any of them is not 0. */
    private boolean addPadding(Manifest.CheckpointFile checkpoint, byte[] file) {
        boolean dirty = false;
        int block = Layout.A.fileMetaLength();
        for (BlockMeta each : checkpoint.blocks()) {
            int end = block + (int) Layout.A.recordsLength(each.variables().size());
            for (int record = block + 12; record < end; record += 64) {
                add(Reason.PADDING, record + 13, record + 16);
                dirty |= file[record + 13] != 0 || file[record + 14] != 0 || file[record + 15] != 0;
            }
            block += (int) each.dbsize();
        }
        return dirty;
    }

    private void add(Reason reason, int from, int to) {
        if (from < to) {
            bytes.set(from, to);
            reasons.add(reason);
        }
    }

    /** The first byte that differs and is not masked, or -1. Arrays of equal length. */
    int mismatch(byte[] expected, byte[] found) {
        for (int i = bytes.nextClearBit(0); i < expected.length; i = bytes.nextClearBit(i + 1)) {
            if (expected[i] != found[i]) {
                return i;
            }
        }
        return -1;
    }

    Set<Reason> reasons() {
        return reasons;
    }

    int size() {
        return bytes.cardinality();
    }

    static String describe(Set<Reason> reasons) {
        return reasons.stream().map(Reason::toString).collect(Collectors.joining(", "));
    }
}
