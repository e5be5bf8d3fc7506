package io.drumlin.cli.tools;

import io.drumlin.format.sion.Header;
import io.drumlin.format.sion.KeyValueRecord;
import io.drumlin.format.sion.internal.FileNames;
import io.drumlin.format.sion.internal.TaskMapping;
import io.drumlin.internal.Printable;
import io.drumlin.sion.KeyValueReader;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Optional;

/** Prints the output of C siondump for a set of files, to the letter, so that scripts for one can read the other. */
final class SionDump {

    private static final double MEGA = 1 << 20;

    /** Number of blocks, pairs of the mapping, and records that are shown side by side. */
    private static final int BLOCKS_IN_ROW = 10;

    private static final int PAIRS_IN_ROW = 16;
    private static final int RECORDS_IN_ROW = 5;

    /** Largest number of names that are listed if no mapping tells how many files have tasks. */
    private static final int MOST_UNKNOWN_FILES = 10_000;

    private static final String LONG_RULE = "-".repeat(155);
    private static final String SHORT_RULE = "-".repeat(60);

    private final SionInput set;
    private final Header header;
    private final SionSummary summary;

    /** The locations of the tasks; empty in a file without a mapping. */
    private final Optional<TaskMapping> mapping;

    private final PrintWriter out;

    SionDump(SionInput set, SionSummary summary, Optional<TaskMapping> mapping, PrintWriter out) {
        this.set = set;
        this.header = set.header();
        this.summary = summary;
        this.mapping = mapping.filter(pairs -> pairs.tasks() > 0);
        this.out = out;
    }

    /** Rounds like printf in C: exactly half is rounded to the even digit. */
    private static BigDecimal rounded(double value, int digits) {
        return new BigDecimal(value).setScale(digits, RoundingMode.HALF_EVEN);
    }

    /** Returns a number for {@code %f}. A negative one that is rounded to zero keeps its sign, as in C. */
    private static Number mega(long bytes) {
        BigDecimal rounded = rounded(bytes / MEGA, 2);
        if (bytes < 0 && rounded.signum() == 0) {
            return -0.0;
        }
        return rounded;
    }

    private void printf(String format, Object... values) {
        out.printf(Locale.ROOT, format, values);
    }

    void printHeader(String name) {
        boolean several = header.files() > 1;
        printf("siondump: sid:                       %d%n", several ? 1 : 0);
        printf("siondump: filename:                  %-30s%n", name);
        printf("siondump: prefix:                    %-30s%n", Printable.text(header.prefix()));
        printf("siondump: number of tasks:           %d%n", set.taskCount());
        printf(
                "siondump: current endianness:        %s%n",
                ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? "big" : "little");
        printf("siondump: file endianness:           %s%n", header.bigEndianPayload() ? "big" : "little");
        int unit = header.fsBlockSize();
        printf("siondump: filesystem blocksize:      %d bytes (%6.2f MB)%n", unit, mega(unit));
        printf("siondump: file set:                  %s%n", several ? "Yes" : "No");
        printf("siondump: file number:               %d%n", header.fileNumber());
        printf("siondump: number of files:           %d%n", header.files());
        printf(
                "siondump: flag1:                     %d (%d+%d)%n",
                header.flag1(), header.flag1() >> Integer.SIZE, header.flag1() & 0xFFFF_FFFFL);
        printf("siondump: flag2:                     %d%n", header.flag2());
        printf(
                "siondump: keyval:                    %s%n",
                header.keyValue() ? "51 (SION_KEYVAL_INLINE)" : "50 (SION_KEYVAL_NONE)");
        printf("siondump: file format version:       %d%n", header.formatVersion());
        printf(
                "siondump: file SIONlib version:      %d.%dp%d (current %d.%dp%d)%n",
                header.version() / 1000,
                header.version() % 1000,
                header.patchLevel(),
                Header.VERSION / 1000,
                Header.VERSION % 1000,
                Header.PATCH_LEVEL);
        printf("siondump: number of blocks:           %d%n", summary.blocks());
    }

    void printSums() {
        long chunks = summary.sum("size of chunks");
        long data = summary.sum("datasize");
        long unit = header.fsBlockSize();
        long used = summary.sum("used fs blocks");
        long full = summary.sum("full fs blocks");
        sum("size of chunks:", chunks, "%n");
        sum("datasize in file (aggr.):", data, "%n");
        for (String kind : new String[] {"full chunks", "partly filled chunks", "empty chunks"}) {
            sum("size of " + kind + ":", summary.sum("size of " + kind), " # %6d%n", summary.sum("number of " + kind));
        }
        sum("overhead compared to task-local file:", chunks - data, "%n");
        percentage("file usage (user data/chunk size):", data, chunks);
        printf(
                "siondump: %-38s %12d bytes  (%8.2f MB, %d blocks)%n",
                "fsblocks, size of used blocks:", used * unit, mega(used * unit), used);
        printf(
                "siondump: %-38s %12d bytes  (%8.2f MB, %d blocks)%n",
                "fsblocks, size of fully used blocks:", full * unit, mega(full * unit), full);
        long part = (used - full) * unit;
        long inPart = data - full * unit;
        printf(
                "siondump: %-38s %12d bytes of %12d bytes (%6.2f MB of %6.2f MB, %d blocks)%n",
                "fsblocks, size of partly used blocks:", inPart, part, mega(inPart), mega(part), used - full);
        percentage("fsblocks, used fsblocks/chunk size:", used * unit, chunks);
        percentage("fsblocks, user data/used blocks:   ", data, used * unit);
    }

