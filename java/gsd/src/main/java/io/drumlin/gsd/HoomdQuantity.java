package io.drumlin.gsd;

import io.drumlin.format.gsd.ElementType;
import io.drumlin.gsd.internal.Elements;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A chunk that the hoomd schema defines; docs/formats/gsd.md, section 13. A value is an array of primitives, or a
 * {@code List<String>} for names and shapes of types.
 *
 * @param name the name of the chunk
 * @param container the container whose items have a row each; {@code null} for a quantity that a frame has once
 * @param type the type of the elements
 * @param columns number of columns
 * @param otherwise the default: one row for items, otherwise the whole value
 */
record HoomdQuantity(String name, @Nullable String container, ElementType type, int columns, Object otherwise) {

    /** The containers with items, in the order of the schema. */
    static final List<String> CONTAINERS =
            List.of("particles", "bonds", "angles", "dihedrals", "impropers", "constraints", "pairs");

    private static final String COUNT = "/N";

    /** An empty shape. */
    private static final String NO_SHAPE = "{}";

    /** All quantities by name of the chunk, in the order of the schema, which is that of writing. */
    private static final Map<String, HoomdQuantity> ALL = all();

    private static Map<String, HoomdQuantity> all() {
        List<HoomdQuantity> list = new ArrayList<>();
        list.add(once("configuration/step", ElementType.UINT64, new long[1]));
        list.add(once("configuration/dimensions", ElementType.UINT8, new byte[] {3}));
        list.add(once("configuration/box", ElementType.FLOAT, new float[] {1, 1, 1, 0, 0, 0}));
        list.add(count("particles"));
        list.add(texts("particles/types", List.of("A")));
        list.add(items("particles", "typeid", ElementType.UINT32, 0));
        list.add(items("particles", "mass", 1f));
        list.add(items("particles", "charge", 0f));
        list.add(items("particles", "diameter", 1f));
        list.add(items("particles", "body", ElementType.INT32, -1));
        list.add(items("particles", "moment_inertia", 0, 0, 0f));
        list.add(items("particles", "position", 0, 0, 0f));
        list.add(items("particles", "orientation", 1, 0, 0, 0f));
        list.add(items("particles", "velocity", 0, 0, 0f));
        list.add(items("particles", "angmom", 0, 0, 0, 0f));
        list.add(items("particles", "image", ElementType.INT32, 0, 0, 0));
        list.add(texts("particles/type_shapes", List.of(NO_SHAPE)));
        for (String container : CONTAINERS.subList(1, CONTAINERS.size())) {
            list.add(count(container));
            if (container.equals("constraints")) {
                list.add(items(container, "value", 0f));
            } else {
                list.add(texts(container + "/types", List.of()));
                list.add(items(container, "typeid", ElementType.UINT32, 0));
            }
            list.add(items(container, "group", ElementType.INT32, new int[members(container)]));
        }
        Map<String, HoomdQuantity> byName = new LinkedHashMap<>();
        list.forEach(quantity -> byName.put(quantity.name, quantity));
        return Collections.unmodifiableMap(byName);
    }

    /** Returns the number of particles in a bond and in similar items. */
    private static int members(String container) {
        return switch (container) {
            case "angles" -> 3;
            case "dihedrals", "impropers" -> 4;
            default -> 2;
        };
    }

    private static HoomdQuantity once(String name, ElementType type, Object otherwise) {
        return new HoomdQuantity(name, null, type, 1, otherwise);
    }

    private static HoomdQuantity texts(String name, List<String> otherwise) {
        return new HoomdQuantity(name, null, ElementType.INT8, 1, otherwise);
    }

    private static HoomdQuantity count(String container) {
        return once(container + COUNT, ElementType.UINT32, new int[1]);
    }

    private static HoomdQuantity items(String container, String name, float... otherwise) {
        return new HoomdQuantity(container + "/" + name, container, ElementType.FLOAT, otherwise.length, otherwise);
    }

    private static HoomdQuantity items(String container, String name, ElementType type, int... otherwise) {
        return new HoomdQuantity(container + "/" + name, container, type, otherwise.length, otherwise);
    }

