package io.drumlin.cli.fti;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.file.FileRange;
import io.drumlin.format.ftiff.BlockMeta;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.VariableMeta;
import java.util.ArrayList;
import java.util.List;

/** The ranges of an FTI-FF file, for a picture; docs/formats/fti-ff.md, section 3. */
final class FtiFfRanges {

    /**
     * With more containers, a picture shows nothing, and a file can have millions. Then blocks are drawn as a whole.
     */
    private static final int MOST_CONTAINERS = 10_000;

    private final FtiFfFile file;
    private final Layout layout;
    private final boolean folded;

    FtiFfRanges(FtiFfFile file) {
        this.file = file;
        this.layout = file.layout();
        long containers = file.blocks().stream()
                .mapToLong(block -> block.variables().size())
                .sum();
        folded = containers > MOST_CONTAINERS;
    }

    /**
     * Returns the parts of the file.
     *
     * @throws CommandException there are too many blocks to draw
     */
    List<FileRange> ranges() {
        if (file.blocks().size() > MOST_CONTAINERS) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED, file.blocks().size() + " blocks are too many for a picture");
        }
        List<FileRange> ranges = new ArrayList<>();
        if (file.encoded()) {
            ranges.add(FileRange.data("encoded bytes", "", 0, file.recordOffset())
                    .with("plain file", file.meta().ckptSize())
                    .of("Reed-Solomon code"));
            ranges.add(fileRecord());
        } else if (layout.atEnd()) {
            forEachBlock(block -> ranges.add(containers(block)));
            ranges.add(metadata());
        } else {
            ranges.add(fileRecord());
            forEachBlock(block -> ranges.add(recordsAndContainers(block)));
        }
        return ranges;
    }

    private interface EachBlock {
        void accept(int block);
    }

    private void forEachBlock(EachBlock each) {
        for (int block = 0; block < file.blocks().size(); block++) {
            each.accept(block);
        }
    }

    private FileRange containers(int block) {
        List<VariableMeta> containers = file.blocks().get(block).variables();
        long start = containers.isEmpty() ? 0 : containers.get(0).fptr();
        return block(block, start).with(containersOf(block));
    }

    private FileRange recordsAndContainers(int block) {
        List<FileRange> parts = new ArrayList<>();
        parts.add(records(block));
        parts.addAll(containersOf(block));
        return block(block, blockOffset(block)).with(parts);
    }

    private List<FileRange> containersOf(int block) {
        return drawn(block).stream().map(FtiFfRanges::container).toList();
    }

    private List<VariableMeta> drawn(int block) {
        return folded ? List.of() : file.blocks().get(block).variables();
    }

    private FileRange block(int block, long start) {
        BlockMeta meta = file.blocks().get(block);
        return FileRange.data("block", String.valueOf(block), start, meta.dbsize())
                .with("numvars", meta.variables().size())
                .with("dbsize", meta.dbsize());
    }

    private static FileRange container(VariableMeta container) {
        String label = label(container);
        FileRange content = container.hasContent()
                ? FileRange.data("chunk", label, container.fptr(), container.chunkSize())
                        .with("hash", container.hash())
                : FileRange.unused("empty", container.fptr(), container.containerSize());
        return FileRange.data("container", label, container.fptr(), container.containerSize())
                .with("id", container.id())
                .with("containerid", container.containerId())
                .with("hascontent", container.hasContent())
                .with("dptr", container.dptr())
                .with("chunksize", container.chunkSize())
                .with("containersize", container.containerSize())
                .with(List.of(content))
                .of(owner(container));
    }

    private static String label(VariableMeta container) {
        return container.id() + "." + container.containerId();
    }

    private static String owner(VariableMeta container) {
        return "variable " + container.id();
    }

    private FileRange metadata() {
        List<FileRange> parts = new ArrayList<>();
        forEachBlock(block -> parts.add(records(block)));
        parts.add(fileRecord());
        long start = Math.max(0, file.meta().dataSize());
        return FileRange.metadata("metadata", "", start, file.recordOffset() + layout.fileMetaLength() - start)
                .with(parts);
    }

    private FileRange records(int block) {
        List<VariableMeta> variables = file.blocks().get(block).variables();
        List<FileRange> parts = new ArrayList<>();
        long length = variables.isEmpty() ? 0 : layout.recordsLength(1) - layout.recordsLength(0);
        parts.add(FileRange.metadata("block record", String.valueOf(block), blockOffset(block), layout.recordsLength(0))
                .with("numvars", variables.size())
                .with("dbsize", file.blocks().get(block).dbsize()));
        for (int v = 0; v < drawn(block).size(); v++) {
            VariableMeta container = variables.get(v);
            parts.add(FileRange.metadata("variable record", label(container), file.variableOffset(block, v), length)
                    .with("fptr", container.fptr())
                    .with("hash", container.hash())
                    .of(owner(container)));
        }
        return FileRange.metadata(
                        "records", String.valueOf(block), blockOffset(block), layout.recordsLength(variables.size()))
                .with(parts);
    }

    private long blockOffset(int block) {
        return file.variableOffset(block, 0) - layout.recordsLength(0);
    }

    private FileRange fileRecord() {
        FileMeta meta = file.meta();
        FileRange record = FileRange.metadata("file record", "", file.recordOffset(), layout.fileMetaLength());
        if (layout.atEnd()) {
            record = record.with("ckptId", meta.ckptId());
        }
        record = record.with("ckptSize", meta.ckptSize());
        if (layout.atEnd()) {
            record = record.with("metaSize", meta.metaSize()).with("dataSize", meta.dataSize());
        }
        return record.with("fs", meta.fs())
                .with("maxFs", meta.maxFs())
                .with("ptFs", meta.ptFs())
                .with("timestamp", meta.timestamp())
                .with("checksum", meta.checksum())
                .with("myHash", meta.myHash());
    }
}
