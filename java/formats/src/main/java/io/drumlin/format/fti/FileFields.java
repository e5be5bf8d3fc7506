package io.drumlin.format.fti;

import io.drumlin.format.FormatException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the definitions in the section of one member of a group. Not thread-safe. */
final class FileFields {

    private final String section;
    private final long offset;
    private final NumberedFields<VariableFields> variables = new NumberedFields<>("var", VariableFields::new);
    private final NumberedFields<LayerFields> layers = new NumberedFields<>("dcp_layer", LayerFields::new);

    private @Nullable String name;
    private @Nullable Long size;
    private @Nullable Long maxSize;
    private @Nullable String checksum;
    private @Nullable String rsedChecksum;
    private @Nullable String ownChecksum;
    private @Nullable String stripedChecksum;
    private int rank = -1;

    /**
     * Makes an empty collection.
     *
     * @param section name of the section
     * @param offset offset of the section
     */
    FileFields(String section, long offset) {
        this.section = section;
        this.offset = offset;
    }

    void define(String key, Definition definition) throws FormatException {
        int end = variables.numberEnd(key);
        if (end > 0) {
            variables.at(key, end).define(key.substring(end), definition);
            return;
        }
        end = layers.numberEnd(key);
        if (end > 0) {
            layers.at(key, end).define(key.substring(end), definition);
            return;
        }
        switch (key) {
            case "ckpt_file_name" -> name = definition.fileName();
            case "ckpt_file_size" -> size = definition.size();
            case "ckpt_file_maxs" -> maxSize = definition.size();
            case "ckpt_checksum" -> checksum = definition.text();
            case FileEntry.OWN_CHECKSUM -> ownChecksum = definition.text();
            case FileEntry.STRIPED_CHECKSUM -> stripedChecksum = definition.text();
            case FileEntry.RANK -> rank = definition.integer(0);
            case "rsed_checksum" -> rsedChecksum = definition.text();
            default -> {}
        }
    }

    /** Returns the oldest release of C FTI that writes the keys of the variables here. */
    Release release() {
        return variables
                .all()
                .map(VariableFields::release)
                .max(Comparator.naturalOrder())
                .orElse(Release.V1_0);
    }

    /**
     * Returns the entry.
     *
     * @param release the release that has written the file
     */
    FileEntry entry(CkptType type, Release release) throws FormatException {
        long fileSize = needed(size, "ckpt_file_size");
        long largest = needed(maxSize, "ckpt_file_maxs");
        if (largest < fileSize) {
            throw wrong("ckpt_file_maxs", "is " + largest + ", less than ckpt_file_size = " + fileSize);
        }
        FileEntry entry = new FileEntry(
                needed(name, "ckpt_file_name"),
                fileSize,
                largest,
                checksum == null && release == Release.V1_0 ? "" : needed(checksum, "ckpt_checksum"),
                placed(
                        variables.list(section, "", "_id", offset, (each, prefix) -> each.entry(prefix, release)),
                        release),
                layers.list(section, "", "_size", offset, LayerFields::entry),
                rsedChecksum,
                ownChecksum,
                stripedChecksum,
                rank);
        checkVariables(entry, type);
        return entry;
    }

    /** Returns variables with their positions, which releases before v1.3 do not write: one follows the other. */
    private static List<VariableEntry> placed(List<VariableEntry> variables, Release release) {
        if (release != Release.V1_0) {
            return variables;
        }
        List<VariableEntry> placed = new ArrayList<>();
        long end = 0;
        for (VariableEntry variable : variables) {
            placed.add(variable.at(end));
            end += variable.size();
        }
        return placed;
    }

    private void checkVariables(FileEntry entry, CkptType type) throws FormatException {
        // The metadata do not locate the variables of HDF5 files, in which they may also be compressed; only the files
        // themselves do.
        boolean located = type == CkptType.FULL && !entry.name().endsWith(".h5");
        Set<Integer> ids = new HashSet<>();
        for (int i = 0; i < entry.variables().size(); i++) {
            VariableEntry variable = entry.variables().get(i);
            if (!ids.add(variable.id())) {
                throw wrong("var" + i + "_id", "is " + variable.id() + ", as that of a variable before");
            }
            if (located && variable.pos() > entry.size() - variable.size()) {
                throw wrong(
                        "var" + i + "_pos",
                        "is " + variable.pos() + ": " + variable.size() + " bytes from there are not within the "
                                + entry.size() + " of the file");
            }
        }
        if (located) {
            checkPlaces(entry);
        }
    }

    /**
     * Checks the positions of variables. All writers put variables one after the other, in any order, and nothing else
     * into the file.
     */
    private void checkPlaces(FileEntry entry) throws FormatException {
        List<VariableEntry> inFile = entry.variables().stream()
                .filter(variable -> variable.size() > 0)
                .sorted(Comparator.comparingLong(VariableEntry::pos))
                .toList();
        long end = 0;
        for (VariableEntry variable : inFile) {
            if (variable.pos() != end) {
                throw wrong(
                        "var" + entry.variables().indexOf(variable) + "_pos",
                        "is " + variable.pos() + ", and the variables before it in the file end at " + end);
            }
            end += variable.size();
        }
        if (end != entry.size()) {
            throw wrong("ckpt_file_size", "is " + entry.size() + ", and the variables have " + end + " bytes");
        }
    }