    /** Returns the quantity of a chunk, or {@code null}. */
    static @Nullable HoomdQuantity named(String chunk) {
        return ALL.get(chunk);
    }

    /** Returns the quantity of a chunk that the schema has. */
    static HoomdQuantity of(String chunk) {
        HoomdQuantity quantity = named(chunk);
        if (quantity == null) {
            throw new IllegalArgumentException("the hoomd schema has no chunk " + chunk);
        }
        return quantity;
    }

    /** Returns the quantity that holds the number of items of a container. */
    static HoomdQuantity countOf(String container) {
        return of(container + COUNT);
    }

    /**
     * Returns the container whose items have a row each in a chunk, logged or not; {@code null} if the chunk belongs to
     * the frame as a whole.
     */
    static @Nullable String containerOf(String chunk) {
        HoomdQuantity quantity = named(chunk);
        if (quantity != null) {
            return quantity.container;
        }
        String[] parts = chunk.split("/", 3);
        return parts.length == 3 && parts[0].equals("log") && CONTAINERS.contains(parts[1]) ? parts[1] : null;
    }

    boolean isText() {
        return otherwise instanceof List<?>;
    }

    /** Returns the number of rows of a quantity that a frame has once. Texts have any number. */
    int rows() {
        return isText() ? -1 : Array.getLength(otherwise);
    }

    /** Returns the default for so many items, or for the frame. */
    Object otherwise(int items) {
        if (isText()) {
            return otherwise;
        }
        int length = Array.getLength(otherwise);
        int copies = container == null ? 1 : items;
        Object values = Elements.array(type, Math.multiplyExact(copies, length));
        for (int copy = 0; copy < copies; copy++) {
            System.arraycopy(otherwise, 0, values, copy * length, length);
        }
        return values;
    }

