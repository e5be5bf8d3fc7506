package io.drumlin.golden.ftiff;

import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.RequestedLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The calls of the golden program. Every application rank made the same ones.
 *
 * @param steps in order
 */
public record CallSequence(List<Step> steps) {

    /** One entry of {@code calls}. */
    public sealed interface Step {}

    /**
     * {@code FTI_Protect}, after the variable was given its size.
     *
     * @param id id of the variable
     * @param values type of the elements
     * @param count elements on a rank
     * @param fillSeed seed of the values of the whole variable, given before the call; empty: left alone
     */
    public record Protect(int id, ValueRule values, LinearCount count, OptionalLong fillSeed) implements Step {}

    /**
     * Elements get new values.
     *
     * @param id id of the variable
     * @param start first element
     * @param count elements; empty for all up to the end
     * @param seed of the values
     */
    public record Change(int id, long start, OptionalLong count, long seed) implements Step {}

    /**
     * {@code FTI_Checkpoint}.
     *
     * @param id id of the checkpoint
     * @param level 1 to 4, or 8 for a differential one
     */
    public record Checkpoint(int id, int level) implements Step {}

    /**
     * {@code FTI_InitICP}, {@code FTI_AddVarICP} for each variable, {@code FTI_FinalizeICP}.
     *
     * @param id id of the checkpoint
     * @param level as for {@link Checkpoint}
     * @param order ids of the variables
     */
    public record IncrementalCheckpoint(int id, int level, List<Integer> order) implements Step {}

    /**
     * The directories were copied.
     *
     * @param name of the snapshot
     */
    public record TakeSnapshot(String name) implements Step {}

    /** {@code FTI_Finalize}. */
    public record Finish() implements Step {}

    /** The processes ended, by {@link Finish} or without it, and the program is started again. */
    public record Restart() implements Step {}

    /** {@code FTI_Recover}. */
    public record Recover() implements Step {}

    /**
     * A variable was compared with the values of a seed.
     *
     * @param id id of the variable
     * @param seed of the values
     */
    public record Compare(int id, long seed) implements Step {}

    /** The processes wait until the heads are done. */
    public record WaitForHeads() implements Step {}

    /**
     * Something that was done outside the library.
     *
     * @param text as it is in the manifest
     */
    public record Other(String text) implements Step {}

    /**
     * Reads the list.
     *
     * @param calls value of {@code calls}
     * @return the steps
     */
    public static CallSequence of(Json calls) {
        List<Step> steps = new ArrayList<>();
        calls.list(call -> call.list(part -> part)).forEach(parts -> add(steps, parts));
        return new CallSequence(List.copyOf(steps));
    }

    private static void add(List<Step> steps, List<Json> parts) {
        String name = parts.get(0).text();
        if (name.equals("FTI_Finalize, then copy to snapshot")) {
            steps.add(new Finish());
            steps.add(new TakeSnapshot(parts.get(1).text()));
        } else if (name.startsWith("copy of ") && name.endsWith(" to snapshot")) {
            steps.add(new TakeSnapshot(parts.get(1).text()));
        } else if (parts.size() == 1) {
            steps.add(plain(name));
        } else {
            steps.add(call(name, parts.get(1)));
        }
    }

    private static Step plain(String name) {
        return switch (name) {
            case "FTI_Finalize" -> new Finish();
            case "FTI_Recover" -> new Recover();
            case "wait for the heads" -> new WaitForHeads();
            default -> name.startsWith("-- process group ends") ? new Restart() : new Other(name);
        };
    }

    private static Step call(String name, Json arguments) {
        int id = arguments.has("id") ? arguments.get("id").integer() : -1;
        return switch (name) {
            case "FTI_Protect" ->
                new Protect(
                        id,
                        ValueRule.of(arguments.get("type")),
                        LinearCount.of(arguments.get("count")),
                        arguments.has("fill_seed")
                                ? OptionalLong.of(arguments.get("fill_seed").number())
                                : OptionalLong.empty());
            case "FTI_Checkpoint" -> new Checkpoint(id, RequestedLevel.of(arguments.get("level")));
            case "FTI_InitICP+FTI_AddVarICP+FTI_FinalizeICP" ->
                new IncrementalCheckpoint(
                        id,
                        RequestedLevel.of(arguments.get("level")),
                        arguments.get("order").list(Json::integer));
            case "change" ->
                new Change(
                        id,
                        arguments.get("start").number(),
                        OptionalLong.of(arguments.get("count").number()),
                        arguments.get("seed").number());
            case "refill" ->
                new Change(id, 0, OptionalLong.empty(), arguments.get("seed").number());
            case "contents compared" -> new Compare(id, arguments.get("seed").number());
            default -> throw arguments.wrong("belongs to an unknown call " + name);
        };
    }
}
