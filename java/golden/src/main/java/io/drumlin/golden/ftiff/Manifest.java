package io.drumlin.golden.ftiff;

import io.drumlin.format.ftiff.BlockMeta;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.VariableMeta;
import io.drumlin.golden.base.Json;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The {@code manifest.json} of an FTI-FF case.
 *
 * @param name of the case
 * @param layout letter of the layout that the files have
 * @param writer release of C FTI that wrote them
 * @param ranks number of processes
 * @param appRanks world ranks that are not heads, in order
 * @param config values that differ from case to case, without their sections
 * @param calls what every application rank did
 * @param checkpoints what each checkpoint holds, by id
 * @param snapshots what was on disk, by name, in the order in which they were taken
 */
public record Manifest(
        String name,
        String layout,
        String writer,
        int ranks,
        List<Integer> appRanks,
        Map<String, String> config,
        CallSequence calls,
        Map<Integer, Checkpoint> checkpoints,
        Map<String, Snapshot> snapshots) {

    /**
     * The contents of a checkpoint.
     *
     * @param level 1 to 4
     * @param kind {@code full} or {@code dcp}
     * @param variables in the order of first protection
     */
    public record Checkpoint(int level, String kind, List<Variable> variables) {}

    /**
     * A variable at one checkpoint.
     *
     * @param id id of the protected variable
     * @param values type and size of its elements
     * @param count elements on a rank
     * @param segments how they were filled; later ones override earlier ones
     */
    public record Variable(int id, ValueRule values, LinearCount count, List<Segment> segments) {}

    /**
     * A part of a variable that was filled from one seed.
     *
     * @param start first element
     * @param count elements; empty for all up to the end
     * @param seed of the value rule
     */
    public record Segment(long start, OptionalLong count, long seed) {}

    /**
     * A copy of the run's directories.
     *
     * @param execId name of the run's directories
     * @param restartFailure {@code failure} in the section {@code restart} of the configuration
     * @param files all files
     */
    public record Snapshot(String execId, int restartFailure, List<SnapshotFile> files) {}

    /**
     * A file of a snapshot.
     *
     * @param path below the snapshot
     * @param size bytes
     * @param sha256 of the whole file, hexadecimal
     * @param kind rank, partner_copy, rs_encoded, dcp, topology, checkpoint_list or config
     * @param checkpoint what is in it; {@code null} where there is no checkpoint in it
     */
    public record SnapshotFile(
            String path, long size, String sha256, String kind, @Nullable CheckpointFile checkpoint) {}

    /**
     * The contents of a checkpoint file.
     *
     * @param ckptId id of the checkpoint
     * @param contentRank world rank whose variables it holds: for a partner copy that of the left neighbour
     * @param layout letter of the layout
     * @param fileMeta the file record
     * @param blocks the blocks, empty in encoded files
     * @param checksumOfContent whether the checksum counts the containers with content only; C FTI accepts no other
     */
    public record CheckpointFile(
            int ckptId,
            int contentRank,
            String layout,
            FileMeta fileMeta,
            List<BlockMeta> blocks,
            boolean checksumOfContent) {}

    /**
     * Returns whether a manifest is of this kind.
     *
     * @param manifest the parsed file
     * @return true if it has what an FTI-FF manifest has
     */
    public static boolean looksRight(Map<String, Object> manifest) {
        return manifest.keySet().containsAll(List.of("layout", "value_rule", "checkpoints", "snapshots"));
    }

    /**
     * A number of the configuration.
     *
     * @param key {@code node_size} or {@code group_size}
     * @return its value, or 1
     */
    int number(String key) {
        return Integer.parseInt(config.getOrDefault(key, "1"));
    }

    /**
     * Reads a manifest.
     *
     * @param json the parsed file
     * @return the same, typed; what is not as it should be is a {@link io.drumlin.golden.base.ManifestException}
     */
    public static Manifest of(Json json) {
        Map<String, Checkpoint> checkpoints = json.get("checkpoints").members(Manifest::checkpoint);
        Map<Integer, Checkpoint> byId = new java.util.LinkedHashMap<>();
        checkpoints.forEach((id, checkpoint) -> byId.put(Integer.valueOf(id), checkpoint));
        return new Manifest(
                json.get("case").text(),
                json.get("layout").text(),
                json.get("writer").text(),
                json.get("ranks").integer(),
                json.get("app_ranks").list(Json::integer),
                json.get("config").members(Json::text),
                CallSequence.of(json.get("calls")),
                byId,
                json.get("snapshots").members(Manifest::snapshot));
    }

    private static Checkpoint checkpoint(Json json) {
        return new Checkpoint(
                json.get("level").integer(),
                json.get("kind").text(),
                json.get("vars").list(Manifest::variable));
    }

    private static Variable variable(Json json) {
        Json count = json.get("count");
        return new Variable(
                json.get("id").integer(),
                ValueRule.of(json.get("type"), json.get("elem_size").integer()),
                new LinearCount(
                        count.get("base").number(), count.get("per_rank").number()),
                json.get("segments").list(Manifest::segment));
    }

    private static Segment segment(Json json) {
        Json count = json.get("count");
        boolean all = count.isText() && count.text().equals("all");
        return new Segment(
                json.get("start").number(),
                all ? OptionalLong.empty() : OptionalLong.of(count.number()),
                json.get("seed").number());
    }

    private static Snapshot snapshot(Json json) {
        return new Snapshot(
                json.get("exec_id").text(),
                json.get("restart_failure").integer(),
                json.get("files").list(Manifest::file));
    }

    private static SnapshotFile file(Json json) {
        return new SnapshotFile(
                json.get("path").text(),
                json.get("size").number(),
                json.get("sha256").text(),
                json.get("kind").text(),
                json.has("file_meta") ? checkpointFile(json) : null);
    }

    private static CheckpointFile checkpointFile(Json json) {
        String contentRank = json.has("copy_of_rank") ? "copy_of_rank" : "rank";
        boolean ofContent = !json.has("checksum_accepted_by_writer_release_reader")
                || json.get("checksum_accepted_by_writer_release_reader").bool();
        return new CheckpointFile(
                json.get("ckpt_id").integer(),
                json.get(contentRank).integer(),
                json.get("layout").text(),
                fileMeta(
                        json.get("file_meta"), Layout.valueOf(json.get("layout").text())),
                json.has("blocks") ? json.get("blocks").list(Manifest::block) : List.of(),
                ofContent);
    }

    /** Older layouts lack some fields; they are -1 here. Of a timestamp that is cut to 32 bits the sign means nothing. */
    private static FileMeta fileMeta(Json json, Layout layout) {
        long timestamp = json.get("timestamp").number();
        return new FileMeta(
                json.get("checksum").text(),
                json.get("myHash").text(),
                json.has("ckptId") ? json.get("ckptId").integer() : -1,
                json.get("ckptSize").number(),
                json.has("metaSize") ? json.get("metaSize").number() : -1,
                json.has("dataSize") ? json.get("dataSize").number() : -1,
                json.get("fs").number(),
                json.get("maxFs").number(),
                json.get("ptFs").number(),
                layout.timestampIsCut() ? Integer.toUnsignedLong((int) timestamp) : timestamp);
    }

    private static BlockMeta block(Json json) {
        List<VariableMeta> variables = json.get("vars").list(Manifest::container);
        if (json.get("numvars").integer() != variables.size()) {
            throw json.wrong("has another number of vars than numvars says");
        }
        return new BlockMeta(variables, json.get("dbsize").number());
    }

    private static VariableMeta container(Json json) {
        return new VariableMeta(
                json.get("id").integer(),
                json.has("idx") ? json.get("idx").integer() : VariableMeta.NO_IDX,
                json.get("containerid").integer(),
                json.get("hascontent").bool(),
                json.has("hasCkpt") && json.get("hasCkpt").bool(),
                json.get("dptr").number(),
                json.get("fptr").number(),
                json.get("chunksize").number(),
                json.get("containersize").number(),
                json.get("hash").text());
    }
}