    /** Returns whether every row is the default. */
    boolean isOtherwise(Object value) {
        if (value instanceof List<?> texts && name.endsWith("/type_shapes")) {
            return texts.stream().allMatch(NO_SHAPE::equals);
        }
        if (container == null) {
            return same(value, otherwise);
        }
        int length = Array.getLength(value);
        if (otherwise instanceof float[] row) {
            for (int i = 0; i < length; i++) {
                if (real(value, i) != row[i % columns]) {
                    return false;
                }
            }
            return true;
        }
        int[] ints = (int[]) value;
        int[] row = (int[]) otherwise;
        for (int i = 0; i < length; i++) {
            if (ints[i] != row[i % columns]) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether values are equal as numbers: 0 equals -0, and NaN equals nothing. */
    static boolean same(Object a, Object b) {
        if (isReal(a) && isReal(b)) {
            int length = Array.getLength(a);
            if (length != Array.getLength(b)) {
                return false;
            }
            for (int i = 0; i < length; i++) {
                if (real(a, i) != real(b, i)) {
                    return false;
                }
            }
            return true;
        }
        return a instanceof List<?> ? a.equals(b) : Arrays.deepEquals(new Object[] {a}, new Object[] {b});
    }

    private static boolean isReal(Object array) {
        return array instanceof float[] || array instanceof double[];
    }

    private static double real(Object array, int i) {
        return array instanceof float[] floats ? floats[i] : ((double[]) array)[i];
    }

    /** Returns floats as doubles. */
    static double[] widened(float[] floats) {
        double[] doubles = new double[floats.length];
        Arrays.setAll(doubles, i -> floats[i]);
        return doubles;
    }

    /** Returns the nearest floats. */
    static float[] rounded(double[] doubles) {
        float[] floats = new float[doubles.length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) doubles[i];
        }
        return floats;
    }

    /** Returns a value in its stored form, in a file of this major version of the schema. */
    ChunkData encode(Object value, int schema) {
        if (value instanceof List<?> texts) {
            return encode(texts.stream().map(String::valueOf).toList());
        }
        return ChunkData.of(type(value, schema), value, columns);
    }

    /** Returns the type in which a value is stored. */
    ElementType type(Object value, int schema) {
        if (value instanceof double[]) {
            return ElementType.DOUBLE;
        }
        return schema > 1 && isGroup() ? ElementType.UINT32 : type;
    }

    private boolean isGroup() {
        return name.endsWith("/group");
    }

    /** Encodes texts in rows of equal length, each with a NUL at its end. */
    private static ChunkData encode(List<String> texts) {
        List<byte[]> rows = texts.stream()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toList();
        int width = 1 + rows.stream().mapToInt(row -> row.length).max().orElse(0);
        byte[] bytes = new byte[Math.multiplyExact(rows.size(), width)];
        for (int row = 0; row < rows.size(); row++) {
            System.arraycopy(rows.get(row), 0, bytes, row * width, rows.get(row).length);
        }
        return ChunkData.of(ElementType.INT8, bytes, width);
    }

    /** Decodes the texts of rows. */
    static List<String> decode(ChunkData data) {
        byte[] bytes = (byte[]) data.array();
        int width = data.columns();
        List<String> texts = new ArrayList<>();
        for (int start = 0; start < bytes.length; start += width) {
            int end = start;
            while (end < start + width && bytes[end] != 0) {
                end++;
            }
            texts.add(new String(bytes, start, end - start, StandardCharsets.UTF_8));
        }
        return texts;
    }

    /**
     * Returns whether this quantity accepts a chunk of a type, in a file of this major version of the schema. hoomd
     * writes members of bonds as uint32, its Python package before 5.0 as int32. Since 2.0, a number is of either
     * precision.
     */
    boolean allows(ElementType stored, int schema) {
        if (isText() || isGroup()) {
            return stored.bytes() == type.bytes() && stored != ElementType.FLOAT;
        }
        return stored == type || (schema > 1 && type == ElementType.FLOAT && stored == ElementType.DOUBLE);
    }

    /** The state of hoomd's HPMC integrators, by name. */
    private static final Map<String, HoomdQuantity> STATE = state();

    private static Map<String, HoomdQuantity> state() {
        Map<String, HoomdQuantity> byName = new LinkedHashMap<>();
        for (String name : Set.of("integrate/d", "integrate/a")) {
            byName.put("hpmc/" + name, once(name, ElementType.DOUBLE, new double[1]));
        }
        for (String name : Set.of(
                "sphere/radius",
                "ellipsoid/a",
                "ellipsoid/b",
                "ellipsoid/c",
                "convex_spheropolyhedron/sweep_radius",
                "convex_spheropolygon/sweep_radius")) {
            byName.put("hpmc/" + name, items("types", name, 0f));
        }
        byName.put("hpmc/sphere/orientable", new HoomdQuantity("", "types", ElementType.UINT8, 1, new byte[1]));
        for (String shape : Set.of("convex_polyhedron", "convex_spheropolyhedron")) {
            byName.put("hpmc/" + shape + "/N", items("types", shape, ElementType.UINT32, 0));
            byName.put("hpmc/" + shape + "/vertices", items("vertices", shape, 0, 0, 0f));
        }
        for (String shape : Set.of("convex_polygon", "convex_spheropolygon", "simple_polygon")) {
            byName.put("hpmc/" + shape + "/N", items("types", shape, ElementType.UINT32, 0));
            byName.put("hpmc/" + shape + "/vertices", items("vertices", shape, 0, 0f));
        }
        return byName;
    }

    /**
     * Refuses state that the schema does not have.
     *
     * @param types number of types of particles; negative if unknown
     */
    static void checkState(String name, ChunkData data, int types) {
        HoomdQuantity known = STATE.get(name);
        if (known == null) {
            throw new IllegalArgumentException("the hoomd schema has no state " + name);
        }
        int rows = known.container == null ? 1 : known.container.equals("types") ? types : -1;
        if (data.type() != known.type || data.columns() != known.columns || (rows >= 0 && data.rows() != rows)) {
            throw new IllegalArgumentException("state " + name + " has " + data.rows() + " rows of " + data.columns()
                    + " elements of type " + data.type().label() + ", wanted are " + (rows < 0 ? "any" : rows)
                    + " rows of " + known.columns + " of type " + known.type.label());
        }
    }
}