    private void sum(String name, long bytes, String rest, Object... values) {
        printf("siondump: %-38s %12d bytes  (%8.2f MB)", name, bytes, mega(bytes));
        printf(rest, values);
    }

    private void percentage(String name, long part, long whole) {
        if (whole > 0) {
            printf("siondump: %s   %14.6f%%%n", name, rounded((double) part / whole * 100, 6));
        }
    }

    /**
     * Prints every task with its blocks.
     *
     * @param inBytes whether sizes are in bytes, not in MB
     */
    void printBlocks(boolean inBytes) throws IOException {
        out.println();
        out.println(LONG_RULE);
        for (int first = 0; first < summary.blocks(); first += BLOCKS_IN_ROW) {
            int end = Math.min(first + BLOCKS_IN_ROW, summary.blocks());
            printf("%70s", "");
            for (int block = first; block < end; block++) {
                printf("BLK%03d    ", block);
            }
            out.println();
            for (int task : set.tasks()) {
                printRow(task, first, end, inBytes);
            }
            out.println();
        }
        out.println(LONG_RULE);
    }

    private void printRow(int task, int first, int end, boolean inBytes) throws IOException {
        SionReader reader = set.reader(task);
        long chunk = set.chunkSize(task);
        printf(
                inBytes
                        ? "Task %02d: size=%10d B glblrnk=%4d #blks=%2d lsz=%10d B: "
                        : "Task %02d: size=%8.2f MB glblrnk=%4d #blks=%2d lsz=%8.2f MB:  ",
                task,
                inBytes ? reader.size() : mega(reader.size()),
                set.globalRank(task),
                reader.blocks(),
                inBytes ? chunk : mega(chunk));
        // The value that C SIONlib has in memory if a task has no block.
        long none = mapping.isPresent() ? -1 : 0;
        for (int block = first; block < end; block++) {
            long size = block < reader.blocks() ? reader.blockSize(block) : none;
            if (inBytes) {
                printf("%9d ", size);
            } else {
                printf(" %6.2f MB ", mega(size));
            }
        }
        out.println();
    }

    /** Prints the number of records of each key of each task. */
    void printKeys() throws IOException {
        out.println(LONG_RULE);
        for (int task : set.tasks()) {
            KeyValueReader reader = set.keyValueReader(task);
            int index = 0;
            for (long key : reader.keys()) {
                KeyValueReader.Statistics found = reader.statistics(key).orElseThrow();
                printf(
                        "Task %02d: key[%02d]=%8d: #blocks=%6d totalsize=%10d%n",
                        task, index++, key, found.records(), found.size());
            }
        }
        out.println(LONG_RULE);
    }

    /** Prints the records of each task in the order of writing. */
    void printRecords() throws IOException {
        out.println(LONG_RULE);
        for (int task : set.tasks()) {
            KeyValueReader reader = set.keyValueReader(task);
            printf("Task %02d:", task);
            int index = 0;
            for (Optional<KeyValueRecord> next = reader.next(); next.isPresent(); next = reader.next()) {
                if (index > 0 && index % RECORDS_IN_ROW == 0) {
                    printf("%n       :");
                }
                printf(
                        " [%02d:k=<%d>,size=%d]",
                        index++, next.get().key(), next.get().length());
            }
            out.println();
        }
        out.println(LONG_RULE);
    }

    /**
     * Prints the files of a set; prints nothing for a single file.
     *
     * @param byTask whether to show the location of each task
     * @param byFile whether to show the tasks of each file
     */
    void printFiles(boolean byTask, boolean byFile) {
        if (header.files() == 1) {
            return;
        }
        out.println(SHORT_RULE);
        printf("siondump: number of files:           %d%n", header.files());
        int most = mostFiles();
        for (int file = 0; file < most; file++) {
            printf(
                    "siondump: file %3d:                    %s %n",
                    file + 1, FileNames.member(Printable.text(header.prefix()), file));
        }
        if (most < header.files()) {
            printf("siondump: and %d more files%n", header.files() - most);
        }
        out.println(SHORT_RULE);
        if (byTask) {
            mapping.ifPresent(this::printByTask);
        }
        if (byFile) {
            mapping.ifPresent(this::printByFile);
        }
    }

    /**
     * Bounds the number of files, because a damaged number must not determine a count. Every file of a set has tasks,
     * and the mapping locates them.
     */
    private int mostFiles() {
        return Math.min(header.files(), mapping.map(TaskMapping::tasks).orElse(MOST_UNKNOWN_FILES));
    }

    private void printByTask(TaskMapping pairs) {
        printf("  mapping: ");
        for (int task = 0; task < pairs.tasks(); task++) {
            printf("[%05d -> (f%03d,t%03d)] ", task, pairs.fileNumber(task), pairs.localRank(task));
            if (task % PAIRS_IN_ROW == PAIRS_IN_ROW - 1) {
                printf("%n        ");
            }
        }
        out.println();
        out.println(SHORT_RULE);
    }

    private void printByFile(TaskMapping pairs) {
        int most = mostFiles();
        for (int file = 0; file < most; file++) {
            printf("  file[%03d]: ", file);
            for (int task = 0; task < pairs.tasks(); task++) {
                if (pairs.fileNumber(task) == file) {
                    printf("%2d:%05d ", pairs.localRank(task), task);
                }
            }
            out.println();
        }
        out.println(SHORT_RULE);
    }
}
