package io.drumlin.golden.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.ChunkData;
import io.drumlin.gsd.GsdFile;
import io.drumlin.gsd.HoomdFrame;
import io.drumlin.gsd.HoomdTrajectory;
import io.drumlin.gsd.Strictness;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Frames of the hoomd schema: reads each and compares value by value, and adds the frames of a manifest to a file of our own. */
final class HoomdComparison {

    private static final List<String> GROUPS =
            List.of("configuration", "particles", "bonds", "angles", "dihedrals", "impropers", "constraints", "pairs");

    private final Json manifest;
    private final Outcome outcome;

    HoomdComparison(Json manifest, Outcome outcome) {
        this.manifest = manifest;
        this.outcome = outcome;
    }

    /** Compares all frames and all logged quantities. */
    void compare(String what, Path file) throws IOException {
        List<Json> wanted = manifest.get("expected_frames").list(each -> each);
        try (HoomdTrajectory trajectory = HoomdTrajectory.open(file, Access.READ)) {
            outcome.same(what + ": hoomd frames", (long) wanted.size(), trajectory.frameCount());
            int compared = 0;
            for (int i = 0; i < wanted.size(); i++) {
                HoomdFrame frame = trajectory.read(i);
                if (!wanted.get(i).has("error")) {
                    compareFrame(what + ": hoomd frame " + i, wanted.get(i), frame);
                    compared++;
                }
            }
            Json logs = manifest.get("expected_read_log");
            String series = logs.has("error") ? readAllSeries(trajectory) : compareAllSeries(what, trajectory, logs);
            outcome.compared(compared + " hoomd frames of " + what + ", value by value; " + series);
        }
    }

    private String compareAllSeries(String what, HoomdTrajectory trajectory, Json expected) throws IOException {
        Map<String, Json> logs = expected.members(each -> each);
        for (Map.Entry<String, Json> log : logs.entrySet()) {
            compareSeries(what, trajectory, log.getKey(), log.getValue());
        }
        List<String> names = new ArrayList<>(logs.keySet());
        names.remove("configuration/step");
        outcome.same(what + ": names of logged quantities", names, trajectory.logNames());
        return logs.size() + " series";
    }

    /** There are no values to compare with: a series is read, or refused with words. */
    private static String readAllSeries(HoomdTrajectory trajectory) throws IOException {
        List<String> names = new ArrayList<>(trajectory.logNames());
        names.add("configuration/step");
        int refused = 0;
        for (String name : names) {
            try {
                trajectory.series(name, 0, trajectory.frameCount());
            } catch (DrumlinException e) {
                refused++;
            }
        }
        return "read_log fails in Python, " + refused + " of " + names.size() + " series here";
    }

    private void compareSeries(String what, HoomdTrajectory trajectory, String name, Json wanted) throws IOException {
        String series = what + ": series of " + name;
        long frames = trajectory.frameCount();
        if (wanted.get("dtype").text().equals("str")) {
            outcome.same(series, wanted.get("data").list(Json::text), trajectory.texts(name, 0, frames));
        } else {
            compareData(series, wanted, trajectory.series(name, 0, frames));
        }
    }

    private void compareFrame(String what, Json wanted, HoomdFrame frame) {
        for (String group : GROUPS) {
            Object values = get(frame, group);
            for (Map.Entry<String, Json> member :
                    wanted.get(group).members(each -> each).entrySet()) {
                String name = group + "/" + member.getKey();
                Object found = get(values, member.getKey());
                if (member.getValue().has("dtype")) {
                    boolean exact = member.getValue().get("dtype").text().equals("float64");
                    outcome.same(what + ": double " + name, exact, frame.doubles.containsKey(name));
                    found = exact ? frame.doubles.getOrDefault(name, new double[0]) : found;
                }
                compareValue(what + ": " + name, member.getValue(), found);
            }
        }
        compareMap(what + ": state", wanted.get("state"), frame.state);
        compareMap(what + ": log", wanted.get("log"), frame.log);
    }

