package io.drumlin.cli.convert;

import io.drumlin.DrumlinException;
import io.drumlin.cli.base.ReplacedFile;
import io.drumlin.cli.file.FileSource;
import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.FtiFfFile.ChecksumRule;
import io.drumlin.format.ftiff.FtiFfVerifier;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.PlacedFile;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.format.ftiff.VariableMeta;
import io.drumlin.format.internal.FindingSink;
import io.drumlin.integrity.LaneDigester;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Converts a plain FTI-FF file to another layout; docs/formats/fti-ff.md, section 10. Containers, chunks and hashes do
 * not change; they move to their positions in the new layout. One instance makes one file.
 */
final class FtiFfConversion {

    private static final int BUFFER = 1 << 20;

    private final FtiFfFile file;
    private final Layout target;
    private final int ckptId;
    private final PlacedFile placed;

    /**
     * Prepares a conversion of a verified file.
     *
     * @param ckptId the checkpoint's id; used only if the layout stores it
     */
    FtiFfConversion(FtiFfFile file, Layout target, int ckptId) {
        this.file = file;
        this.target = target;
        this.ckptId = ckptId;
        this.placed = PlacedFile.of(target, file.blocks());
    }

    /** Returns whether the layout needs an id that the file does not have. */
    static boolean needsId(FtiFfFile file, Layout target) {
        return target.atEnd() && !file.layout().atEnd();
    }

    /**
     * Returns the differences between the old and the new file: fields that one has and the other lacks; one line each.
     */
    List<String> differences() {
        FileMeta meta = file.meta();
        List<String> lines = new ArrayList<>();
        if (needsId(file, target)) {
            lines.add("new: ckptId " + ckptId + ", which layout " + file.layout() + " does not hold");
        } else if (!target.atEnd() && file.layout().atEnd()) {
            lines.add("lost: ckptId " + ckptId + ", which layout " + target
                    + " does not hold; keep it in the file's name");
        }
        if (meta.ptFs() != -1 || meta.maxFs() != -1) {
            lines.add("lost: " + (meta.ptFs() != -1 ? "ptFs " + meta.ptFs() : "maxFs " + meta.maxFs())
                    + "; partner copies and encoded files of the old layout do not belong to the new file, use"
                    + " it at level 1 or 4");
        }
        if (hasIdx(file.layout()) && !hasIdx(target)) {
            lines.add("lost: idx, the order of first protection; containers keep their order");
        } else if (hasIdx(target) && !hasIdx(file.layout())) {
            lines.add("new: idx, the order of the first containers");
        }
        if (target == Layout.A && file.containers().anyMatch(VariableMeta::hasCkpt)) {
            lines.add("lost: hasCkpt, which no reader looks at");
        } else if (file.layout() == Layout.A && target != Layout.A) {
            lines.add("new: hasCkpt 0");
        }
        if (target.timestampIsCut() && !file.layout().timestampIsCut()) {
            lines.add("lost: the high 32 bits of the timestamp " + meta.timestamp());
        } else if (file.layout().timestampIsCut() && !target.timestampIsCut()) {
            lines.add("new: the high 32 bits of the timestamp are 0, the file holds the low ones only");
        }
        if (file.checksumRule() == ChecksumRule.ALL) {
            lines.add(
                    "new: a checksum without emptied containers, which C FTI accepts; it refuses that of the old file");
        }
        return lines;
    }

    private static boolean hasIdx(Layout layout) {
        return layout.compareTo(Layout.C) <= 0;
    }

    /** Writes the new file. Reserved, unused space becomes a hole, whatever it contained. */
    void write(ByteSource source, ReplacedFile out) throws IOException {
        out.write(placed.size() - 1, ByteBuffer.allocate(1));
        copyChunks(source, out);
        for (Piece piece : placed.records()) {
            out.write(piece.offset(), piece.bytes());
        }
        try (FileSource written = FileSource.open(out.place())) {
            FileMeta meta =
                    placed.seal(placed.checksum(written), ckptId, file.meta().timestamp(), -1, -1);
            Piece record = placed.fileRecord(meta);
            out.write(record.offset(), record.bytes());
        }
    }

    private void copyChunks(ByteSource source, ReplacedFile out) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        Iterator<VariableMeta> targets = containers().iterator();
        for (Iterator<VariableMeta> each = file.containers().iterator(); each.hasNext(); ) {
            VariableMeta from = each.next();
            long shift = targets.next().fptr() - from.fptr();
            long end = from.fptr() + from.chunkSize();
            for (long position = from.fptr(); position < end; position += buffer.limit()) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), end - position));
                source.readFully(position, buffer);
                out.write(position + shift, buffer.flip());
            }
        }
    }

    private Stream<VariableMeta> containers() {
        return placed.blocks().stream().flatMap(block -> block.variables().stream());
    }

    /**
     * Reads the new file and compares.
     *
     * @throws IOException it cannot be read, or differs from the intended content
     */
    void check(ByteSource written) throws IOException {
        FtiFfFile read = FtiFfFile.read(written);
        new FtiFfVerifier(written, read, new LaneDigester()).verify(FindingSink.strict(FtiFfFile.FORMAT));
        List<String> expected = file.containers().map(FtiFfConversion::content).toList();
        List<String> found = read.containers().map(FtiFfConversion::content).toList();
        if (read.layout() != target || !found.equals(expected)) {
            throw DrumlinException.during("reading back")
                    .problem("the new file does not hold what the old one does")
                    .advice("the storage or this program is at fault; the new file was not kept")
                    .exception();
        }
    }

    /** Returns the part of a container that must not change. A hash represents its bytes. */
    private static String content(VariableMeta container) {
        return container.id() + "." + container.containerId() + " " + container.dptr() + " " + container.containerSize()
                + (container.hasContent() ? " " + container.chunkSize() + " " + container.hash() : "");
    }
}
