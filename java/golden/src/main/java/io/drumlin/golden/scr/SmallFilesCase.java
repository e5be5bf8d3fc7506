package io.drumlin.golden.scr;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.scr.internal.cache.FlushStates;
import io.drumlin.scr.internal.halt.HaltConditions;
import io.drumlin.scr.internal.halt.HaltFile;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Halt files that were edited step by step, and questions to flush files. */
final class SmallFilesCase {

    private final Path directory;
    private final Json manifest;
    private final Outcome outcome;

    SmallFilesCase(Path directory, Json manifest, Outcome outcome) {
        this.directory = directory;
        this.manifest = manifest;
        this.outcome = outcome;
    }

    void compare() throws IOException {
        if (manifest.has("halt_cntl_steps")) {
            Path prefix = Files.createTempDirectory("drumlin-golden");
            try {
                compareHalt(new HaltFile(new ScrPrefix(prefix), new NioEngine()));
            } finally {
                OperationsCase.delete(prefix);
            }
        }
        if (manifest.has("scr_flush_file")) {
            compareFlush();
        }
    }

    private void compareHalt(HaltFile file) throws IOException {
        List<Json> steps = manifest.get("halt_cntl_steps").list(step -> step);
        for (Json step : steps) {
            Deque<String> options = new ArrayDeque<>(step.get("args").list(Json::text));
            String where = "halt " + options;
            HaltConditions conditions = file.update(change -> apply(options, change));
            List<String> output = step.get("stdout").list(Json::text);
            int heading = output.indexOf("Halt file settings for .scr/halt.scr:");
            outcome.same(where, output.subList(heading + 1, output.size()), conditions.lines(ZoneOffset.UTC));
            if (step.has("halt_file_after")) {
                HaltConditions expected =
                        HaltConditions.of(tree(step.get("halt_file_after").text()));
                outcome.same(where + ": file", expected, file.read());
            }
        }
        outcome.compared(steps.size() + " changes of a halt file equal");
    }

    /** Does what scr_halt_cntl does. */
    static void apply(Deque<String> options, HaltFile.Change change) {
        while (!options.isEmpty()) {
            switch (options.pop()) {
                case "-c" -> change.checkpointsLeft(OptionalLong.of(Long.parseLong(options.pop())));
                case "-a" -> change.exitAfter(OptionalLong.of(Long.parseLong(options.pop())));
                case "-b" -> change.exitBefore(OptionalLong.of(Long.parseLong(options.pop())));
                case "-s" -> change.haltSeconds(OptionalLong.of(Long.parseLong(options.pop())));
                case "-r" -> change.exitReason(options.pop());
                case "-xc" -> change.checkpointsLeft(OptionalLong.empty());
                case "-xa" -> change.exitAfter(OptionalLong.empty());
                case "-xb" -> change.exitBefore(OptionalLong.empty());
                case "-xs" -> change.haltSeconds(OptionalLong.empty());
                case "-xr" -> change.exitReason(null);
                case "-f" -> options.pop();
                default -> {} // -l
            }
        }
    }

    private void compareFlush() throws IOException {
        List<Json> questions = manifest.get("scr_flush_file").list(question -> question);
        for (Json question : questions) {
            FlushStates states = new FlushStates(tree(question.get("flush_file").text()));
            List<String> arguments = question.get("args").list(Json::text);
            Optional<String> answer = answer(states, arguments);
            outcome.same("flush " + arguments, question.get("rc").number() == 0, answer.isPresent());
            outcome.same(
                    "flush " + arguments,
                    String.join("\n", question.get("stdout").list(Json::text)),
                    answer.orElse(""));
        }
        outcome.compared(questions.size() + " questions to flush files answered alike");
    }

    /** Returns what scr_flush_file prints; empty where it fails. */
    private static Optional<String> answer(FlushStates states, List<String> arguments) {
        int id = arguments.size() > 1 ? Integer.parseInt(arguments.get(arguments.size() - 1)) : 0;
        return switch (arguments.get(0)) {
            case "--list-output" -> joined(states.outputs());
            case "--list-ckpt" -> {
                List<Integer> ids = new ArrayList<>(states.checkpoints());
                ids.removeIf(each -> id > 0 && each >= id);
                yield joined(ids);
            }
            case "--need-flush" -> states.needsFlush(id) ? Optional.of("") : Optional.empty();
            case "--latest" ->
                states.latest().stream().mapToObj(String::valueOf).findFirst();
            case "--location" -> states.place(id);
            case "--name" -> states.name(id);
            default -> Optional.of("unknown question " + arguments);
        };
    }

    private static Optional<String> joined(List<Integer> ids) {
        return ids.isEmpty()
                ? Optional.empty()
                : Optional.of(String.join(" ", ids.stream().map(String::valueOf).toList()));
    }

    private KvTree tree(String name) throws IOException {
        return KvTreeFile.read(StoredFiles.source(Files.readAllBytes(directory.resolve(name))))
                .tree();
    }
}
