package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.DatasetGroup;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.internal.data.DatasetDefinition;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.data.RunGroup;
import io.drumlin.checkpoint.internal.data.VariableName;
import io.drumlin.format.fti.VariableEntry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The protected variables of a rank with their names, in the order of their first protection. It also knows which
 * variables the last checkpoint holds, because a restarted program asks for names and sizes before it protects
 * anything.
 */
public final class ProtectedVariables {

    /** Ids of fields lie above those that programs choose, below the default of max_var_id. */
    private static final int FIRST_FIELD_ID = 1_000;

    private static final int FIELD_IDS = 100_000;

    private final Map<Integer, ProtectedData> data = new LinkedHashMap<>();
    private final RunGroup datasets = new RunGroup();
    private final int maxVarId;
    private final Map<Integer, FieldOwner> fieldOwners = new HashMap<>();
    private @Nullable StoredFile stored;

    /** Names of the variables in the last checkpoint, as far as they are known. */
    private Map<Integer, VariableName> storedLabels = Map.of();

    /** The ids in the last checkpoint. */
    private Set<Integer> storedIds = Set.of();

    /** The ids that the program has protected in this run, also those that are not protected any more. */
    private final Set<Integer> usedIds = new LinkedHashSet<>();

    /** These and the stored ids. */
    private final Set<Integer> knownIds = new LinkedHashSet<>();

    /** The names of variables that are not protected any more; they get their ids back under them. */
    private final Map<Integer, VariableName> formerLabels = new HashMap<>();

    /** Whether the last checkpoint stores no names. */
    private boolean namelessFile;

    /** The ids of names that {@link #idFor} assigned or that are stored. */
    private final Map<String, Integer> idsByName = new HashMap<>();

    public ProtectedVariables(int maxVarId) {
        this.maxVarId = maxVarId;
    }

    /** Sets the content of the last checkpoint; null if there is none. */
    public void storedIn(@Nullable StoredFile file) {
        stored = file;
        storedLabels = file == null ? Map.of() : file.labels();
        learn(file == null ? Set.of() : file.sizes().keySet());
    }

    /**
     * Sets the content of the last checkpoint if another number of ranks took it.
     *
     * @param part the part of any rank; only its ids and names are the same for all ranks
     */
    public void storedByOthers(StoredFile part) {
        stored = null;
        storedLabels = new HashMap<>();
        part.labels()
                .forEach((id, label) ->
                        storedLabels.put(id, new VariableName(label.idName(), label.attribute(), List.of())));
        learn(part.sizes().keySet());
    }

    /** Returns the ids of the variables in the last checkpoint, as far as they are known. */
    public Set<Integer> storedIds() {
        return storedIds;
    }

    private void learn(Set<Integer> ids) {
        storedIds = Set.copyOf(ids);
        namelessFile =
                storedLabels.values().stream().allMatch(label -> label.idName().isEmpty());
        knownIds.clear();
        knownIds.addAll(usedIds);
        knownIds.addAll(storedIds);
        idsByName.clear();
        for (int id : knownIds) {
            String name = labelOf(id).idName();
            if (!name.isEmpty()) {
                idsByName.putIfAbsent(name, id);
            }
        }
    }

    /** Returns the variables by id, in file order. */
    public Map<Integer, ProtectedData> byId() {
        return Collections.unmodifiableMap(data);
    }

    /** Returns the bytes of all variables. */
    public long bytes() {
        return data.values().stream().mapToLong(ProtectedData::size).sum();
    }

    public ProtectedData require(int id) {
        ProtectedData variable = data.get(id);
        if (variable == null) {
            throw new IllegalArgumentException("variable " + id + " is not protected");
        }
        return variable;
    }