    private void compareMap(String what, Json wanted, Map<String, ChunkData> found) {
        Map<String, Json> expected = wanted.members(each -> each);
        outcome.same(what + ": names", new TreeMap<>(expected).keySet(), new TreeMap<>(found).keySet());
        expected.forEach((name, value) -> {
            ChunkData data = found.get(name);
            if (data == null) {
                return;
            } else if (value.has("str")) {
                outcome.same(what + "/" + name, value.get("str").text(), data.text());
            } else {
                outcome.same(
                        what + "/" + name + ": shape",
                        value.get("shape").list(Json::integer),
                        data.columns() == 1 ? List.of(data.rows()) : List.of(data.rows(), data.columns()));
                compareData(what + "/" + name, value, data);
            }
        });
    }

    private void compareData(String what, Json wanted, ChunkData data) {
        outcome.same(what + ": type", type(wanted.get("dtype").text()), data.type());
        outcome.same(
                what,
                wanted.get("data").list(Json::real),
                Arrays.stream(data.toDoubles()).boxed().toList());
    }

    private void compareValue(String what, Json wanted, Object found) {
        if (found instanceof List<?>) {
            outcome.same(what, wanted.list(HoomdComparison::text), found);
        } else if (found instanceof Number number) {
            outcome.same(what, wanted.real(), number.doubleValue());
        } else {
            Json data = wanted.isList() ? wanted : wanted.get("data");
            List<Double> numbers = new ArrayList<>();
            for (int i = 0; i < Array.getLength(found); i++) {
                numbers.add(Array.getDouble(found, i));
            }
            outcome.same(what, data.list(Json::real), numbers);
        }
    }

    /** A name, or a JSON object as Python writes it. */
    private static String text(Json value) {
        if (value.isText()) {
            return value.text();
        }
        List<String> members = new ArrayList<>();
        value.members(each -> each).forEach((key, member) -> members.add("\"" + key + "\": " + json(member)));
        return "{" + String.join(", ", members) + "}";
    }

    private static String json(Json value) {
        if (value.isText()) {
            return "\"" + value.text() + "\"";
        } else if (value.isList()) {
            return "[" + String.join(", ", value.list(HoomdComparison::json)) + "]";
        }
        return value.isWhole() ? String.valueOf(value.number()) : String.valueOf(value.real());
    }

    /** Adds the frames of the manifest to a new file. */
    void write(Path path, String application) throws IOException {
        Json schema = manifest.get("expected").get("header").get("schema_version");
        GsdFile file = GsdFile.at(path)
                .strictness(Strictness.REFERENCE)
                .create(application, "hoomd", CallSequence.version(schema));
        try (HoomdTrajectory trajectory = HoomdTrajectory.of(file)) {
            for (Json input : manifest.get("input_frames").list(each -> each)) {
                HoomdFrame frame = frame(input);
                if (manifest.has("precision")
                        && manifest.get("precision").text().equals("double")) {
                    setDoubles(frame, input);
                }
                trajectory.append(frame);
            }
        }
    }

    /** Replaces the floats of a frame by the exact values. */
    private static void setDoubles(HoomdFrame frame, Json input) {
        for (String group : GROUPS) {
            if (input.has(group)) {
                Object values = get(frame, group);
                input.get(group).members(each -> each).forEach((name, value) -> {
                    if (field(values, name).getType() == float[].class) {
                        frame.doubles.put(
                                group + "/" + name,
                                data(ElementType.DOUBLE, value, 1).doubles());
                    }
                });
            }
        }
    }

    private static HoomdFrame frame(Json input) {
        HoomdFrame frame = new HoomdFrame();
        for (String group : GROUPS) {
            if (input.has(group)) {
                Object values = get(frame, group);
                input.get(group).members(each -> each).forEach((name, value) -> set(values, name, value));
            }
        }
        if (input.has("state")) {
            input.get("state")
                    .members(each -> each)
                    .forEach((name, value) -> frame.state.put(name, state(name, value)));
        }
        if (input.has("log")) {
            input.get("log").members(each -> each).forEach((name, value) -> frame.log.put(name, logged(value)));
        }
        return frame;
    }

