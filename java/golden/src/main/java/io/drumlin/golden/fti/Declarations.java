package io.drumlin.golden.fti;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.CompositeType;
import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.DatasetGroup;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.OpaqueType;
import io.drumlin.golden.base.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The groups, types and datasets that the program of a case in the mode HDF5 declares. */
final class Declarations {

    private static final List<String> CALLS = List.of(
            "FTI_InitGroup",
            "FTI_InitType",
            "FTI_InitCompositeType",
            "FTI_AddScalarField",
            "FTI_AddVectorField",
            "FTI_DefineDataset");

    private final List<Json> calls;

    private Declarations(List<Json> calls) {
        this.calls = calls;
    }

    /** Finds them among the calls of a program. */
    static Declarations of(Json calls) {
        return new Declarations(calls.list(call -> call).stream()
                .filter(call -> CALLS.contains(call.get("call").text()))
                .toList());
    }

    /** The types, in their order. */
    List<ProgramType> types() {
        List<ProgramType> types = new ArrayList<>();
        for (Json call : calls) {
            if (call.get("call").text().matches("FTI_Init.*Type")) {
                int id = ElementType.values().length + types.size();
                types.add(new ProgramType(
                        call.get("type").text(), id, call.get("size").integer()));
            }
        }
        return types;
    }

    /** Makes the calls on one rank, which has protected nothing yet, except those that define datasets. */
    Declared declare(Checkpoints checkpoints) {
        Declared made = new Declared(checkpoints);
        calls.forEach(made::declare);
        return made;
    }

    /** Everything that the calls have declared on one rank. */
    final class Declared {

        private final Checkpoints checkpoints;
        private final Map<String, DatasetGroup> groups = new HashMap<>();
        private final Map<String, DataType> types = new HashMap<>();

        private Declared(Checkpoints checkpoints) {
            this.checkpoints = checkpoints;
            for (ElementType type : ElementType.values()) {
                types.put(type.name(), io.drumlin.checkpoint.ElementType.of(type.id()));
            }
        }

        private void declare(Json call) {
            switch (call.get("call").text()) {
                case "FTI_InitGroup" -> {
                    DatasetGroup parent = group(call, "parent");
                    String name = call.get("name").text();
                    groups.put(name, (parent == null ? ((FtiCheckpoints) checkpoints).datasets() : parent).group(name));
                }
                case "FTI_InitType" -> {
                    String name = "Type" + types.size();
                    types.put(
                            call.get("type").text(),
                            new OpaqueType(name, call.get("size").integer()));
                }
                case "FTI_InitCompositeType" -> {
                    DatasetGroup group = group(call, "group");
                    String name = call.get("type").text();
                    int size = call.get("size").integer();
                    types.put(
                            name, group == null ? new CompositeType(name, size) : new CompositeType(name, size, group));
                }
                case "FTI_AddScalarField" ->
                    composite(call)
                            .addScalar(
                                    call.get("name").text(),
                                    fieldType(call),
                                    call.get("offset").integer());
                case "FTI_AddVectorField" ->
                    composite(call)
                            .addVector(
                                    call.get("name").text(),
                                    fieldType(call),
                                    call.get("offset").integer(),
                                    dimensions(call));
                default -> {}
            }
        }

        private @Nullable DatasetGroup group(Json call, String key) {
            return call.has(key) ? groups.get(call.get(key).text()) : null;
        }

        private CompositeType composite(Json call) {
            return (CompositeType) type(call.get("type").text());
        }

        private DataType fieldType(Json call) {
            return type(call.get("field_type").text());
        }

        private DataType type(String name) {
            DataType type = types.get(name);
            if (type == null) {
                throw new IllegalStateException("no call declares the type " + name);
            }
            return type;
        }

        /** The type of a variable. */
        DataType type(ValueType type) {
            return type(type instanceof ProgramType own ? own.name() : ((ElementType) type).name());
        }

        /** Defines the datasets of the variables, which are protected. */
        void defineDatasets() {
            for (Json call : calls) {
                if (call.get("call").text().equals("FTI_DefineDataset")) {
                    ((FtiCheckpoints) checkpoints)
                            .defineDataset(
                                    call.get("id").integer(),
                                    call.has("name") ? call.get("name").text() : null,
                                    call.has("dims") ? dimensions(call) : List.of(),
                                    group(call, "group"));
                }
            }
        }

        private static List<Long> dimensions(Json call) {
            return call.get("dims").list(Json::number);
        }
    }
}
