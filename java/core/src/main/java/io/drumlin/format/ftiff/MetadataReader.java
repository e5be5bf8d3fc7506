package io.drumlin.format.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FindingSink;
import io.drumlin.format.FormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Reads and checks the metadata of layout F; docs/formats/fti-ff.md, section 8. One instance reads one file. */
final class MetadataReader {

    /** The largest metadata area that fits into one buffer: 37 million containers. */
    private static final long AREA_LIMIT = Integer.MAX_VALUE - 64L;

    private final ByteSource source;
    private final Recognition recognition;
    private final FindingSink problems;
    private final long recordOffset;

    MetadataReader(ByteSource source, Recognition recognition, FindingSink problems) {
        this.source = source;
        this.recognition = recognition;
        this.problems = problems;
        this.recordOffset = recognition.recordOffset();
    }

    FtiFfFile read() throws IOException {
        ByteBuffer record = Recognition.record(source, recordOffset, Layout.F);
        FileMeta file = LayoutF.fileMeta(record.duplicate());
        check(recognition.signed(), "myHash", recordOffset + LayoutF.MY_HASH, "is not the digest of the file record");
        check(
                LayoutF.hasDigits(record),
                "checksum",
                recordOffset + LayoutF.CHECKSUM,
                "is not 32 lower-case hexadecimal digits and a NUL");
        range("ckptId", LayoutF.CKPT_ID, file.ckptId(), 0, Integer.MAX_VALUE);
        if (recognition.encoded()) {
            checkEncoded(file);
            return new FtiFfFile(file, true, recordOffset, BlockRecords.NONE);
        }
        checkPlain(file);
        return new FtiFfFile(file, false, recordOffset, blocks(file));
    }

    private void checkEncoded(FileMeta file) throws FormatException {
        range("fs", LayoutF.FS, file.fs(), recordOffset, recordOffset);
        range("maxFs", LayoutF.MAX_FS, file.maxFs(), recordOffset, recordOffset);
        range("ckptSize", LayoutF.CKPT_SIZE, file.ckptSize(), LayoutF.FILE_META_LENGTH, recordOffset - Long.BYTES);
        range("ptFs", LayoutF.PT_FS, file.ptFs(), -1, -1);
    }

    private void checkPlain(FileMeta file) throws FormatException {
        long size = source.size();
        range("fs", LayoutF.FS, file.fs(), size, size);
        range("ckptSize", LayoutF.CKPT_SIZE, file.ckptSize(), size, size);
        range("dataSize", LayoutF.DATA_SIZE, file.dataSize(), 0, recordOffset);
        range("metaSize", LayoutF.META_SIZE, file.metaSize(), size - file.dataSize(), size - file.dataSize());
        if (file.maxFs() != -1) {
            range("maxFs", LayoutF.MAX_FS, file.maxFs(), size + Long.BYTES, Long.MAX_VALUE);
        }
        if (file.ptFs() != -1) {
            range("ptFs", LayoutF.PT_FS, file.ptFs(), LayoutF.FILE_META_LENGTH, Long.MAX_VALUE);
        }
    }

    private BlockRecords blocks(FileMeta file) throws IOException {
        long length = recordOffset - file.dataSize();
        if (file.dataSize() < 0 || length < 0) {
            return BlockRecords.NONE;
        }
        if (length > AREA_LIMIT) {
            range("dataSize", LayoutF.DATA_SIZE, file.dataSize(), recordOffset - AREA_LIMIT, recordOffset);
            return BlockRecords.NONE;
        }
        ByteBuffer area = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
        source.readFully(file.dataSize(), area);
        BlockRecords blocks = new BlockRecords(area.flip(), starts(area, file.dataSize()));
        checkContainers(blocks, file);
        checkVariables(blocks, file);
        return blocks;
    }

    /** Follows the block records; those that end within the area are kept. */
    private int[] starts(ByteBuffer area, long areaOffset) throws FormatException {
        int[] starts = new int[16];
        int count = 0;
        int position = 0;
        while (position < area.limit()) {
            int left = area.limit() - position - LayoutF.BLOCK_META_LENGTH;
            if (left < 0) {
                add("numvars", areaOffset + position, area.limit() - position + " bytes are left for a block record");
                break;
            }
            int numvars = area.getInt(position + LayoutF.NUMVARS);
            int least = position == 0 && left == 0 ? 0 : 1;
            int most = left / LayoutF.VARIABLE_META_LENGTH;
            if (numvars < least || numvars > most) {
                add("numvars", areaOffset + position, outside(numvars, least, most));
                break;
            }
            if (count == starts.length) {
                starts = Arrays.copyOf(starts, 2 * count);
            }
            starts[count++] = position;
            position += LayoutF.BLOCK_META_LENGTH + numvars * LayoutF.VARIABLE_META_LENGTH;
        }
        return Arrays.copyOf(starts, count);
    }

