package io.drumlin.golden.fti;

import io.drumlin.checkpoint.internal.config.Mode;
import io.drumlin.golden.base.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The {@code manifest.json} of a case.
 *
 * @param config values by {@code section.key}
 * @param execId name of the run's directories
 * @param ranks number of processes, heads included
 * @param places the application ranks, in their order
 * @param checkpoints that were taken, in order
 * @param declarations of the mode HDF5
 * @param files all below the case's directory {@code data}
 * @param finished whether the program ended with {@code FTI_Finalize}
 * @param scenarios what was lost before a restart, and what C FTI made of it
 */
record Manifest(
        Map<String, String> config,
        String execId,
        int ranks,
        List<Place> places,
        List<Checkpoint> checkpoints,
        Declarations declarations,
        List<StoredFile> files,
        boolean finished,
        List<Scenario> scenarios) {

    /**
     * A restart.
     *
     * @param what was lost, in words
     * @param deleted patterns of paths below {@code data}
     * @param flipped files of which a byte was changed, by patterns of their paths, with its offset, below 0 from their end
     * @param recovered whether C FTI found a checkpoint
     * @param status of FTI after {@code FTI_Init}
     * @param level of the checkpoint found
     * @param id of the checkpoint found
     */
    record Scenario(
            String what,
            List<String> deleted,
            Map<String, Long> flipped,
            boolean recovered,
            int status,
            int level,
            int id) {

        static Scenario of(Json json) {
            Json observed = json.get("observed");
            boolean recovered = observed.get("fti_init").number() == 0;
            Map<String, Long> flipped = new LinkedHashMap<>();
            if (json.has("flip")) {
                json.get("flip")
                        .list(flip -> flipped.put(
                                flip.get("file").text(), flip.get("offset").number()));
            }
            return new Scenario(
                    json.get("what").text(),
                    json.has("delete") ? json.get("delete").list(Json::text) : List.of(),
                    flipped,
                    recovered,
                    observed.get("status_after_init").integer(),
                    recovered ? observed.get("recovered_level").integer() : 0,
                    recovered ? observed.get("recovered_ckpt_id").integer() : 0);
        }
    }

    /**
     * A file.
     *
     * @param path below the case's directory
     * @param size bytes
     * @param sha256 hexadecimal
     */
    record StoredFile(String path, long size, String sha256) {}

    static boolean looksRight(Map<String, Object> manifest) {
        return manifest.keySet()
                .containsAll(List.of("config_key_values", "exec_id", "rank_map", "calls", "data_generator", "files"));
    }

    /** Without the restarts before which something was lost. */
    Manifest withoutLosses() {
        List<Scenario> whole = scenarios.stream()
                .filter(each -> each.deleted().isEmpty() && each.flipped().isEmpty())
                .toList();
        return new Manifest(config, execId, ranks, places, checkpoints, declarations, files, finished, whole);
    }

    Mode mode() {
        return Mode.of(config("basic.ckpt_io")).orElseThrow();
    }

    static Manifest of(Json json) {
        Map<String, String> config = json.get("config_key_values").members(Json::text);
        boolean differential = "1".equals(config.get("basic.enable_dcp")) && "1".equals(config.get("basic.ckpt_io"));
        List<Json> ranks = json.get("rank_map").list(rank -> rank);
        return new Manifest(
                config,
                json.get("exec_id").text(),
                json.get("mpi_ranks").integer(),
                ranks.stream()
                        .filter(rank -> rank.get("role").text().equals("app"))
                        .map(Place::of)
                        .toList(),
                Calls.checkpoints(json.get("calls"), differential),
                Declarations.of(json.get("calls")),
                json.get("files")
                        .list(file -> new StoredFile(
                                file.get("path").text(),
                                file.get("size").number(),
                                file.get("sha256").text())),
                json.get("calls").list(call -> call.get("call").text()).contains("FTI_Finalize"),
                json.has("restart_scenarios") ? json.get("restart_scenarios").list(Scenario::of) : List.of());
    }

    /** Layers of a file of differential checkpoints. */
    int stackSize() {
        int configured = config("basic.dcp_stack_size");
        return configured < 1 || configured > 10 ? 5 : configured;
    }

    int config(String key) {
        return Integer.parseInt(config.getOrDefault(key, "0"));
    }
}
