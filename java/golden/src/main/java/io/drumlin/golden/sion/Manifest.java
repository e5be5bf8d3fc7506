package io.drumlin.golden.sion;

import io.drumlin.golden.base.Json;
import io.drumlin.golden.sion.Pattern.Segment;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The {@code manifest.json} of a SION case.
 *
 * @param open how the files were opened
 * @param pattern of all data
 * @param operations what was called, in order
 * @param closed whether the files were closed
 * @param keyValue whether the tasks hold records
 * @param bigEndianPayload what the files say of the data
 * @param bigEndianMetadata byte order of the metadata
 * @param mapping file and place of each task of a set of files; empty where the files have none
 * @param files the physical files
 * @param buddyFiles the copies of them
 * @param tasks what is in the files
 */
public record Manifest(
        Open open,
        Pattern pattern,
        List<Operation> operations,
        boolean closed,
        boolean keyValue,
        boolean bigEndianPayload,
        boolean bigEndianMetadata,
        List<List<Integer>> mapping,
        List<PhysicalFile> files,
        List<PhysicalFile> buddyFiles,
        List<Task> tasks) {

    /**
     * The call that opened the files.
     *
     * @param api the calls that opened it, in words
     * @param file name of the first file
     * @param mode as C SIONlib takes it
     * @param fsBlockSize bytes
     * @param files number of physical files that was asked for
     * @param chunkSizes that were asked for
     * @param globalRanks that the caller gave, in serial
     * @param colors of the local communicators; empty where there is one
     * @param processes of a mapped open, 0 elsewhere
     * @param owners process of each task, in a mapped open
     * @param fileNumbers file of each task, in a mapped open
     * @param localRanks place of each task in its file, in a mapped open
     */
    public record Open(
            String api,
            String file,
            String mode,
            int fsBlockSize,
            int files,
            List<Long> chunkSizes,
            List<Long> globalRanks,
            List<Integer> colors,
            int processes,
            List<Integer> owners,
            List<Integer> fileNumbers,
            List<Integer> localRanks) {}

    /**
     * A call.
     *
     * @param name of the call
     * @param task that called; -1 where all did
     * @param key of a record, 0 elsewhere
     * @param sizes bytes: one number, or one for each task where all called
     */
    public record Operation(String name, int task, long key, List<Integer> sizes) {}

    /**
     * A physical file.
     *
     * @param name of the file
     * @param size bytes
     * @param sha256 of the whole file, hexadecimal
     * @param fileNumber in the set
     * @param globalRanks as stored
     * @param chunkSizes as stored
     * @param starts where the chunks of block 0 are
     * @param globalSkip distance of two chunks
     * @param maxChunks number of blocks; empty in a file that was not closed
     * @param blockCounts blocks of each task
     */
    public record PhysicalFile(
            String name,
            long size,
            String sha256,
            int fileNumber,
            List<Long> globalRanks,
            List<Long> chunkSizes,
            List<Long> starts,
            long globalSkip,
            OptionalInt maxChunks,
            List<Integer> blockCounts) {}

    /**
     * The contents of the file for a task.
     *
     * @param rank in the set
     * @param file number of its file
     * @param localRank place in its file
     * @param blocks bytes in each block
     * @param sha256 of the stream, hexadecimal
     * @param segments what the stream is made of; empty in key/value mode
     * @param records what it is made of in key/value mode
     */
    public record Task(
            int rank,
            int file,
            int localRank,
            List<Long> blocks,
            String sha256,
            List<Segment> segments,
            List<KeyedValue> records) {}

    /**
     * A record of a task in key/value mode.
     *
     * @param key unsigned
     * @param value bytes of the task
     */
    public record KeyedValue(long key, Segment value) {}

    /**
     * Returns whether a manifest is of this kind.
     *
     * @param manifest the parsed file
     * @return true if it says so
     */
    public static boolean looksRight(Map<String, Object> manifest) {
        return String.valueOf(manifest.get("schema")).startsWith("sion-golden/");
    }

    /**
     * Reads a manifest.
     *
     * @param json the parsed file
     * @return the same, typed; what is not as it should be is a {@link io.drumlin.golden.base.ManifestException}
     */
    public static Manifest of(Json json) {
        Json expect = json.get("expect");
        return new Manifest(
                open(json.get("open")),
                new Pattern(json.get("pattern").get("seed").number()),
                json.get("calls").get("ops").list(Manifest::operation),
                expect.get("closed").bool(),
                expect.get("keyval").bool(),
                expect.get("data_big_endian").integer() == 1,
                expect.get("metadata_big_endian").integer() == 1,
                expect.has("mapping") ? expect.get("mapping").list(pair -> pair.list(Json::integer)) : List.of(),
                expect.get("files").list(Manifest::file),
                expect.has("buddy_files") ? expect.get("buddy_files").list(Manifest::file) : List.of(),
                expect.get("tasks").list(Manifest::task));
    }

    private static Open open(Json json) {
        return new Open(
                json.get("api").text(),
                json.get("file").text(),
                json.get("mode").text(),
                json.get("fsblksize").integer(),
                json.get("nfiles_argument").integer(),
                json.get("chunksizes").list(Json::number),
                json.has("globalranks") ? json.get("globalranks").list(Json::number) : List.of(),
                integers(json, "local_communicator_color"),
                json.has("processes") ? json.get("processes").integer() : 0,
                integers(json, "owner_process"),
                integers(json, "mapping_filenrs"),
                integers(json, "mapping_lranks"));
    }

    private static List<Integer> integers(Json json, String key) {
        return json.has(key) ? json.get(key).list(Json::integer) : List.of();
    }

    private static Operation operation(Json json) {
        List<Json> parts = json.list(part -> part);
        String name = parts.get(0).text();
        return switch (name) {
            case "coll_fwrite" -> new Operation(name, -1, 0, parts.get(1).list(Json::integer));
            case "fwrite_key" ->
                new Operation(
                        name,
                        parts.get(1).integer(),
                        Long.parseUnsignedLong(parts.get(2).text()),
                        List.of(parts.get(3).integer()));
            case "fwrite", "ensure_free_space" ->
                new Operation(
                        name, parts.get(1).integer(), 0, List.of(parts.get(2).integer()));
            default -> throw json.wrong("is no call that is known");
        };
    }

    private static PhysicalFile file(Json json) {
        return new PhysicalFile(
                json.get("name").text(),
                json.get("size").number(),
                json.get("sha256").text(),
                json.get("filenumber").integer(),
                json.get("globalranks").list(Json::number),
                json.get("chunksizes_stored").list(Json::number),
                json.get("startpointers").list(Json::number),
                json.get("globalskip").number(),
                json.has("maxchunks") ? OptionalInt.of(json.get("maxchunks").integer()) : OptionalInt.empty(),
                integers(json, "blockcounts"));
    }

    private static Task task(Json json) {
        int rank = json.get("rank").integer();
        return new Task(
                rank,
                json.get("file").integer(),
                json.get("lrank").integer(),
                json.get("blocks").list(Json::number),
                json.get("sha256").text(),
                json.has("segments") ? json.get("segments").list(Manifest::segment) : List.of(),
                json.has("records") ? json.get("records").list(record -> record(record, rank)) : List.of());
    }

    private static Segment segment(Json json) {
        List<Json> parts = json.list(part -> part);
        return new Segment(
                parts.get(0).integer(), parts.get(1).number(), parts.get(2).integer());
    }

    private static KeyedValue record(Json json, int task) {
        List<Json> parts = json.list(part -> part);
        Segment value = new Segment(task, parts.get(2).number(), parts.get(1).integer());
        return new KeyedValue(Long.parseUnsignedLong(parts.get(0).text()), value);
    }
}
