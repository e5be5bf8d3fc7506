package io.drumlin.checkpoint.internal.branch;

import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a branch has begun with; in the file {@code drumlin-branch} of its directory of metadata
 * (docs/formats/fti-run-directory.md, section 14).
 *
 * @param parent the run from which it branches off
 * @param ckptId the checkpoint of that run
 * @param level its level
 * @param asked how the checkpoint was chosen: its id, or the time before which it was the latest
 * @param parts the number of the directories on the nodes with the checkpoint's files, see {@link NodePart}; empty if
 *     there are none
 */
public record BranchRecord(String parent, int ckptId, int level, String asked, String parts) {

    private static final String FILE = "drumlin-branch";
    private static final String SECTION = "branch";
    private static final String PARTS = "parts";

    static Path file(Path meta) {
        return meta.resolve(FILE);
    }

    /**
     * Reads the record of a run.
     *
     * @param meta its directory of metadata
     * @return empty if the run is no branch
     */
    public static Optional<BranchRecord> read(Path meta) throws IOException {
        Path file = file(meta);
        if (!PathStatus.exists(file)) {
            return Optional.empty();
        }
        IniFile ini = IniFile.parse(TextFiles.read(file), file.toString());
        return Optional.of(new BranchRecord(
                ini.get(SECTION, "parent").orElse(""),
                number(ini, "checkpoint"),
                number(ini, "level"),
                ini.get(SECTION, "asked").orElse(""),
                ini.get(SECTION, PARTS).filter(NodePart::isNumber).orElse("")));
    }

    private static int number(IniFile ini, String key) {
        return ini.get(SECTION, key)
                .filter(text -> text.matches("\\d{1,9}"))
                .map(Integer::valueOf)
                .orElse(-1);
    }

    /** Returns whether a branch begins with the same checkpoint, chosen in the same way. */
    boolean isOfSameChoice(BranchRecord other) {
        return other.withParts(parts).equals(this);
    }

    BranchRecord withParts(String number) {
        return new BranchRecord(parent, ckptId, level, asked, number);
    }

    String text() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("parent", parent);
        values.put("checkpoint", Integer.toString(ckptId));
        values.put("level", Integer.toString(level));
        values.put("asked", asked);
        if (!parts.isEmpty()) {
            values.put(PARTS, parts);
        }
        return IniFile.dump(Map.of(SECTION, values));
    }
}
