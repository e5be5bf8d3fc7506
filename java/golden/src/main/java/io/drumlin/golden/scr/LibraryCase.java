package io.drumlin.golden.scr;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.scr.ScrConfig;
import io.drumlin.scr.ScrDatasets;
import io.drumlin.scr.internal.halt.HaltFile;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Programs of two ranks that asked the library whether to halt, run again. */
final class LibraryCase {

    private static final int RANKS = 2;
    private static final String EXITING = "Job exiting";

    private final Json manifest;
    private final Outcome outcome;

    LibraryCase(Json manifest, Outcome outcome) {
        this.manifest = manifest;
        this.outcome = outcome;
    }

    void compare() throws IOException {
        List<Json> programs = new ArrayList<>(manifest.get("library_conditions").list(program -> program));
        int all = programs.size();
        programs.removeIf(LibraryCase::isBehind2038);
        for (Json program : programs) {
            Path prefix = Files.createTempDirectory("drumlin-golden");
            try {
                compare(program, prefix);
            } finally {
                OperationsCase.delete(prefix);
            }
        }
        outcome.compared(
                programs.size() + " of " + all + " programs halted alike (the others are about times after 2038)");
    }

    /** C reads times into 32 bits and halts at once; Drumlin takes them for what they say. */
    private static boolean isBehind2038(Json program) {
        return program.has("halt_cntl_args")
                && program.get("halt_cntl_args").list(Json::text).stream()
                        .anyMatch(each -> each.matches("\\d{10,}") && Long.parseLong(each) > Integer.MAX_VALUE);
    }

    private void compare(Json program, Path prefix) throws IOException {
        HaltFile halt = new HaltFile(new ScrPrefix(prefix), new NioEngine());
        if (program.has("halt_cntl_args")) {
            List<String> options = program.get("halt_cntl_args").list(Json::text);
            halt.update(change -> SmallFilesCase.apply(new ArrayDeque<>(options), change));
        }
        ScrConfig config = new ScrConfig(Map.of())
                .set("SCR_PREFIX", prefix.toString())
                .set("SCR_CNTL_BASE", prefix.resolve("node").toString())
                .set("SCR_CACHE_BASE", prefix.resolve("node").toString());
        program.get("env")
                .members(value -> value.isText() ? value.text() : Long.toString(value.number()))
                .forEach(config::set);
        List<String> calls = program.get("ops").list(Json::text);
        List<String> seen = ThreadCommunicator.call(RANKS, world -> {
                    try (ScrDatasets datasets = ScrDatasets.open(config, world, new NioEngine())) {
                        return run(datasets, prefix, calls, world.rank());
                    }
                })
                .get(0);
        String name = program.get("name").text();
        outcome.same(name, program.get("seen").list(line -> line.text().replaceFirst(EXITING + ".*", EXITING)), seen);
        KvTree after = KvTreeFile.read(StoredFiles.source(Files.readAllBytes(new ScrPrefix(prefix).halt())))
                .tree();
        outcome.same(name + ": halt file", Trees.of(program.get("halt_file_after")), after);
    }

    /** Returns what such a program printed. It ends by closing. */
    private static List<String> run(ScrDatasets datasets, Path prefix, List<String> calls, int rank)
            throws IOException {
        List<String> seen = new ArrayList<>();
        for (String call : calls) {
            String[] words = call.split(":", -1);
            boolean mayEnd = false;
            switch (words[0]) {
                case "init" -> mayEnd = true;
                case "exitq" -> seen.add("should_exit=" + (datasets.shouldExit() ? 1 : 0));
                case "need" -> seen.add("need=" + (datasets.needCheckpoint() ? 1 : 0));
                case "out" -> {
                    mayEnd = words[2].contains("c");
                    datasets.startOutput(words[1], mayEnd, words[2].contains("o"));
                    Path file = datasets.routeFile(prefix.resolve(words[1]).resolve("rank_" + rank));
                    Files.write(file, new byte[Integer.parseInt(words[3])]);
                    datasets.completeOutput(words[4].equals("1"));
                }
                case "fini" -> {}
                default -> seen.add("unknown call " + call);
            }
            if (mayEnd && datasets.closeIfHalted().isPresent()) {
                seen.add(EXITING);
                return seen;
            }
        }
        return seen;
    }
}
