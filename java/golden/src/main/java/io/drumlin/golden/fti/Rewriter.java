package io.drumlin.golden.fti;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.Mode;
import io.drumlin.format.fti.IniFile;
import io.drumlin.golden.base.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Makes the calls of a case with the checkpoint engine and compares all files that are left. Masked are the id of the run, which
 * is random, the times in the list of checkpoints, the checksums of blocks of a shared file, for which C FTI writes anything, and what
 * only Drumlin says: the variables at the time of the layers of a differential checkpoint.
 */
final class Rewriter {

    private static final String CHECKSUM = "(?m)^(ckpt_checksum +=).*$";

    /** The lines about the whole file that only Drumlin writes. */
    private static final String OURS = "(?m)^drumlin_.*\\n|\\n\\[drumlin]\\nseal .*\\n\\n";

    private static final String LAYER_VARIABLES = "(?m)^dcp_layer\\d+_drumlin_.*\\n";
    private static final String TIMESTAMP = "(?m)^(timestamp +=).*$";

    private final Path directory;
    private final Manifest manifest;
    private final Outcome outcome;

    Rewriter(Path directory, Manifest manifest, Outcome outcome) {
        this.directory = directory;
        this.manifest = manifest;
        this.outcome = outcome;
    }

    void rewrite() throws IOException {
        try (EngineRun run = EngineRun.of(manifest, directory.resolve("config.before.ini"))) {
            run.onEachRank((checkpoints, comm) -> {
                for (Checkpoint checkpoint : manifest.checkpoints()) {
                    run.protect(checkpoints, checkpoint, comm.rank())
                            .forEach((variable, bytes) -> bytes.put(variable.values(comm.rank())));
                    take(checkpoints, checkpoint);
                }
                if (manifest.finished()) {
                    checkpoints.complete();
                }
            });
            compare(run);
        }
    }

    private static void take(Checkpoints checkpoints, Checkpoint checkpoint) throws IOException {
        Level level = Level.of(checkpoint.level());
        if (!checkpoint.incremental()) {
            checkpoints.checkpoint(checkpoint.id(), level);
            return;
        }
        try (IncrementalCheckpoint begun = checkpoints.incremental(checkpoint.id(), level)) {
            for (int id : checkpoint.fileOrder()) {
                begun.add(id);
            }
            begun.commit();
        }
    }

    private void compare(EngineRun run) throws IOException {
        String config = read(run.config()).replace(run.directory() + "/", "./");
        String execId =
                IniFile.parse(config, "config.fti").get("restart", "exec_id").orElseThrow();
        String golden = read(directory.resolve("config.after.ini"));
        boolean kept = manifest.config("basic.keep_last_ckpt") == 1;
        if (manifest.finished() && manifest.config("basic.keep_l4_ckpt") == 1 && !kept) {
            // C FTI leaves 1 there, so that the next start is a restart that finds nothing.
            golden = IniFile.parse(golden, "config.after.ini")
                    .with("restart", "failure", "0")
                    .text();
        }
        outcome.same("config.after.ini written again", values(golden, manifest.execId()), values(config, execId));
        Map<String, String> expected = files(directory.resolve("data"), manifest.execId());
        Files.delete(run.config());
        Map<String, String> written = files(run.directory(), execId);
        outcome.sameSets("files written again", expected.keySet(), written.keySet());
        expected.keySet().retainAll(written.keySet());
        // Metadata are written with the keys of the last releases.
        expected.entrySet()
                .removeIf(file -> file.getKey().matches(".*/sector\\d+-group\\d+\\.fti")
                        && !file.getValue().contains("_typeid"));
        expected.forEach((path, bytes) -> {
            if (!bytes.equals(written.get(path))) {
                outcome.differs(path + " written again is not as C FTI wrote it");
            }
        });
        outcome.compared("written again: " + expected.size() + " files byte for byte but for times of checkpoints");
    }

    private static Map<String, Map<String, String>> values(String text, String execId) throws IOException {
        IniFile ini = IniFile.parse(text.replace(execId, "X"), "configuration");
        Map<String, Map<String, String>> values = new LinkedHashMap<>();
        ini.sections().forEach(section -> values.put(section, ini.section(section)));
        return values;
    }

    /** Contents by path, one character per byte. C FTI never looks at files of Drumlin's own. */
    private Map<String, String> files(Path top, String execId) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(top)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                if (path.getFileName().toString().startsWith("drumlin-")) {
                    continue;
                }
                String content = read(path);
                String name = top.relativize(path).toString().replace(execId, "X");
                files.put(name, masked(name, content));
            }
        }
        return files;
    }

    private String masked(String name, String content) {
        if (name.endsWith("Checkpoint.fti")) {
            return content.replaceAll(TIMESTAMP, "$1");
        }
        if (!name.contains("/sector")) {
            return content;
        }
        String common = content.replaceAll(OURS, "");
        return name.contains("/l4/") ? maskedMetadata(common) : common;
    }

    private String maskedMetadata(String content) {
        boolean blocks = manifest.mode() == Mode.MPI_IO;
        return blocks ? content.replaceAll(CHECKSUM, "$1") : content.replaceAll(LAYER_VARIABLES, "");
    }

    private static String read(Path path) throws IOException {
        return Files.readString(path, StandardCharsets.ISO_8859_1);
    }
}
