package io.drumlin.format.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.ResizedSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The extension of plain files before encoding at level 3, and the record after the encoded bytes;
 * docs/formats/fti-ff.md, section 7. The code itself is not part of this format.
 */
public final class EncodedFile {

    /** Bytes of the size at the end of an extended file. */
    private static final int SIZE_LENGTH = Long.BYTES;

    private EncodedFile() {}

    /**
     * Returns the size to which the plain files of a group are extended.
     *
     * @param layout the layout of the files
     * @param largest the largest {@code fs} in the group
     * @return {@code maxFs}
     */
    public static long maxFs(Layout layout, long largest) {
        return layout.atEnd() ? largest + SIZE_LENGTH : largest;
    }

    /**
     * Extends a plain file for encoding: zeros after it, and in layouts C to F its own size at the end.
     *
     * @param layout the layout of the file
     * @param plain the file
     * @param maxFs the result of {@link #maxFs}
     * @return a source of {@code maxFs} bytes
     */
    public static ByteSource extended(Layout layout, ByteSource plain, long maxFs) {
        if (maxFs < maxFs(layout, plain.size())) {
            throw new IllegalArgumentException("a file of " + plain.size() + " bytes is not extended to " + maxFs);
        }
        return layout.atEnd() ? new WithSize(plain, maxFs) : new ResizedSource(plain, maxFs);
    }

    /**
     * Reads the size of the plain file from the extended file.
     *
     * @param layout the layout of the file
     * @param extended the extended file, perhaps rebuilt from others
     * @return {@code fs}
     * @throws FormatException no file can have that size: the files from which it was rebuilt are damaged
     * @throws IOException the source cannot be read
     */
    public static long plainSize(Layout layout, ByteSource extended) throws IOException {
        long maxFs = extended.size();
        long offset = layout.atEnd() ? maxFs - SIZE_LENGTH : layout.file().offset(Field.FS);
        long most = layout.atEnd() ? maxFs - SIZE_LENGTH : maxFs;
        ByteBuffer field = ByteBuffer.allocate(SIZE_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        if (most < layout.fileMetaLength()) {
            throw wrong(offset, "an extended file of " + maxFs + " bytes has no room for a file record");
        }
        extended.readFully(offset, field);
        long size = field.getLong(0);
        if (size < layout.fileMetaLength() || size > most) {
            throw wrong(offset, size + " is not within " + layout.fileMetaLength() + " and " + most);
        }
        return size;
    }

    private static FormatException wrong(long offset, String problem) {
        return new FormatException(FtiFfFile.FORMAT, new Finding("size of the extended file", offset, problem));
    }

    /**
     * Makes the record after the encoded bytes.
     *
     * @param layout the layout of the group's files
     * @param checksum MD5 of the encoded bytes, 32 lower-case hexadecimal digits
     * @param ckptId id of the checkpoint, 0 or above; A and B do not keep it
     * @param plainSize {@code fs} of the plain file of the same rank
     * @param maxFs number of encoded bytes
     * @param timestamp nanoseconds since 1970; E and F keep the low 32 bits
     * @return a record with both digests; {@code metaSize} and {@code dataSize}, which C FTI leaves to chance, are 0
     * @throws IllegalArgumentException layout E cannot hold one of the sizes
     */
    public static FileMeta seal(
            Layout layout, String checksum, int ckptId, long plainSize, long maxFs, long timestamp) {
        boolean atEnd = layout.atEnd();
        int absent = (int) RecordFormat.ABSENT;
        return layout.sign(new FileMeta(
                checksum,
                VariableMeta.NO_HASH,
                atEnd ? ckptId : absent,
                plainSize,
                atEnd ? 0 : absent,
                atEnd ? 0 : absent,
                maxFs,
                maxFs,
                -1,
                layout.kept(timestamp)));
    }

    /** Zeros, except for the last eight bytes, which hold the size of the file. */
    private static final class WithSize implements ByteSource {

        private final ByteSource zeroed;
        private final ByteBuffer size;

        WithSize(ByteSource plain, long maxFs) {
            this.zeroed = new ResizedSource(plain, maxFs - SIZE_LENGTH);
            this.size = ByteBuffer.allocate(SIZE_LENGTH)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(0, plain.size());
        }

        @Override
        public long size() {
            return zeroed.size() + SIZE_LENGTH;
        }

        @Override
        public void readFully(long offset, ByteBuffer target) throws IOException {
            int end = target.limit();
            long before = Math.max(0, Math.min(target.remaining(), zeroed.size() - offset));
            target.limit(target.position() + (int) before);
            if (before > 0) {
                zeroed.readFully(offset, target);
            }
            target.limit(end);
            if (target.hasRemaining()) {
                target.put(size.slice((int) (offset + before - zeroed.size()), target.remaining()));
            }
        }
    }
}
