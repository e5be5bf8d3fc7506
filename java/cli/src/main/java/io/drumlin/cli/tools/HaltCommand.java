package io.drumlin.cli.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.scr.internal.halt.HaltConditions;
import io.drumlin.scr.internal.halt.HaltFile;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code drumlin halt}: tells a job when to halt. */
@Command(
        name = "halt",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        description = {
            "Tells an SCR job of a prefix directory when to halt, and lists what it was told.",
            "Without options only lists. Times are local: YYYY-MM-DDTHH:MM:SS."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the halt file is damaged; nothing was changed",
            "3:the halt file could not be read or written",
            "64:wrong command line"
        })
public final class HaltCommand implements Callable<Integer> {

    /** The conditions that can be removed. */
    enum Condition {
        checkpoints,
        after,
        before,
        seconds,
        reason
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = {"-p", "--prefix"},
            paramLabel = "DIR",
            defaultValue = "",
            description = "The prefix directory; otherwise the working directory.")
    @SuppressWarnings("NullAway.Init")
    private Path prefix;

    @Option(
            names = {"-c", "--checkpoints"},
            paramLabel = "N",
            description = "Halt after N more checkpoints.")
    private @Nullable Long checkpoints;

    @Option(
            names = {"-a", "--after"},
            paramLabel = "TIME",
            description = "Halt after TIME.")
    private @Nullable LocalDateTime after;

    @Option(
            names = {"-b", "--before"},
            paramLabel = "TIME",
            description = "Halt before TIME.")
    private @Nullable LocalDateTime before;

    @Option(
            names = {"-s", "--seconds"},
            paramLabel = "N",
            description = "Halt N seconds before --before, or before the allocation ends.")
    private @Nullable Long seconds;

    @Option(
            names = {"-r", "--reason"},
            paramLabel = "TEXT",
            description = "Halt at once.")
    private @Nullable String reason;

    @Option(
            names = "--unset",
            paramLabel = "CONDITION",
            split = ",",
            description = "Take conditions back: ${COMPLETION-CANDIDATES}.")
    private List<Condition> unset = List.of();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        HaltFile file = new HaltFile(new ScrPrefix(prefix), new NioEngine());
        boolean changes = !unset.isEmpty()
                || Stream.of(checkpoints, after, before, seconds, reason).anyMatch(Objects::nonNull);
        HaltConditions conditions = changes ? file.update(this::apply) : file.read();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            write(out, conditions);
        } else {
            out.println("Halt file settings for " + new ScrPrefix(prefix).halt() + ":");
            conditions.lines(ZoneId.systemDefault()).forEach(out::println);
        }
        out.flush();
        return ExitCode.OK;
    }

    private void apply(HaltFile.Change change) {
        for (Condition condition : unset) {
            switch (condition) {
                case checkpoints -> change.checkpointsLeft(OptionalLong.empty());
                case after -> change.exitAfter(OptionalLong.empty());
                case before -> change.exitBefore(OptionalLong.empty());
                case seconds -> change.haltSeconds(OptionalLong.empty());
                case reason -> change.exitReason(null);
            }
        }
        if (checkpoints != null) {
            change.checkpointsLeft(OptionalLong.of(checkpoints));
        }
        if (after != null) {
            change.exitAfter(epoch(after));
        }
        if (before != null) {
            change.exitBefore(epoch(before));
        }
        if (seconds != null) {
            change.haltSeconds(OptionalLong.of(seconds));
        }
        if (reason != null) {
            change.exitReason(reason);
        }
    }

    private static OptionalLong epoch(LocalDateTime time) {
        return OptionalLong.of(time.atZone(ZoneId.systemDefault()).toEpochSecond());
    }

    private static void write(PrintWriter out, HaltConditions conditions) throws IOException {
        JsonGenerator json = new JsonFactory()
                .createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter();
        json.writeStartObject();
        if (conditions.exitReason().isPresent()) {
            json.writeStringField("exit_reason", conditions.exitReason().get());
        }
        write(json, "checkpoints_left", conditions.checkpointsLeft());
        write(json, "exit_after", conditions.exitAfter());
        write(json, "exit_before", conditions.exitBefore());
        write(json, "halt_seconds", conditions.haltSeconds());
        json.writeEndObject();
        json.close();
        out.println();
    }

    private static void write(JsonGenerator json, String field, OptionalLong number) throws IOException {
        if (number.isPresent()) {
            json.writeNumberField(field, number.getAsLong());
        }
    }
}
