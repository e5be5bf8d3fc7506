package io.drumlin.format.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.internal.FindingSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Reads and checks metadata; docs/formats/fti-ff.md, section 8. One instance reads one file. */
final class MetadataReader {

    private final ByteSource source;
    private final Recognition recognition;
    private final Layout layout;
    private final FindingSink problems;
    private final long recordOffset;

    MetadataReader(ByteSource source, Recognition recognition, FindingSink problems) {
        this.source = source;
        this.recognition = recognition;
        this.layout = recognition.layout();
        this.problems = problems;
        this.recordOffset = recognition.recordOffset();
    }

    FtiFfFile read() throws IOException {
        ByteBuffer record = Recognition.record(source, recordOffset, layout);
        FileMeta file = layout.fileMeta(record.duplicate());
        byte mark = (byte) layout.file().get(record, Field.MARK);
        if (!recognition.signed()) {
            add(Field.MY_HASH, recordOffset, layout.file(), "is not the digest of the file record");
        }
        if (!layout.hasDigits(record)) {
            add(Field.CHECKSUM, recordOffset, layout.file(), "is not 32 lower-case hexadecimal digits and a NUL");
        }
        if (recognition.encoded()) {
            checkEncoded(file);
            return new FtiFfFile(recognition, file, mark, BlockRecords.none(layout));
        }
        checkPlain(file);
        BlockRecords blocks = layout.atEnd() ? blocksAtEnd(file) : blocksAmongData(file);
        return new FtiFfFile(recognition, file, mark, blocks);
    }

    private void checkEncoded(FileMeta file) throws FormatException {
        range(Field.FS, file.fs(), recordOffset, recordOffset);
        range(Field.MAX_FS, file.maxFs(), recordOffset, recordOffset);
        range(Field.CKPT_SIZE, file.ckptSize(), layout.fileMetaLength(), recordOffset - appendedSize());
        range(Field.PT_FS, file.ptFs(), -1, -1);
    }

    private void checkPlain(FileMeta file) throws FormatException {
        if (layout.file().has(Field.CKPT_ID)) {
            // C FTI leaves this field undefined in encoded files that it repairs.
            range(Field.CKPT_ID, file.ckptId(), 0, Integer.MAX_VALUE);
        }
        long whole = wholeSize(file);
        range(Field.FS, file.fs(), whole, whole);
        range(Field.CKPT_SIZE, file.ckptSize(), whole, whole);
        if (layout.atEnd()) {
            range(Field.DATA_SIZE, file.dataSize(), 0, recordOffset);
            range(Field.META_SIZE, file.metaSize(), whole - file.dataSize(), whole - file.dataSize());
        }
        if (file.maxFs() != -1) {
            range(Field.MAX_FS, file.maxFs(), whole + appendedSize(), Long.MAX_VALUE);
        }
        if (file.ptFs() != -1) {
            range(Field.PT_FS, file.ptFs(), layout.fileMetaLength(), Long.MAX_VALUE);
        }
    }

    /** Returns the required size of a plain file. Only layout B leaves out the bytes after the last chunk. */
    private long wholeSize(FileMeta file) {
        return layout == Layout.B ? Math.max(source.size(), file.fs()) : source.size();
    }

    /** Returns the size of the length field: C to F append the size of a file to it before it is encoded. */
    private int appendedSize() {
        return layout.atEnd() ? Long.BYTES : 0;
    }

    private BlockRecords blocksAtEnd(FileMeta file) throws IOException {
        long length = recordOffset - file.dataSize();
        if (file.dataSize() < 0 || length < 0) {
            return BlockRecords.none(layout);
        }
        if (length > BlockIndex.AREA_LIMIT) {
            range(Field.DATA_SIZE, file.dataSize(), recordOffset - BlockIndex.AREA_LIMIT, recordOffset);
            return BlockRecords.none(layout);
        }
        ByteBuffer area = ByteBuffer.allocate((int) length);
        source.readFully(file.dataSize(), area);
        area.flip();
        BlockIndex index = index(new MemoryByteSource(area), file.dataSize(), 0, length);
        return checked(new BlockRecords(layout, area, index), file);
    }

