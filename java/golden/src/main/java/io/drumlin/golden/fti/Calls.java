package io.drumlin.golden.fti;

import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.RequestedLevel;
import io.drumlin.golden.fti.Checkpoint.Variable;
import io.drumlin.golden.ftiff.LinearCount;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Follows the calls that all ranks of a golden program made, up to what each checkpoint holds. */
final class Calls {

    private final Map<Integer, Variable> variables = new LinkedHashMap<>();
    private final List<Checkpoint> checkpoints = new ArrayList<>();
    private final Map<String, ValueType> types = new HashMap<>();
    private final boolean differential;

    private boolean incremental;
    private int incrementalId;
    private int incrementalLevel;
    private final List<Integer> added = new ArrayList<>();

    private Calls(boolean differential, List<ProgramType> own) {
        this.differential = differential;
        own.forEach(type -> types.put(type.name(), type));
    }

    /**
     * Returns the contents of the checkpoints, in the order in which they were taken.
     *
     * @param differential whether the configuration allows differential checkpoints; C FTI takes ordinary ones otherwise
     */
    static List<Checkpoint> checkpoints(Json calls, boolean differential) {
        Calls state = new Calls(differential, Declarations.of(calls).types());
        calls.list(call -> {
            state.follow(call);
            return call;
        });
        return List.copyOf(state.checkpoints);
    }

    private void follow(Json call) {
        switch (call.get("call").text().replaceFirst("^\\(application\\) exit.*", "exit")) {
            case "FTI_Protect" -> protect(call);
            case "FTI_setIDFromString" -> nameVariable(call.get("name").text());
            case "FTI_SetAttribute" -> setAttribute(call);
            case "(application) fill all protected buffers" ->
                variables.replaceAll(
                        (id, variable) -> filled(variable, call.get("gen").integer()));
            case "(application) fill one buffer" ->
                variables.computeIfPresent(
                        call.get("id").integer(),
                        (id, variable) -> filled(variable, call.get("gen").integer()));
            case "FTI_Checkpoint" ->
                take(
                        call.get("id").integer(),
                        RequestedLevel.of(call.get("level")),
                        List.copyOf(variables.keySet()),
                        false);
            case "FTI_InitICP" -> {
                incremental = call.get("activate").bool();
                incrementalId = call.get("id").integer();
                incrementalLevel = RequestedLevel.of(call.get("level"));
                added.clear();
            }
            case "FTI_AddVarICP" -> added.add(call.get("id").integer());
            case "FTI_FinalizeICP" -> {
                if (incremental) {
                    take(incrementalId, incrementalLevel, List.copyOf(added), true);
                }
            }
            case "FTI_Finalize", "barrier", "exit" -> {}
            case "FTI_InitGroup",
                    "FTI_InitType",
                    "FTI_InitCompositeType",
                    "FTI_AddScalarField",
                    "FTI_AddVectorField",
                    "FTI_DefineDataset" -> {}
            default -> throw call.wrong("is a call whose effect is not known");
        }
    }

    /** The number of the known variables becomes the id of a new name. */
    private void nameVariable(String name) {
        if (variables.values().stream().noneMatch(variable -> variable.idChar().equals(name))) {
            int id = variables.size();
            variables.put(id, unprotected(id, name));
        }
    }

    private static Variable unprotected(int id, String idChar) {
        return new Variable(id, ElementType.FTI_CHAR, new LinearCount(0, 0), 0, "", idChar, Optional.empty());
    }

    private void protect(Json call) {
        int id = call.get("id").integer();
        Variable old = variables.getOrDefault(id, unprotected(id, ""));
        variables.put(
                id,
                new Variable(
                        id,
                        type(call.get("type")),
                        new LinearCount(
                                call.get("count").number(),
                                call.get("count_extra_per_app_rank").number()),
                        old.generation(),
                        old.name(),
                        old.idChar(),
                        old.dimension()));
    }

    private ValueType type(Json name) {
        ValueType own = types.get(name.text());
        return own == null ? ElementType.of(name) : own;
    }

    private void setAttribute(Json call) {
        String flags = call.get("flags").text();
        boolean dims = flags.contains("DIM");
        if (dims
                && !(call.get("ndims").integer() == 1 && call.get("dim0").text().equals("element count"))) {
            throw call.wrong("has dimensions that are not known");
        }
        variables.computeIfPresent(
                call.get("id").integer(),
                (id, old) -> new Variable(
                        id,
                        old.type(),
                        old.count(),
                        old.generation(),
                        flags.contains("NAME") ? call.get("name").text() : old.name(),
                        old.idChar(),
                        dims ? Optional.of(old.count()) : old.dimension()));
    }

    private static Variable filled(Variable old, int generation) {
        return new Variable(old.id(), old.type(), old.count(), generation, old.name(), old.idChar(), old.dimension());
    }

    private void take(int id, int level, List<Integer> fileOrder, boolean oneByOne) {
        int taken = level == Checkpoint.DIFFERENTIAL && !differential ? 4 : level;
        checkpoints.add(new Checkpoint(id, taken, List.copyOf(variables.values()), fileOrder, oneByOne));
    }
}