    public void protect(int id, Object variable, long count, DataType type) {
        ProtectedData all = ProtectedData.of(variable);
        int width = all.width();
        boolean fits = type instanceof ElementType ? width == 1 || width == type.size() : type.size() % width == 0;
        if (!fits || (!all.dimensions().isEmpty() && width != type.size())) {
            throw new IllegalArgumentException("variable " + id + " has elements of " + width + " bytes and those of "
                    + type + " have " + type.size());
        }
        long given = Math.multiplyExact(count, type.size() / width);
        protect(id, ProtectedData.of(variable, given).as(type));
    }

    /**
     * Checks the id of a variable.
     *
     * @throws IllegalArgumentException no variable can have this id
     */
    public void requireInRange(int id) {
        if (id < 0 || id > maxVarId) {
            throw new IllegalArgumentException("variable id " + id + " is not in 0.." + maxVarId
                    + ", the upper bound is max_var_id of the configuration file");
        }
    }

    public void protect(int id, ProtectedData variable) {
        requireInRange(id);
        variable.label(labelOf(id));
        ProtectedData replaced = data.put(id, variable);
        variable.dataset(replaced == null ? DatasetDefinition.in(datasets) : replaced.dataset());
        variable.distribution(replaced == null ? Optional.empty() : replaced.distribution());
        usedIds.add(id);
        knownIds.add(id);
    }

    /** Whose field a variable is. */
    private record FieldOwner(String name, Object owner) {

        boolean isOf(String otherName, Object otherOwner) {
            return name.equals(otherName) && owner == otherOwner;
        }

        String words(Object asking) {
            return "the field " + name + (owner == asking ? "" : " of another object");
        }
    }

