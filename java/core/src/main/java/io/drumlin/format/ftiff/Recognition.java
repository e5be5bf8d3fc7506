package io.drumlin.format.ftiff;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Which layout of FTI-FF a source has. There is no magic number: the file record is recognised by the digest it carries,
 * docs/formats/fti-ff.md, section 2.
 *
 * @param layout the layout
 * @param encoded whether it is a Reed-Solomon file ({@code -RSed}): encoded bytes, then the file record
 * @param recordOffset where the file record is
 * @param signed whether the record's digest is right; false only in layout F, for a record that fits the file in all
 *     but one of the fields that can be compared
 */
public record Recognition(Layout layout, boolean encoded, long recordOffset, boolean signed) {

    /** How many of the four comparable things must be right in a record whose digest is wrong. */
    private static final int ENOUGH = 3;

    /**
     * Looks for a file record at the end and at the beginning.
     *
     * @param source any bytes
     * @return empty when it is not FTI-FF
     * @throws IOException the source cannot be read
     */
    public static Optional<Recognition> of(ByteSource source) throws IOException {
        for (Layout layout : Layout.values()) {
            if (layout.atEnd() && source.size() >= layout.fileMetaLength()) {
                long offset = source.size() - layout.fileMetaLength();
                ByteBuffer record = record(source, offset, layout);
                if (layout.signed(record)) {
                    return Optional.of(new Recognition(layout, layout.fs(record) == offset, offset, true));
                }
            }
        }
        Optional<Recognition> older = atStartOrEncoded(source);
        return older.isPresent() ? older : unsigned(source);
    }

    private static Optional<Recognition> atStartOrEncoded(ByteSource source) throws IOException {
        for (Layout layout : Layout.values()) {
            if (!layout.atEnd() && source.size() >= layout.fileMetaLength()) {
                if (layout.signed(record(source, 0, layout))) {
                    return Optional.of(new Recognition(layout, false, 0, true));
                }
                long end = source.size() - layout.fileMetaLength();
                if (layout.signed(record(source, end, layout))) {
                    return Optional.of(new Recognition(layout, true, end, true));
                }
            }
        }
        return Optional.empty();
    }

    /** A record of layout F with one damaged field. */
    private static Optional<Recognition> unsigned(ByteSource source) throws IOException {
        if (source.size() < LayoutF.FILE_META_LENGTH) {
            return Optional.empty();
        }
        long size = source.size();
        long offset = size - LayoutF.FILE_META_LENGTH;
        ByteBuffer record = record(source, offset, Layout.F);
        boolean checksum = LayoutF.hasDigits(record);
        FileMeta file = LayoutF.fileMeta(record);
        int plain =
                count(checksum, file.fs() == size, file.ckptSize() == size, file.dataSize() + file.metaSize() == size);
        int encoded = count(
                checksum,
                file.fs() == offset,
                file.maxFs() == offset,
                file.ptFs() == -1 && file.ckptSize() > 0 && file.ckptSize() <= offset);
        if (Math.max(plain, encoded) < ENOUGH) {
            return Optional.empty();
        }
        return Optional.of(new Recognition(Layout.F, encoded > plain, offset, false));
    }

    private static int count(boolean... facts) {
        int count = 0;
        for (boolean fact : facts) {
            count += fact ? 1 : 0;
        }
        return count;
    }

    static ByteBuffer record(ByteSource source, long offset, Layout layout) throws IOException {
        ByteBuffer record = ByteBuffer.allocate(layout.fileMetaLength()).order(ByteOrder.LITTLE_ENDIAN);
        source.readFully(offset, record);
        return record.flip();
    }
}