    /** Checks what each record says by itself, and that the containers lie back to back from 0 to dataSize. */
    private void checkContainers(BlockRecords blocks, FileMeta file) throws FormatException {
        long dataSize = file.dataSize();
        long end = 0;
        long lastGap = 0;
        for (int b = 0; b < blocks.size(); b++) {
            BlockMeta block = blocks.get(b);
            long blockStart = end;
            for (int v = 0; v < block.variables().size(); v++) {
                VariableMeta container = block.variables().get(v);
                int position = blocks.start(b, v);
                checkRecord(blocks, position, dataSize + position, container, dataSize - end);
                long gap = container.fptr() - end;
                if (gap != lastGap && gap != 0) {
                    // All that follow are off by the same: told once.
                    add("fptr", dataSize + position + LayoutF.FPTR, outside(container.fptr(), end, end));
                }
                lastGap = gap;
                end += Math.max(0, Math.min(container.containerSize(), dataSize - end));
            }
            long sum = end - blockStart;
            if (block.dbsize() != sum) {
                add("dbsize", dataSize + blocks.start(b) + LayoutF.DBSIZE, outside(block.dbsize(), sum, sum));
            }
        }
        if (end != dataSize) {
            add(
                    "dataSize",
                    recordOffset + LayoutF.DATA_SIZE,
                    outside(dataSize, end, end) + ", the end of the last container");
        }
    }

    /** Checks the fields that need no other container; {@code room} is left for this one in the data area. */
    private void checkRecord(BlockRecords blocks, int position, long offset, VariableMeta container, long room)
            throws FormatException {
        variableRange("id", offset + LayoutF.ID, container.id(), Integer.MAX_VALUE);
        variableRange("hascontent", offset + LayoutF.HAS_CONTENT, blocks.flag(position + LayoutF.HAS_CONTENT), 1);
        variableRange("hasCkpt", offset + LayoutF.HAS_CKPT, blocks.flag(position + LayoutF.HAS_CKPT), 1);
        variableRange("containersize", offset + LayoutF.CONTAINER_SIZE, container.containerSize(), room);
        long most = container.hasContent() ? Math.max(0, Math.min(container.containerSize(), room)) : 0;
        variableRange("chunksize", offset + LayoutF.CHUNK_SIZE, container.chunkSize(), most);
    }

    private void variableRange(String field, long offset, long value, long most) throws FormatException {
        if (value < 0 || value > most) {
            add(field, offset, outside(value, 0, most));
        }
    }

    /** Checks that the containers of each variable are numbered, follow each other and hold it without a gap. */
    private void checkVariables(BlockRecords blocks, FileMeta file) throws FormatException {
        long[] places = placesById(blocks);
        int containers = 0;
        long reserved = 0;
        long stored = 0;
        for (int i = 0; i < places.length; i++) {
            ByteBuffer bytes = blocks.record((int) places[i]);
            VariableMeta container = LayoutF.variableMeta(bytes);
            long offset = file.dataSize() + (int) places[i];
            if (i == 0 || places[i] >>> Integer.SIZE != places[i - 1] >>> Integer.SIZE) {
                containers = 0;
                reserved = 0;
                stored = 0;
            }
            if (container.containerId() != containers) {
                add(
                        "containerid",
                        offset + LayoutF.CONTAINER_ID,
                        outside(container.containerId(), containers, containers));
            }
            if (container.dptr() != reserved) {
                add("dptr", offset + LayoutF.DPTR, outside(container.dptr(), reserved, reserved));
            }
            if (container.hasContent() && stored != reserved) {
                add(
                        "hascontent",
                        offset + LayoutF.HAS_CONTENT,
                        "is 1, allowed 0: an earlier container of variable " + container.id() + " is not full");
            }
            containers++;
            reserved += container.containerSize();
            stored += container.chunkSize();
        }
    }

    /** The positions of all variable records, by id and then in file order; the id is in the upper half. */
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

    /** A field of the file record. */
    private void range(String field, int fieldOffset, long value, long least, long most) throws FormatException {
        check(value >= least && value <= most, field, recordOffset + fieldOffset, outside(value, least, most));
    }

    private void check(boolean right, String field, long offset, String problem) throws FormatException {
        if (!right) {
            add(field, offset, problem);
        }
    }

    private void add(String field, long offset, String problem) throws FormatException {
        problems.add(new Finding(field, offset, problem));
    }

    private static String outside(long value, long least, long most) {
        String allowed = least == most ? String.valueOf(least) : least > most ? "none" : least + " to " + most;
        return "is " + value + ", allowed " + allowed;
    }
}