    /** Reads block by block, twice, so that nothing is allocated before the extent of all records is known. */
    private BlockRecords blocksAmongData(FileMeta file) throws IOException {
        BlockIndex index = index(source, 0, layout.fileMetaLength(), wholeSize(file));
        ByteBuffer area = ByteBuffer.allocate(index.areaLength());
        for (int block = 0; block < index.size(); block++) {
            source.readFully(index.offset(block), area.limit(index.end(block)));
        }
        return checked(new BlockRecords(layout, area.flip(), index), file);
    }

    private BlockRecords checked(BlockRecords blocks, FileMeta file) throws FormatException {
        checkContainers(blocks, file);
        checkVariables(blocks);
        return blocks;
    }

    /**
     * Follows the block records from {@code first} to {@code end} of {@code metadata}, which begin at {@code base} of
     * the file. Keeps blocks whose variable records are there.
     */
    private BlockIndex index(ByteSource metadata, long base, long first, long end) throws IOException {
        BlockIndex index = new BlockIndex();
        ByteBuffer record = ByteBuffer.allocate(layout.block().length()).order(ByteOrder.LITTLE_ENDIAN);
        long position = first;
        while (position < end) {
            long there = Math.max(0, Math.min(end, metadata.size()) - position);
            long left = there - record.capacity();
            if (left < 0) {
                add(Field.NUMVARS, base + position, layout.block(), there + " bytes are left for a block record");
                break;
            }
            metadata.readFully(position, record.clear());
            long numvars = layout.block().get(record, Field.NUMVARS);
            long least = position == first && left == 0 ? 0 : 1;
            long most = left / layout.variable().length();
            if (numvars < least || numvars > most) {
                add(Field.NUMVARS, base + position, layout.block(), outside(numvars, least, most));
                break;
            }
            long records = layout.recordsLength((int) numvars);
            if (!index.hasRoom(records)) {
                add(
                        Field.NUMVARS,
                        base + position,
                        layout.block(),
                        "is more than can be read: the metadata have 2 GiB");
                break;
            }
            index.add(base + position, records);
            long length = layout.atEnd() ? records : layout.block().get(record, Field.DBSIZE);
            if (length < records || length > end - position) {
                break; // A later check compares dbsize with the sum of the containers.
            }
            position += length;
        }
        return index;
    }

    /** Checks each record by itself, and that the containers are contiguous up to the end. */
    private void checkContainers(BlockRecords blocks, FileMeta file) throws FormatException {
        long limit = layout.atEnd() ? file.dataSize() : wholeSize(file);
        long end = layout.atEnd() ? 0 : layout.fileMetaLength();
        long lastGap = 0;
        for (int b = 0; b < blocks.size(); b++) {
            BlockMeta block = blocks.get(b);
            long blockStart = end;
            if (!layout.atEnd()) {
                end += layout.recordsLength(block.variables().size());
            }
            for (int v = 0; v < block.variables().size(); v++) {
                VariableMeta container = block.variables().get(v);
                long offset = blocks.offset(b, v);
                checkRecord(blocks.record(blocks.start(b, v)), offset, container, limit - end, source.size() - end);
                long gap = container.fptr() - end;
                if (gap != lastGap && gap != 0) {
                    // All following containers are off by the same amount, so this is reported once.
                    add(Field.FPTR, offset, layout.variable(), outside(container.fptr(), end, end));
                }
                lastGap = gap;
                end += Math.max(0, Math.min(container.containerSize(), limit - end));
            }
            long sum = end - blockStart;
            if (block.dbsize() != sum) {
                add(Field.DBSIZE, blocks.offset(b), layout.block(), outside(block.dbsize(), sum, sum));
            }
        }
        if (end != limit) {
            add(
                    layout.atEnd() ? Field.DATA_SIZE : Field.FS,
                    recordOffset,
                    layout.file(),
                    outside(limit, end, end) + ", the end of the last container");
        }
    }