    private <T> T needed(@Nullable T value, String key) throws FormatException {
        return Definition.needed(value, section, key, offset);
    }

    private FormatException wrong(String key, String problem) {
        return Definition.wrong(section, key, offset, problem);
    }

    /** The keys of one variable. */
    private final class VariableFields {

        private @Nullable Integer id;
        private @Nullable Integer typeId;
        private @Nullable Long typeSize;
        private @Nullable Long size;
        private @Nullable Long pos;
        private @Nullable String name;
        private @Nullable String idChar;
        private @Nullable Integer ndims;
        private @Nullable Long[] dims = {};

        void define(String suffix, Definition definition) throws FormatException {
            switch (suffix) {
                case "_id" -> id = definition.integer(0);
                case "_typeid" -> typeId = definition.integer(-1);
                case "_typesize" -> typeSize = definition.size();
                case "_size" -> size = definition.size();
                case "_pos" -> pos = definition.size();
                case "_name" -> name = definition.text();
                case "_idchar" -> idChar = definition.text();
                case "_ndims" -> ndims = (int) definition.number(0, VariableEntry.MAX_DIMS);
                default -> defineDimension(suffix, definition);
            }
        }

        private void defineDimension(String suffix, Definition definition) throws FormatException {
            String prefix = "_dim";
            if (!suffix.startsWith(prefix) || NumberedFields.numberEnd(suffix, prefix.length()) != suffix.length()) {
                return;
            }
            int number = Integer.parseInt(suffix.substring(prefix.length()));
            if (number < VariableEntry.MAX_DIMS) {
                dims = Arrays.copyOf(dims, Math.max(dims.length, number + 1));
                dims[number] = definition.size();
            }
        }

        Release release() {
            boolean isTyped = typeId != null || typeSize != null || idChar != null || ndims != null;
            return isTyped ? Release.V1_5 : name != null ? Release.V1_4 : pos != null ? Release.V1_3 : Release.V1_0;
        }

        /** Returns the variable. What the release does not write is unknown: a type of single bytes, without a name. */
        VariableEntry entry(String prefix, Release release) throws FormatException {
            if (release.compareTo(Release.V1_5) < 0) {
                return new VariableEntry(
                        needed(id, prefix + "_id"),
                        -1,
                        1,
                        needed(size, prefix + "_size"),
                        release == Release.V1_0 ? 0 : needed(pos, prefix + "_pos"),
                        release == Release.V1_4 ? needed(name, prefix + "_name") : "",
                        "",
                        List.of());
            }
            int count = needed(ndims, prefix + "_ndims");
            List<Long> read = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                read.add(needed(i < dims.length ? dims[i] : null, prefix + "_dim" + i));
            }
            return new VariableEntry(
                    needed(id, prefix + "_id"),
                    needed(typeId, prefix + "_typeid"),
                    needed(typeSize, prefix + "_typesize"),
                    needed(size, prefix + "_size"),
                    needed(pos, prefix + "_pos"),
                    needed(name, prefix + "_name"),
                    needed(idChar, prefix + "_idchar"),
                    read);
        }
    }

    /** The keys of one layer. */
    private final class LayerFields {

        private final NumberedFields<LayerVariableFields> variables =
                new NumberedFields<>(LayerEntry.VARIABLE, LayerVariableFields::new);
        private final NumberedFields<LayerVariableFields> ownVariables =
                new NumberedFields<>(LayerEntry.OWN_VARIABLE, LayerVariableFields::new);
        private @Nullable Long size;
        private @Nullable String hash;
        private int ckptId = -1;

        void define(String suffix, Definition definition) throws FormatException {
            int end = variables.numberEnd(suffix);
            int ownEnd = ownVariables.numberEnd(suffix);
            if (end > 0) {
                variables.at(suffix, end).define(suffix.substring(end), definition);
            } else if (ownEnd > 0) {
                ownVariables.at(suffix, ownEnd).define(suffix.substring(ownEnd), definition);
            } else if (suffix.equals("_size")) {
                size = definition.size();
            } else if (suffix.equals("_hash")) {
                hash = definition.text();
            } else if (suffix.equals(LayerEntry.OWN_CKPT_ID)) {
                ckptId = definition.integer(0);
            }
        }

        LayerEntry entry(String prefix) throws FormatException {
            List<LayerEntry.Variable> stated =
                    variables.list(section, prefix, "_id", offset, LayerVariableFields::entry);
            List<LayerEntry.Variable> own =
                    ownVariables.list(section, prefix, "_id", offset, LayerVariableFields::entry);
            return new LayerEntry(
                    needed(size, prefix + "_size"),
                    needed(hash, prefix + "_hash"),
                    own.isEmpty() ? stated : own,
                    ckptId);
        }
    }

    /** The keys of one variable of a layer. */
    private final class LayerVariableFields {

        private @Nullable Integer id;
        private @Nullable Long size;

        void define(String suffix, Definition definition) throws FormatException {
            if (suffix.equals("_id")) {
                id = definition.integer(0);
            } else if (suffix.equals("_size")) {
                size = definition.size();
            }
        }

        LayerEntry.Variable entry(String prefix) throws FormatException {
            return new LayerEntry.Variable(needed(id, prefix + "_id"), needed(size, prefix + "_size"));
        }
    }
}
