package io.drumlin.hostile;

import io.drumlin.checkpoint.Level;
import io.drumlin.hostile.Plan.End;
import io.drumlin.hostile.Plan.Step;
import io.drumlin.hostile.Strike.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the ranks of a start, each in a process of its own, have to know; a text, of which each line is a word and what belongs to it.
 *
 * @param run directory of the run
 */
record StartFile(Path run, Plan plan, List<String> hostOfRank, int firstEpoch, boolean behind, int[] sizes) {

    void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("run " + run);
        lines.add("hosts " + String.join(" ", hostOfRank));
        lines.add("first " + firstEpoch + " " + behind);
        lines.add("sizes " + words(sizes));
        lines.add("plan " + plan.early() + " " + plan.repeatsIds() + " " + plan.mayBeginAfresh() + " "
                + plan.recoversTwice() + " " + plan.end());
        for (Step step : plan.steps()) {
            lines.add("step " + step.level() + " " + step.incremental() + " " + step.waits() + " " + step.recovers()
                    + " " + words(step.sizes()));
        }
        plan.strike()
                .ifPresent(strike -> lines.add("strike " + strike.trouble() + " " + strike.window() + " "
                        + strike.rank() + " " + strike.kind() + " " + strike.nth()));
        Files.write(file, lines);
    }

    private static String words(int[] numbers) {
        return IntStream.of(numbers).mapToObj(Integer::toString).collect(Collectors.joining(" "));
    }

    static StartFile read(Path file) throws IOException {
        String[] plan = words(file, "plan").get(0);
        List<Step> steps = new ArrayList<>();
        for (String[] step : words(file, "step")) {
            steps.add(new Step(
                    Level.valueOf(step[0]),
                    numbers(step, 4),
                    Boolean.parseBoolean(step[1]),
                    Boolean.parseBoolean(step[2]),
                    Boolean.parseBoolean(step[3])));
        }
        Optional<Strike> strike = words(file, "strike").stream().findFirst().map(StartFile::strike);
        String[] first = words(file, "first").get(0);
        return new StartFile(
                Path.of(words(file, "run").get(0)[0]),
                new Plan(
                        Boolean.parseBoolean(plan[0]),
                        Boolean.parseBoolean(plan[1]),
                        Boolean.parseBoolean(plan[2]),
                        Boolean.parseBoolean(plan[3]),
                        steps,
                        -1,
                        End.valueOf(plan[4]),
                        strike),
                List.of(words(file, "hosts").get(0)),
                Integer.parseInt(first[0]),
                Boolean.parseBoolean(first[1]),
                numbers(words(file, "sizes").get(0), 0));
    }

    /** For each line with this word what follows it. */
    private static List<String[]> words(Path file, String word) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith(word + " "))
                .map(line -> line.substring(word.length() + 1).split(" ", -1))
                .toList();
    }

    private static int[] numbers(String[] words, int from) {
        return Arrays.stream(words).skip(from).mapToInt(Integer::parseInt).toArray();
    }

    /** What the fault library makes of it, the ranks need not know. */
    private static Strike strike(String[] words) {
        return new Strike(
                Trouble.valueOf(words[0]),
                Integer.parseInt(words[1]),
                Integer.parseInt(words[2]),
                Kind.valueOf(words[3]),
                Integer.parseInt(words[4]),
                "",
                false);
    }
}
