package io.drumlin.golden.fti;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.format.fti.CkptType;
import io.drumlin.golden.base.Outcome;
import io.drumlin.golden.fti.Manifest.Scenario;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Restarts from a copy of the golden files after what each scenario of a case loses. Level and checkpoint must be those that C FTI
 * recovered; the data must be those of the checkpoint, also where C FTI's were not.
 */
final class Restarts {

    private final Path directory;
    private final Manifest manifest;
    private final Outcome outcome;

    Restarts(Path directory, Manifest manifest, Outcome outcome) {
        this.directory = directory;
        this.manifest = manifest;
        this.outcome = outcome;
    }

    void restart() throws IOException {
        if (manifest.scenarios().isEmpty()) {
            return;
        }
        for (Scenario scenario : manifest.scenarios()) {
            try (EngineRun run = EngineRun.of(manifest, directory.resolve("config.after.ini"))) {
                copy(directory.resolve("data"), run.directory());
                damage(run.directory(), scenario);
                survey(run, scenario);
                restart(run, scenario);
            }
        }
        outcome.compared(manifest.scenarios().size() + " restarts as the survey says, all variables by value");
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
                }
            }
        }
    }

    private void damage(Path run, Scenario scenario) throws IOException {
        for (String pattern : scenario.deleted()) {
            for (Path path : matching(run, pattern)) {
                EngineRun.delete(path);
            }
        }
        for (Map.Entry<String, Long> flip : scenario.flipped().entrySet()) {
            List<Path> files = matching(run, flip.getKey());
            outcome.same(scenario.what() + ": files like " + flip.getKey(), 1, files.size());
            for (Path path : files) {
                byte[] bytes = Files.readAllBytes(path);
                int offset = Math.toIntExact(flip.getValue());
                bytes[offset < 0 ? bytes.length + offset : offset] ^= 1;
                Files.write(path, bytes);
            }
        }
    }

    /** Directories without files may be missing among the golden ones, so there may be nothing. */
    private static List<Path> matching(Path run, String pattern) throws IOException {
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
        try (Stream<Path> paths = Files.walk(run)) {
            return paths.filter(path -> matcher.matches(run.relativize(path))).toList();
        }
    }

    /** Compares what the commands say of the run before it is restarted. */
    private void survey(EngineRun run, Scenario scenario) throws IOException {
        String found = RunSurvey.open(run.config(), run.directory())
                .report(true)
                .restart()
                .map(checkpoint -> "level " + checkpoint.level().number() + ", checkpoint " + checkpoint.ckptId())
                .orElse("nothing");
        String expected =
                scenario.recovered() ? "level " + scenario.level() + ", checkpoint " + told(scenario) : "nothing";
        outcome.same("survey with " + scenario.what(), expected, found);
    }

    private void restart(EngineRun run, Scenario scenario) throws IOException {
        List<String> differences = new ArrayList<>();
        run.onEachRank((checkpoints, comm) -> {
            Found found = new Found(
                    checkpoints.recoveryFailure().isEmpty(),
                    checkpoints.status().number(),
                    checkpoints.lastLevel().map(Level::number).orElse(0),
                    checkpoints.lastCheckpoint().orElse(0));
            Found expected = new Found(scenario.recovered(), scenario.status(), scenario.level(), told(scenario));
            boolean right = found.equals(expected);
            if (!right) {
                note(differences, "rank " + comm.rank() + " expected " + expected + ", found " + found);
            } else if (scenario.recovered()) {
                Checkpoint checkpoint = newest(scenario.id());
                Map<Checkpoint.Variable, ByteBuffer> buffers = run.protect(checkpoints, checkpoint, comm.rank());
                checkpoints.recover();
                buffers.forEach((variable, bytes) -> {
                    if (!bytes.clear().equals(variable.values(comm.rank()))) {
                        note(differences, "rank " + comm.rank() + ": variable " + variable.id());
                    }
                });
            }
        });
        differences.forEach(difference -> outcome.differs("restart with " + scenario.what() + ": " + difference));
    }

    private static void note(List<String> differences, String difference) {
        synchronized (differences) {
            differences.add(difference);
        }
    }

    /** The checkpoint that a restart found. */
    private record Found(boolean recovered, int status, int level, int id) {}

    /** Drumlin tells the id of what is recovered; C FTI, of a differential checkpoint, that of the one before. */
    private int told(Scenario scenario) {
        boolean nothingLost = scenario.recovered() && scenario.flipped().isEmpty();
        return nothingLost ? newest(scenario.id()).id() : scenario.id();
    }

    /**
     * Returns the checkpoint that is recovered, by the id that C FTI tells. v1.3 tells that of the differential checkpoint itself.
     */
    private Checkpoint newest(int id) {
        List<Checkpoint> all = manifest.checkpoints();
        int newest = -1;
        for (int i = 0; i < all.size(); i++) {
            boolean differential = all.get(i).type() == CkptType.DCP;
            int before = i == 0 ? 0 : all.get(i - 1).id();
            if (id == (differential ? before : all.get(i).id())
                    || (newest < 0 && id == all.get(i).id())) {
                newest = i;
            }
        }
        return all.get(newest);
    }
}
