package io.drumlin.format.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;

/**
 * The FTI-FF layout of a source. There is no magic number; the file record is recognised by its own digest,
 * docs/formats/fti-ff.md, section 2.
 *
 * @param layout the layout; D also for encoded files of C, which are the same
 * @param encoded whether it is a Reed-Solomon file ({@code -RSed}): encoded bytes, then the file record
 * @param recordOffset offset of the file record
 * @param signed whether the record's digest is right; false for a record that fits the file in all but one of the
 *     fields that can be compared
 */
public record Recognition(Layout layout, boolean encoded, long recordOffset, boolean signed) {

    /** The layouts in the order in which they are tried; D stands for C too. */
    private static final List<Layout> TRIED = List.of(Layout.F, Layout.D, Layout.E, Layout.A, Layout.B);

    /** Number of the four comparable values that must be right if the digest of a record is wrong. */
    private static final int ENOUGH = 3;

    /**
     * Looks for a file record at the end and at the beginning. Reads the metadata of files that may be of layout C or
     * D.
     *
     * @param source any bytes
     * @return empty if it is not FTI-FF
     * @throws IOException the source cannot be read
     */
    public static Optional<Recognition> of(ByteSource source) throws IOException {
        Optional<Recognition> signed = first(source, Recognition::signed);
        Optional<Recognition> found = signed.isPresent() ? signed : first(source, Recognition::unsigned);
        return found.isPresent() ? Optional.of(found.get().distinguished(source)) : found;
    }

    private interface Test {
        Optional<Recognition> of(Layout layout, ByteBuffer record, long offset, long size);
    }

    private static Optional<Recognition> first(ByteSource source, Test test) throws IOException {
        for (Layout layout : TRIED) {
            long end = source.size() - layout.fileMetaLength();
            for (long offset : layout.atEnd() ? new long[] {end} : new long[] {0, end}) {
                if (end >= 0) {
                    Optional<Recognition> found =
                            test.of(layout, record(source, offset, layout), offset, source.size());
                    if (found.isPresent()) {
                        return found;
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Recognition> signed(Layout layout, ByteBuffer record, long offset, long size) {
        if (!layout.signed(record)) {
            return Optional.empty();
        }
        boolean encoded = layout.atEnd() ? layout.file().get(record, Field.FS) == offset : offset > 0;
        return Optional.of(new Recognition(layout, encoded, offset, true));
    }

    /** Recognises a record with one damaged field. */
    private static Optional<Recognition> unsigned(Layout layout, ByteBuffer record, long offset, long size) {
        boolean checksum = layout.hasDigits(record);
        FileMeta file = layout.fileMeta(record.duplicate());
        boolean mayBePlain = layout.atEnd() || offset == 0;
        boolean mayBeEncoded = layout.atEnd() || offset > 0;
        boolean sizesFit = layout.atEnd()
                ? file.dataSize() + file.metaSize() == size
                : file.maxFs() == -1 || file.ptFs() == -1; // No level has both.
        int plain = count(checksum, file.fs() == size, file.ckptSize() == size, sizesFit);
        int encoded = count(
                checksum,
                file.fs() == offset,
                file.maxFs() == offset,
                file.ptFs() == -1 && file.ckptSize() > 0 && file.ckptSize() <= offset);
        if (mayBeEncoded && encoded >= ENOUGH && (!mayBePlain || encoded > plain)) {
            return Optional.of(new Recognition(layout, true, offset, false));
        }
        return mayBePlain && plain >= ENOUGH
                ? Optional.of(new Recognition(layout, false, offset, false))
                : Optional.empty();
    }

    private static int count(boolean... facts) {
        int count = 0;
        for (boolean fact : facts) {
            count += fact ? 1 : 0;
        }
        return count;
    }

    /** Returns this recognition, or the same with C if the metadata fit C better. Intact metadata of D do not fit C. */
    private Recognition distinguished(ByteSource source) throws IOException {
        if (layout != Layout.D || encoded) {
            return this;
        }
        long problems = problems(source);
        if (problems == 0) {
            return this;
        }
        Recognition other = new Recognition(Layout.C, false, recordOffset, signed);
        int more = misfits(source) - other.misfits(source);
        return more > 0 || (more == 0 && other.problems(source) < problems) ? other : this;
    }

    private long problems(ByteSource source) throws IOException {
        Findings findings = new Findings();
        FtiFfFile.read(source, this, findings);
        return findings.count();
    }

    /** Counts the fields of the first variable record that do not fit the first container. */
    private int misfits(ByteSource source) throws IOException {
        long dataSize = layout.fileMeta(record(source, recordOffset, layout)).dataSize();
        ByteBuffer record = ByteBuffer.allocate(layout.variable().length());
        if (dataSize < 0 || dataSize > recordOffset - layout.recordsLength(1)) {
            return 0;
        }
        source.readFully(dataSize + layout.block().length(), record);
        VariableMeta first = layout.variableMeta(record.flip());
        return count(
                first.containerId() != 0,
                first.dptr() != 0,
                first.fptr() != 0,
                first.containerSize() < 0 || first.containerSize() > dataSize,
                first.chunkSize() < 0 || first.chunkSize() > first.containerSize());
    }

    /**
     * Returns the name of the layout.
     *
     * @return its letter, or {@code C or D} for encoded files, which are the same in both
     */
    public String label() {
        return encoded && layout == Layout.D ? "C or D" : layout.name();
    }

    static ByteBuffer record(ByteSource source, long offset, Layout layout) throws IOException {
        ByteBuffer record = ByteBuffer.allocate(layout.fileMetaLength()).order(ByteOrder.LITTLE_ENDIAN);
        source.readFully(offset, record);
        return record.flip();
    }
}