    /**
     * Checks the fields that do not depend on another container. {@code room} is the space left for this one, and
     * {@code there} bytes of it are in the file.
     */
    private void checkRecord(ByteBuffer record, long offset, VariableMeta container, long room, long there)
            throws FormatException {
        variableRange(Field.ID, offset, container.id(), Integer.MAX_VALUE);
        if (layout.variable().has(Field.IDX)) {
            variableRange(Field.IDX, offset, container.idx(), Integer.MAX_VALUE);
        }
        variableRange(Field.HAS_CONTENT, offset, layout.variable().get(record, Field.HAS_CONTENT), 1);
        if (layout.variable().has(Field.HAS_CKPT)) {
            variableRange(Field.HAS_CKPT, offset, layout.variable().get(record, Field.HAS_CKPT), 1);
        }
        variableRange(Field.CONTAINER_SIZE, offset, container.containerSize(), room);
        long most = Math.max(0, Math.min(container.containerSize(), Math.min(room, there)));
        variableRange(Field.CHUNK_SIZE, offset, container.chunkSize(), container.hasContent() ? most : 0);
    }

    private void variableRange(Field field, long offset, long value, long most) throws FormatException {
        if (value < 0 || value > most) {
            add(field, offset, layout.variable(), outside(value, 0, most));
        }
    }

    /** Checks that the containers of each variable are numbered, follow each other and hold it without a gap. */
    private void checkVariables(BlockRecords blocks) throws FormatException {
        long[] places = placesById(blocks);
        int containers = 0;
        long reserved = 0;
        long stored = 0;
        for (int i = 0; i < places.length; i++) {
            VariableMeta container = layout.variableMeta(blocks.record((int) places[i]));
            long offset = blocks.offsetOf((int) places[i]);
            if (i == 0 || places[i] >>> Integer.SIZE != places[i - 1] >>> Integer.SIZE) {
                containers = 0;
                reserved = 0;
                stored = 0;
            }
            if (container.containerId() != containers) {
                add(
                        Field.CONTAINER_ID,
                        offset,
                        layout.variable(),
                        outside(container.containerId(), containers, containers));
            }
            if (container.dptr() != reserved) {
                add(Field.DPTR, offset, layout.variable(), outside(container.dptr(), reserved, reserved));
            }
            if (container.hasContent() && stored != reserved) {
                add(
                        Field.HAS_CONTENT,
                        offset,
                        layout.variable(),
                        "is 1, allowed 0: an earlier container of variable " + container.id() + " is not full");
            }
            containers++;
            reserved += container.containerSize();
            stored += container.chunkSize();
        }
    }

    /** Returns the positions of all variable records, by id and then in file order; the id is in the upper half. */
    private static long[] placesById(BlockRecords blocks) {
        int count = 0;
        for (int b = 0; b < blocks.size(); b++) {
            count += blocks.get(b).variables().size();
        }
        long[] places = new long[count];
        int next = 0;
        for (int b = 0; b < blocks.size(); b++) {
            BlockMeta block = blocks.get(b);
            for (int v = 0; v < block.variables().size(); v++) {
                places[next++] = (long) block.variables().get(v).id() << Integer.SIZE | blocks.start(b, v);
            }
        }
        Arrays.sort(places);
        return places;
    }

    /** Checks a field of the file record. */
    private void range(Field field, long value, long least, long most) throws FormatException {
        if (value < least || value > most) {
            add(field, recordOffset, layout.file(), outside(value, least, most));
        }
    }

    /** Reports a field of the record at {@code offset} of the file. */
    private void add(Field field, long offset, RecordFormat record, String problem) throws FormatException {
        problems.add(new Finding(field.label(), offset + record.offset(field), problem));
    }

    private static String outside(long value, long least, long most) {
        String allowed = least == most ? String.valueOf(least) : least > most ? "none" : least + " to " + most;
        return "is " + value + ", allowed " + allowed;
    }
}