    private static ChunkData logged(Json value) {
        if (value.has("str")) {
            return ChunkData.of(value.get("str").text());
        }
        List<Integer> shape = value.get("shape").list(Json::integer);
        return data(type(value.get("dtype").text()), value.get("data"), shape.size() > 1 ? shape.get(1) : 1);
    }

    private static ChunkData state(String name, Json value) {
        String last = name.substring(name.lastIndexOf('/') + 1);
        ElementType type =
                switch (last) {
                    case "N" -> ElementType.UINT32;
                    case "orientable" -> ElementType.UINT8;
                    default -> name.startsWith("hpmc/integrate/") ? ElementType.DOUBLE : ElementType.FLOAT;
                };
        int columns = last.equals("vertices") ? name.contains("hedron/") ? 3 : 2 : 1;
        return data(type, value, columns);
    }

    private static ChunkData data(ElementType type, Json value, int columns) {
        List<Json> flat = new ArrayList<>();
        flatten(value, flat);
        return ChunkData.of(
                type,
                array(
                        flat,
                        switch (type) {
                            case FLOAT -> float.class;
                            case DOUBLE -> double.class;
                            case UINT8, INT8, CHARACTER -> byte.class;
                            case UINT16, INT16 -> short.class;
                            case UINT32, INT32 -> int.class;
                            case UINT64, INT64 -> long.class;
                        }),
                columns);
    }

    private static void flatten(Json value, List<Json> flat) {
        if (value.isList()) {
            value.list(each -> each).forEach(each -> flatten(each, flat));
        } else {
            flat.add(value);
        }
    }

    private static Object array(List<Json> numbers, Class<?> element) {
        Object array = Array.newInstance(element, numbers.size());
        for (int i = 0; i < numbers.size(); i++) {
            Json number = numbers.get(i);
            if (element == float.class) {
                Array.setFloat(array, i, (float) number.real());
            } else if (element == double.class) {
                Array.setDouble(array, i, number.real());
            } else if (element == byte.class) {
                Array.setByte(array, i, (byte) number.number());
            } else if (element == short.class) {
                Array.setShort(array, i, (short) number.number());
            } else if (element == int.class) {
                Array.setInt(array, i, (int) number.number());
            } else {
                Array.setLong(array, i, number.integral());
            }
        }
        return array;
    }

    private static ElementType type(String dtype) {
        return switch (dtype) {
            case "float32" -> ElementType.FLOAT;
            case "float64" -> ElementType.DOUBLE;
            default -> ElementType.valueOf(dtype.toUpperCase(Locale.ROOT));
        };
    }

    /** The field of a frame or a group of it that Python calls by another name. */
    private static Field field(Object owner, String name) {
        StringBuilder field = new StringBuilder(name.equals("N") ? "n" : name);
        for (int at = field.indexOf("_"); at >= 0; at = field.indexOf("_")) {
            field.deleteCharAt(at).setCharAt(at, Character.toUpperCase(field.charAt(at)));
        }
        try {
            return owner.getClass().getField(field.toString());
        } catch (NoSuchFieldException e) {
            throw new IllegalArgumentException("a frame has no " + name, e);
        }
    }

    private static Object get(Object owner, String name) {
        try {
            return field(owner, name).get(owner);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static void set(Object owner, String name, Json value) {
        Field field = field(owner, name);
        try {
            field.set(owner, value.isNull() ? null : convert(field.getType(), value));
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static Object convert(Class<?> type, Json value) {
        if (type == Long.class) {
            return value.integral();
        } else if (type == Integer.class) {
            return value.integer();
        } else if (type == List.class) {
            return value.list(HoomdComparison::text);
        }
        List<Json> flat = new ArrayList<>();
        flatten(value, flat);
        return array(flat, type.getComponentType());
    }
}