    /**
     * Protects fields of an object under ids that follow from their names.
     *
     * @return the ids by name of the field
     */
    public Map<String, Integer> protectFields(String name, Object owner, SortedMap<String, ProtectedData> fields) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("fields are protected under the name of their object, which is empty");
        }
        Map<Integer, FieldOwner> owners = new HashMap<>();
        Map<String, Integer> ids = new LinkedHashMap<>();
        for (String field : fields.keySet()) {
            String fullName = name + "." + field;
            VariableName.stored(fullName);
            int id = idOfField(fullName);
            requireInRange(id);
            FieldOwner before = owners.put(id, new FieldOwner(fullName, owner));
            before = before == null ? fieldOwners.get(id) : before;
            if (before == null ? data.containsKey(id) : !before.isOf(fullName, owner)) {
                throw new IllegalArgumentException("cannot protect the field " + fullName + ": its id " + id
                        + " is that of " + (before == null ? "another variable" : before.words(owner))
                        + "; give the object another name");
            }
            ids.put(field, id);
        }
        ids.forEach((field, id) -> {
            protect(id, Objects.requireNonNull(fields.get(field)));
            setAttribute(id, name + "." + field);
        });
        fieldOwners.putAll(owners);
        return ids;
    }

    private static int idOfField(String fullName) {
        CRC32 crc = new CRC32();
        crc.update(fullName.getBytes(StandardCharsets.UTF_8));
        return FIRST_FIELD_ID + (int) (crc.getValue() % FIELD_IDS);
    }

    public void distribute(int id, Distribution distribution) {
        ProtectedData variable = require(id);
        if (variable.isRagged()) {
            throw new IllegalArgumentException(
                    "variable " + id + " is a ragged array: another number of ranks cannot share its elements");
        }
        if (variable.isObject() && !(distribution instanceof Distribution.Replicated)) {
            throw new IllegalArgumentException("variable " + id
                    + " is an object: another number of ranks cannot share it, unless it is replicated()");
        }
        variable.distribution(Optional.of(distribution));
    }

    public void unprotect(int id) {
        ProtectedData removed = require(id);
        formerLabels.put(id, removed.label());
        data.remove(id);
        fieldOwners.remove(id);
    }

    /** Replaces a ragged array by a new one that has the stored lengths. */
    public <T> T[] reallocateRagged(int id, T[] array, ProtectedData.StoredVariable bytes) throws IOException {
        DatasetDefinition dataset = data.containsKey(id) ? require(id).dataset() : DatasetDefinition.in(datasets);
        T[] replacement = ProtectedData.newRaggedArray(array, requireStored(id).size(id), target -> {
            target.dataset(dataset);
            bytes.readInto(target);
        });
        protect(id, ProtectedData.ofRagged(replacement));
        return replacement;
    }

    private StoredFile requireStored(int id) {
        if (stored == null || !stored.contains(id)) {
            throw new IllegalArgumentException("variable " + id + " is not in the last checkpoint");
        }
        return stored;
    }

    public <T> T reallocate(int id, T array) {
        List<Long> dimensions = storedLabels.getOrDefault(id, VariableName.NONE).dimensions();
        T replacement = ProtectedData.newArray(array, requireStored(id).size(id), dimensions);
        ProtectedData variable = ProtectedData.of(replacement);
        ProtectedData before = data.get(id);
        protect(id, before == null ? variable : variable.as(before.type()));
        return replacement;
    }

    public int idFor(String name) {
        Optional<Integer> known = idOf(name);
        if (known.isPresent()) {
            return known.get();
        }
        String given = VariableName.stored(name);
        if (given.isEmpty()) {
            throw new IllegalArgumentException("the name of a variable is empty");
        }
        // If the files store no names, the program must ask for its names in the same order again, as in C FTI.
        Set<Integer> taken = namelessFile ? usedIds : knownIds;
        boolean areNamed = !namelessFile && idsByName.values().containsAll(taken);
        // A checkpoint may lack the ids of variables that were not protected any more when it was taken.
        int id = areNamed ? taken.stream().mapToInt(used -> used + 1).max().orElse(0) : taken.size();
        if (taken.contains(id)) {
            throw new IllegalArgumentException("variable " + name + " would get id " + id
                    + ", the number of the variables, which is in use: give all variables names, or none");
        }
        protect(id, ProtectedData.of(new byte[0]));
        VariableName old = labelOf(id);
        require(id).label(new VariableName(given, old.attribute(), old.dimensions()));
        idsByName.put(given, id);
        return id;
    }

    public Optional<Integer> idOf(String name) {
        return Optional.ofNullable(idsByName.get(VariableName.stored(name)));
    }

    public void setAttribute(int id, String name) {
        ProtectedData variable = require(id);
        VariableName old = variable.label();
        variable.label(new VariableName(old.idName(), VariableName.stored(name), old.dimensions()));
    }

    public void setAttribute(int id, List<Long> dimensions) {
        if (dimensions.size() > VariableEntry.MAX_DIMS) {
            throw new IllegalArgumentException(
                    dimensions.size() + " dimensions are more than " + VariableEntry.MAX_DIMS);
        }
        ProtectedData variable = require(id);
        if (!variable.dimensions().isEmpty() && !variable.dimensions().equals(dimensions)) {
            throw new IllegalArgumentException("variable " + id + " is an array of arrays and has the dimensions "
                    + variable.dimensions() + ", and no others");
        }
        VariableName old = variable.label();
        variable.label(new VariableName(old.idName(), old.attribute(), dimensions));
    }

    /** Returns the root of the groups in the mode HDF5. */
    public RunGroup datasets() {
        return datasets;
    }

    public void define(int id, @Nullable String name, List<Long> dimensions, @Nullable DatasetGroup group) {
        ProtectedData variable = require(id);
        DatasetDefinition definition = variable.dataset();
        if (name != null) {
            definition = definition.named(name);
        }
        if (!dimensions.isEmpty()) {
            definition = definition.shaped(
                    dimensions, variable.size() / variable.type().size());
        }
        if (group != null) {
            definition = definition.within(group);
        }
        variable.dataset(definition);
    }

    private VariableName labelOf(int id) {
        ProtectedData known = data.get(id);
        if (known != null) {
            return known.label();
        }
        if (formerLabels.containsKey(id)) {
            return formerLabels.get(id);
        }
        return storedLabels.getOrDefault(id, VariableName.NONE);
    }
}
