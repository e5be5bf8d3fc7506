package io.drumlin.format.fti;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a metadata file in one pass. What it keeps grows with the definitions that it meets, never with a number in the file.
 * Not thread-safe.
 */
final class GroupMetadataReader {

    private final IniScanner scanner;
    private final Definition definition;
    private final Map<Integer, FileFields> files = new HashMap<>();

    private @Nullable CkptType type;
    private @Nullable Integer ckptId;
    private boolean blocksDigested;
    private long infoOffset;

    GroupMetadataReader(ByteSource source) {
        scanner = new IniScanner(source, GroupMetadata.FORMAT);
        definition = new Definition(scanner);
    }

    GroupMetadata read() throws IOException {
        FileFields file = null;
        while (scanner.next()) {
            String key = scanner.key();
            if (key == null) {
                file = beginSection();
            } else if (file != null) {
                file.define(key, definition);
            } else if (scanner.section().equals(GroupMetadata.INFO)) {
                defineInfo(key);
            }
        }
        CkptType readType = Definition.needed(type, GroupMetadata.INFO, GroupMetadata.TYPE, infoOffset);
        int readId = Definition.needed(ckptId, GroupMetadata.INFO, GroupMetadata.CKPT_ID, infoOffset);
        List<FileEntry> entries = new ArrayList<>();
        for (int i = 0; i < Math.max(files.size(), 1); i++) {
            String section = Integer.toString(i);
            entries.add(Definition.needed(files.get(i), section, "ckpt_file_name", 0)
                    .entry(readType));
        }
        return new GroupMetadata(readType, readId, entries, blocksDigested);
    }

    /** What gathers the definitions of the section that begins; null if it is not that of a member. */
    private @Nullable FileFields beginSection() {
        String section = scanner.section();
        if (section.equals(GroupMetadata.INFO)) {
            infoOffset = scanner.offset();
        }
        if (NumberedFields.numberEnd(section, 0) != section.length()) {
            return null;
        }
        return files.computeIfAbsent(Integer.valueOf(section), groupRank -> new FileFields(section, scanner.offset()));
    }

    private void defineInfo(String key) throws IOException {
        if (key.equals(GroupMetadata.TYPE)) {
            type = definition.ckptType();
        } else if (key.equals(GroupMetadata.CKPT_ID)) {
            ckptId = definition.integer(Integer.MIN_VALUE);
        } else if (key.equals(GroupMetadata.BLOCKS_DIGESTED)) {
            blocksDigested = definition.number(0, 1) == 1;
        }
    }
}
