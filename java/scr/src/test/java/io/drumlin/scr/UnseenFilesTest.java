package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.kvtree.ScrGolden;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.PrefixFiles;
import io.drumlin.scr.internal.index.ScrIndexTest;
import io.drumlin.scr.internal.scavenge.IndexOperations;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file system does not say whether there is a file. It is not taken for one that is missing, and nothing is lost. */
@Tag("exhaustive")
class UnseenFilesTest {

    @TempDir
    Path folder;

    private Path prefix;

    @BeforeEach
    void copy() throws IOException {
        prefix = ScrGolden.copy("prefix_several/prefix", folder.resolve("p"));
    }

    @Test
    void anIndexIsNotReplacedByAnEmptyOne() throws IOException, InterruptedException {
        nothingHappens("stat path=/index.scr from=1 error=EIO", "change", "drop", "delete", "purge", "open");
    }

    /** That of the oldest versions, beside the other metadata. */
    @Test
    void anOldIndexIsNotReplacedByAnEmptyOne() throws IOException, InterruptedException {
        Files.move(prefix.resolve(".scr/index.scr"), prefix.resolve("index.scr"));
        nothingHappens("stat path=" + prefix + "/index.scr from=1 error=EIO", "change", "drop", "purge", "open");
    }

    @Test
    void filesOfADatasetAreNotForgotten() throws IOException, InterruptedException {
        nothingHappens("stat path=/rank2file from=1 error=ESTALE", "delete", "purge");
    }

    /** It would be that of a dataset which is there. */
    @Test
    void anIdIsNotTakenForFree() throws IOException, InterruptedException {
        nothingHappens("stat path=/scr.dataset. from=1 error=EACCES", "begin");
    }

    private void nothingHappens(String rules, String... calls) throws IOException, InterruptedException {
        Map<Path, String> before = files();
        for (String call : calls) {
            Mpirun.Outcome outcome = Mpirun.withoutLauncher().faults(rules).run(Program.class, prefix.toString(), call);
            assertThat(outcome.output()).as(call).containsPattern("failed: .*(EIO|ESTALE|EACCES)");
            assertThat(files()).as(call + outcome.output()).isEqualTo(before);
        }
    }

    /** But for the lock and what a job notes of itself at its start. */
    private Map<Path, String> files() throws IOException {
        Map<Path, String> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(prefix)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                if (!path.toString().matches(".*/(index\\.lock|nodes\\.scr|app\\.conf|flush\\.scr)")) {
                    files.put(path, new KvTreeStore(new NioEngine()).crc32(path) + " " + Files.size(path));
                }
            }
        }
        return files;
    }

    /** What the other JVM runs. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) {
            ScrPrefix prefix = new ScrPrefix(Path.of(args[0]));
            NioEngine storage = new NioEngine();
            PrefixFiles files = new PrefixFiles(prefix, new KvTreeStore(storage));
            switch (args[1]) {
                case "change" ->
                    say(() -> new IndexFile(prefix, storage)
                            .update(index -> index.complete(ScrIndexTest.checkpoint(9), LocalDateTime.now())));
                case "drop" -> say(() -> new IndexOperations(prefix, storage).drop("ckpt.1"));
                case "delete" -> say(() -> files.delete("ckpt.1"));
                case "purge" -> say(files::deleteAll);
                case "open" -> say(() -> open(prefix));
                case "begin" -> say(() -> open(prefix).startOutput("new", true, false));
                default -> throw new AssertionError(args[1]);
            }
        }

        private static ScrDatasets open(ScrPrefix prefix) throws IOException {
            ScrConfig config = new ScrConfig(Map.of())
                    .set("SCR_PREFIX", prefix.path().toString())
                    .set("SCR_CACHE_BASE", prefix.path().resolveSibling("cache").toString())
                    .set("SCR_CNTL_BASE", prefix.path().resolveSibling("cache").toString());
            return ScrDatasets.open(config, new SingleCommunicator(), new NioEngine());
        }

        private static void say(Agreement.Step step) {
            try {
                step.run();
                System.out.println("done");
            } catch (IOException e) {
                System.out.println("failed: " + e.getMessage());
            }
        }
    }
}
