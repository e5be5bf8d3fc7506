package io.drumlin.cli.tools;

import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.format.sion.Header;
import io.drumlin.sion.KeyValueReader;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionReader;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The numbers that siondump gives for a set of files. */
final class SionSummary {

    /** An existing chunk of 0 bytes counts as full. */
    private static final String FULL = "full chunks";

    private static final String PARTLY = "partly filled chunks";

    /** Includes chunks of blocks that a task has not reached. */
    private static final String EMPTY = "empty chunks";

    private final SionInput set;
    private final Header header;

    /** Sums over all tasks, in the order in which they are shown. */
    private final Map<String, Long> sums = new LinkedHashMap<>();

    private int blocks = 1;

    SionSummary(SionInput set) throws IOException {
        this.set = set;
        this.header = set.header();
        sums.put("size of chunks", 0L);
        sums.put("datasize", 0L);
        for (String kind : new String[] {FULL, PARTLY, EMPTY}) {
            sums.put("size of " + kind, 0L);
            sums.put("number of " + kind, 0L);
        }
        for (int task : set.tasks()) {
            blocks = Math.max(blocks, set.reader(task).blocks());
        }
        for (int task : set.tasks()) {
            add(task);
        }
        sums.put("overhead", sum("size of chunks") - sum("datasize"));
    }

    long sum(String name) {
        return sums.getOrDefault(name, 0L);
    }

    private void add(int task) throws IOException {
        SionReader reader = set.reader(task);
        long chunk = set.chunkSize(task);
        int unit = header.fsBlockSize();
        sums.merge("size of chunks", chunk * reader.blocks(), Long::sum);
        sums.merge("datasize", reader.size(), Long::sum);
        for (int block = 0; block < blocks; block++) {
            boolean reached = block < reader.blocks();
            long size = reached ? reader.blockSize(block) : 0;
            String kind = reached && size == chunk ? FULL : size > 0 ? PARTLY : EMPTY;
            sums.merge("size of " + kind, kind.equals(EMPTY) ? chunk : size, Long::sum);
            sums.merge("number of " + kind, 1L, Long::sum);
            sums.merge("used fs blocks", (size + unit - 1) / unit, Long::sum);
            sums.merge("full fs blocks", size / unit, Long::sum);
        }
    }

    /** Returns the largest number of blocks of a task. */
    int blocks() {
        return blocks;
    }

    private double usage() {
        long chunks = sum("size of chunks");
        return chunks == 0 ? 0 : 100.0 * sum("datasize") / chunks;
    }

    void write(JsonGenerator json) throws IOException {
        json.writeNumberField("ntasks", set.taskCount());
        json.writeNumberField("nfiles", header.files());
        json.writeNumberField("fsblksize", header.fsBlockSize());
        json.writeBooleanField("keyval", header.keyValue());
        json.writeNumberField("blocks", blocks);
        for (Map.Entry<String, Long> sum : sums.entrySet()) {
            json.writeNumberField(sum.getKey().replace(' ', '_'), sum.getValue());
        }
        json.writeNumberField("usage_percent", usage());
        json.writeArrayFieldStart("tasks");
        for (int task : set.tasks()) {
            SionReader reader = set.reader(task);
            json.writeStartObject();
            json.writeNumberField("task", task);
            json.writeNumberField("globalrank", set.globalRank(task));
            json.writeStringField("file", String.valueOf(set.path(task).getFileName()));
            json.writeNumberField("chunksize", set.chunkSize(task));
            json.writeNumberField("bytes", reader.size());
            json.writeArrayFieldStart("blocksizes");
            for (int block = 0; block < reader.blocks(); block++) {
                json.writeNumber(reader.blockSize(block));
            }
            json.writeEndArray();
            if (header.keyValue()) {
                writeKeys(json, task);
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void writeKeys(JsonGenerator json, int task) throws IOException {
        KeyValueReader reader = set.keyValueReader(task);
        json.writeArrayFieldStart("keys");
        for (long key : reader.keys()) {
            KeyValueReader.Statistics found = reader.statistics(key).orElseThrow();
            json.writeStartObject();
            json.writeStringField("key", Long.toUnsignedString(key));
            json.writeNumberField("records", found.records());
            json.writeNumberField("bytes", found.size());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
