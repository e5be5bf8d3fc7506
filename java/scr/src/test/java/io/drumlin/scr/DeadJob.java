package io.drumlin.scr;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A job of four ranks, each with a node of its own, that writes datasets to its caches and dies. */
public final class DeadJob {

    public static final int RANKS = 4;

    private final Path directory;
    private final Map<String, String> more = new HashMap<>();

    public DeadJob(Path directory) {
        this.directory = directory;
    }

    public Path prefix() {
        return directory.resolve("prefix");
    }

    /** The cache of a node. */
    public Path cache(int rank) {
        return directory.resolve("n" + rank);
    }

    /** The directory with the index of the cache of a node. */
    public Path control(int rank) {
        return cache(rank).resolve("user1/scr.defjobid");
    }

    /** Sets a parameter of SCR. */
    public DeadJob with(String key, String value) {
        more.put(key, value);
        return this;
    }

    /** The content of the data file of a rank in a dataset. */
    public static byte[] content(String name, int rank) {
        byte[] bytes = new byte[1000 + 300_000 * (rank % 2) + 7 * rank];
        new Random(31L * name.hashCode() + rank).nextBytes(bytes);
        return bytes;
    }

    /** A dataset, and the place of its files below the prefix directory. */
    public record Dataset(String name, String place, boolean checkpoint, boolean output) {
        public static Dataset checkpoint(String name) {
            return new Dataset(name, name, true, false);
        }

        static Dataset output(String name) {
            return new Dataset(name, name, false, true);
        }
    }

    /** Writes datasets, each to the caches of all nodes. The ranks name their files {@code data} or {@code data_RANK}. */
    public void run(String fileName, Dataset... datasets) throws IOException {
        ThreadCommunicator.run(RANKS, world -> {
            ScrDatasets scr = ScrDatasets.open(new ScrConfig(environment(world.rank())), world, new NioEngine());
            for (Dataset each : List.of(datasets)) {
                scr.startOutput(each.name(), each.checkpoint(), each.output());
                Path place = prefix().resolve(each.place()).resolve(Integer.toString(world.rank()));
                Files.write(scr.routeFile(place.resolve(fileName)), content(each.name(), world.rank()));
                scr.completeOutput(true);
            }
        });
    }

    /** What a node is told. */
    public Map<String, String> environment(int rank) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "SCR_PREFIX",
                prefix().toString(),
                "SCR_CACHE_BASE",
                cache(rank).toString(),
                "SCR_CNTL_BASE",
                cache(rank).toString(),
                "SCR_NODE_NAME",
                "n" + rank,
                "SCR_USER_NAME",
                "user1",
                "SCR_COPY_TYPE",
                "XOR",
                "SCR_CACHE_BYPASS",
                "0",
                "SCR_FLUSH",
                "0"));
        environment.putAll(more);
        return environment;
    }
}
