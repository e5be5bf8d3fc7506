package io.drumlin.checkpoint;

import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** {@code Checkpoint.fti}, the list of a run's checkpoints (docs/formats/fti-run-directory.md, section 1). */
final class CheckpointList {

    /** What C's {@code strftime} gives for {@code "%A %x - %H:%M:%S"} in the C locale. */
    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("EEEE MM/dd/yy - HH:mm:ss", Locale.ROOT);

    private static final int IO_MODE_OFFSET = 1000;

    private final Path file;
    private final StorageEngine storage;

    CheckpointList(Path file, StorageEngine storage) {
        this.file = file;
        this.storage = storage;
    }

    /**
     * Adds a checkpoint at the end; one with the same id is updated in its place, as C FTI does.
     *
     * @param ranks application ranks
     * @param ioMode {@code ckpt_io} of the configuration
     */
    void add(int ckptId, Level level, int ranks, int ioMode) throws IOException {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        if (Files.exists(file)) {
            IniFile old = IniFile.parse(TextFiles.read(file), file.toString());
            old.sections().forEach(section -> sections.put(section, old.section(section)));
        }
        Map<String, String> values = new LinkedHashMap<>();
        values.put("timestamp", ZonedDateTime.now(ZoneId.systemDefault()).format(TIMESTAMP));
        values.put("level", Integer.toString(level.number()));
        values.put("nb_procs", Integer.toString(ranks));
        values.put("io_mode", Integer.toString(IO_MODE_OFFSET + ioMode));
        values.put("is_dcp", "false");
        sections.put("checkpoint_id." + ckptId, values);
        TextFiles.replace(file, IniFile.dump(sections), storage);
    }
}
