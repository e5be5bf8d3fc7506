package io.drumlin.golden.scr;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.scr.internal.cache.CachedDataset;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Caches of nodes, some of which are lost: whether their files can be made again, and to which bytes. */
final class RebuildCase {

    private final Path directory;
    private final Json manifest;
    private final Outcome outcome;
    private final Path recorded;
    private int rebuilt;
    private int impossible;

    RebuildCase(Path directory, Json manifest, Outcome outcome) {
        this.directory = directory;
        this.manifest = manifest;
        this.outcome = outcome;
        this.recorded = Path.of(manifest.get("cache_path_during_run").text());
    }

    void compare() throws IOException {
        for (Json loss : manifest.get("rebuild").list(each -> each)) {
            Path nodes = Files.createTempDirectory("drumlin-golden");
            try {
                OperationsCase.copy(directory.resolve("nodes"), nodes);
                compare(nodes, loss);
            } finally {
                OperationsCase.delete(nodes);
            }
        }
        outcome.compared(rebuilt + " losses of nodes made good to equal bytes, " + impossible + " found impossible");
    }

    private void compare(Path nodes, Json loss) throws IOException {
        List<String> lost = loss.get("lost_nodes").list(Json::text);
        List<Path> all = nodes(nodes);
        for (String node : lost) {
            OperationsCase.delete(nodes.resolve(node));
        }
        boolean possible = loss.get("restart_possible").bool();
        String where = "lost " + lost;
        Dataset newest = newest(nodes(nodes).get(0));
        List<Boolean> done = ThreadCommunicator.call(all.size(), world -> {
            Path dataset = all.get(world.rank()).resolve(newest.path);
            CachedDataset cached = new CachedDataset(dataset, recorded.resolve(newest.path), world, new NioEngine());
            return newest.bypass ? cached.rebuildMaps() : cached.rebuild();
        });
        outcome.same(where + ": rebuilt", possible, done.get(0));
        if (possible && done.get(0)) {
            outcome.same(where + ": dataset", loss.get("name").text(), newest.name);
            compareFiles(where, nodes);
            rebuilt++;
        } else {
            impossible++;
        }
    }

    private static List<Path> nodes(Path nodes) throws IOException {
        try (Stream<Path> paths = Files.list(nodes)) {
            return paths.sorted().toList();
        }
    }

    /**
     * A dataset of a cache.
     *
     * @param path below the cache directory of each node
     */
    private record Dataset(Path path, String name, boolean bypass) {}

    private Dataset newest(Path node) throws IOException {
        List<Path> indexes;
        try (Stream<Path> paths = Files.walk(node)) {
            indexes = paths.filter(path -> path.endsWith("cindex.scrinfo")).toList();
        }
        KvTree datasets = KvTreeFile.read(StoredFiles.source(Files.readAllBytes(indexes.get(0))))
                .tree()
                .add("DSET");
        String id = datasets.keys().stream()
                .max(Comparator.comparingInt(Integer::parseInt))
                .orElseThrow();
        KvTree dataset = datasets.add(id);
        return new Dataset(
                recorded.relativize(Path.of(dataset.value("PATH").orElseThrow())),
                dataset.add("DSETDESC").value("NAME").orElseThrow(),
                dataset.value("BYPASS").orElse("0").equals("1"));
    }

    /** Files of one rank each; what is one for a node, and what older datasets had, is not made again. */
    private void compareFiles(String where, Path nodes) throws IOException {
        List<Path> made = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(nodes)) {
            paths.filter(Files::isRegularFile).forEach(made::add);
        }
        for (Path path : made) {
            Path original =
                    directory.resolve("nodes").resolve(nodes.relativize(path).toString());
            if (!Files.exists(original) || Files.mismatch(path, original) >= 0) {
                outcome.differs(where + ": " + nodes.relativize(path) + " is not what SCR had written");
            }
        }
    }
}
