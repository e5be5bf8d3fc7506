package io.drumlin.format.fti;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads a metadata file in one pass. Its memory grows with the definitions that it finds, never with a number in the
 * file. Not thread-safe.
 */
final class GroupMetadataReader {

    private static final Set<String> ORIGIN =
            Set.of(GroupMetadata.IO_MODE, GroupMetadata.RANKS, GroupMetadata.SECTOR, GroupMetadata.GROUP);

    private static final Pattern ID_IN_NAME = Pattern.compile("Ckpt(\\d{1,9})-Rank\\d+\\.\\w+");

    private final Seal.Input source;
    private final IniScanner scanner;
    private final Definition definition;
    private final Map<Integer, FileFields> files = new HashMap<>();

    private @Nullable CkptType type;
    private @Nullable Integer ckptId;
    private long blocksDigested;
    private final Map<String, Long> origin = new HashMap<>();
    private boolean sealed;
    private long sealOffset;
    private long infoOffset;
    private boolean hasInfo;

    GroupMetadataReader(ByteSource file) {
        source = new Seal.Input(file);
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
        // A file has the keys of one release, else it is damaged.
        Release newest = files.values().stream()
                .map(FileFields::release)
                .max(Comparator.naturalOrder())
                .orElse(Release.V1_0);
        boolean isOldest = newest == Release.V1_0 && !hasInfo && !files.isEmpty();
        Release release = newest == Release.V1_0 && !isOldest ? Release.V1_5 : newest;
        CkptType readType =
                isOldest ? CkptType.FULL : Definition.needed(type, GroupMetadata.INFO, GroupMetadata.TYPE, infoOffset);
        List<FileEntry> entries = new ArrayList<>();
        for (int i = 0; i < Math.max(files.size(), 1); i++) {
            String section = Integer.toString(i);
            entries.add(Definition.needed(files.get(i), section, "ckpt_file_name", 0)
                    .entry(readType, release));
            requireKindOfDigest(section, entries.get(i));
        }
        if (isOldest) {
            ckptId = idInNames(entries);
        }
        int readId = Definition.needed(ckptId, GroupMetadata.INFO, GroupMetadata.CKPT_ID, infoOffset);
        return new GroupMetadata(readType, readId, entries, blocksDigested > 0, readOrigin(), release);
    }

    /** Returns the id of the checkpoint in the names of all its files; null if they do not agree on one. */
    private static @Nullable Integer idInNames(List<FileEntry> entries) {
        Set<String> ids = entries.stream()
                .map(entry -> ID_IN_NAME.matcher(entry.name()).replaceFirst("$1"))
                .collect(Collectors.toSet());
        String id = ids.iterator().next();
        return ids.size() == 1 && id.matches("\\d{1,9}") ? Integer.valueOf(id) : null;
    }

    private void requireKindOfDigest(String section, FileEntry file) throws FormatException {
        if (file.isOnlyStriped() != (blocksDigested == GroupMetadata.STRIPED)) {
            throw Definition.wrong(
                    section,
                    FileEntry.STRIPED_CHECKSUM,
                    0,
                    (file.isOnlyStriped() ? "is there alone, and " : "is missing or not alone, and ")
                            + GroupMetadata.BLOCKS_DIGESTED + " is " + blocksDigested);
        }
    }

    /** Reads the keys that only Drumlin writes. All of them must be there, or none. */
    private Optional<Origin> readOrigin() throws FormatException {
        if (origin.isEmpty() && !sealed) {
            return Optional.empty();
        }
        if (!source.isWhole()) {
            throw Definition.wrong(
                    Seal.SECTION,
                    "seal",
                    sealOffset,
                    "is missing, or not that of the file: something in it was changed");
        }
        return Optional.of(new Origin(
                neededInfo(GroupMetadata.TIME),
                (int) neededInfo(GroupMetadata.IO_MODE),
                (int) neededInfo(GroupMetadata.RANKS),
                (int) neededInfo(GroupMetadata.SECTOR),
                (int) neededInfo(GroupMetadata.GROUP)));
    }

    private long neededInfo(String key) throws FormatException {
        return Definition.needed(origin.get(key), GroupMetadata.INFO, key, infoOffset);
    }

    /** Returns the collector for the section that begins; null if the section is not that of a member. */
    private @Nullable FileFields beginSection() {
        String section = scanner.section();
        if (section.equals(GroupMetadata.INFO)) {
            infoOffset = scanner.offset();
            hasInfo = true;
        }
        if (section.equals(Seal.SECTION)) {
            sealed = true;
            sealOffset = scanner.offset();
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
            blocksDigested = definition.number(0, GroupMetadata.STRIPED);
        } else if (key.equals(GroupMetadata.TIME)) {
            origin.put(key, definition.size());
        } else if (ORIGIN.contains(key)) {
            origin.put(key, (long) definition.integer(0));
        }
    }
}
