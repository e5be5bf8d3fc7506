package io.drumlin.fti;

import io.drumlin.checkpoint.CompositeType;
import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.OpaqueType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The types of an instance by the numbers that C FTI gives them: first its own, then those of the program. */
final class DataTypes {

    private static final int MOST = 64;

    private final List<DataType> types = new ArrayList<>(List.of(ElementType.values()));

    DataType get(int id) {
        if (id < 0 || id >= types.size()) {
            throw new IllegalArgumentException("type " + id + " is not in 0.." + (types.size() - 1));
        }
        return types.get(id);
    }

    int addOpaque(int size) {
        return add(new OpaqueType(nameOfNext(), size));
    }

    int addComposite(@Nullable String name, int size, @Nullable FTIT_H5Group group) {
        String given = name == null || name.isEmpty() ? nameOfNext() : name;
        return add(group == null ? new CompositeType(given, size) : new CompositeType(given, size, group.group()));
    }

    private String nameOfNext() {
        return "Type" + types.size();
    }

    private int add(DataType type) {
        if (types.size() == MOST) {
            throw new IllegalArgumentException("there are " + MOST + " types already");
        }
        types.add(type);
        return types.size() - 1;
    }

    void addScalarField(int id, @Nullable String name, int field, long offset) {
        composite(id).addScalar(fieldName(id, name), get(field), Math.toIntExact(offset));
    }

    void addVectorField(int id, @Nullable String name, int field, long offset, List<Long> dimensions) {
        composite(id).addVector(fieldName(id, name), get(field), Math.toIntExact(offset), dimensions);
    }

    private CompositeType composite(int id) {
        if (get(id) instanceof CompositeType composite) {
            return composite;
        }
        throw new IllegalArgumentException("type " + id + " has no fields");
    }

    private static String fieldName(int id, @Nullable String name) {
        return name == null || name.isEmpty() ? "T" + id : name;
    }
}
