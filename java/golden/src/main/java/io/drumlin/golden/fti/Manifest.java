package io.drumlin.golden.fti;

import io.drumlin.golden.Json;
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
 * @param files all below the case's directory {@code data}
 */
record Manifest(
        Map<String, String> config,
        String execId,
        int ranks,
        List<Place> places,
        List<Checkpoint> checkpoints,
        List<StoredFile> files) {

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

    static Manifest of(Json json) {
        List<Json> ranks = json.get("rank_map").list(rank -> rank);
        return new Manifest(
                json.get("config_key_values").members(Json::text),
                json.get("exec_id").text(),
                json.get("mpi_ranks").integer(),
                ranks.stream()
                        .filter(rank -> rank.get("role").text().equals("app"))
                        .map(Place::of)
                        .toList(),
                Calls.checkpoints(json.get("calls")),
                json.get("files")
                        .list(file -> new StoredFile(
                                file.get("path").text(),
                                file.get("size").number(),
                                file.get("sha256").text())));
    }

    int config(String key) {
        return Integer.parseInt(config.getOrDefault(key, "0"));
    }
}
