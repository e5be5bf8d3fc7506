package io.drumlin.hostile;

import io.drumlin.checkpoint.Level;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What one rank tells, written to a file at once: the next call may be its last. Thread-safe. */
final class WrittenTelling extends Telling {

    private final Path file;

    /** How a rank's program ended. */
    record Ended(boolean isOver, boolean killedItself, List<String> failures) {}

    WrittenTelling(Path file) {
        this.file = file;
    }

    private void write(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(String.valueOf(word).replace('\t', ' ').replace('\n', ' '))
                    .append('\t');
        }
        try {
            Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    synchronized void opened(int rank, boolean restart) {
        super.opened(rank, restart);
        write("opened", rank, restart);
    }

    @Override
    synchronized void recovered(int rank, int epoch, int lastId, Level level) {
        super.recovered(rank, epoch, lastId, level);
        write("recovered", rank, epoch, lastId, level);
    }

    @Override
    synchronized void elements(int rank, List<Integer> counts) {
        super.elements(rank, counts);
        List<Object> words = new ArrayList<>(List.of("elements", rank));
        words.addAll(counts);
        write(words.toArray());
    }

    @Override
    synchronized void begun(Begun checkpoint) {
        super.begun(checkpoint);
        List<Object> words =
                new ArrayList<>(List.of("begun", checkpoint.epoch(), checkpoint.ckptId(), checkpoint.level()));
        Arrays.stream(checkpoint.sizes()).forEach(words::add);
        write(words.toArray());
    }

    @Override
    synchronized void outcome(int epoch, int rank, Outcome outcome) {
        super.outcome(epoch, rank, outcome);
        write("outcome", epoch, rank, outcome);
    }

    @Override
    synchronized void failed(int epoch, String why) {
        super.failed(epoch, why);
        write("failed", epoch, why);
    }

    @Override
    synchronized void wrong(String what) {
        super.wrong(what);
        write("wrong", what);
    }

    @Override
    synchronized void completes() {
        super.completes();
        write("completes");
    }

    @Override
    synchronized void completed() {
        super.completed();
        write("completed");
    }

    /** The program has come to its end; empty if nothing failed. */
    void over(String failure) {
        write("over", failure);
    }

    void killsItself() {
        write("kills itself");
    }

    /** Tells somebody else what a rank has written. */
    static Ended read(Path file, Telling to) throws IOException {
        boolean over = false;
        boolean killed = false;
        List<String> failures = new ArrayList<>();
        for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
            String[] words = line.split("\t", -1);
            // A kill may have cut the last line.
            if (words.length < 2 || !words[words.length - 1].isEmpty()) {
                continue;
            }
            over |= words[0].equals("over");
            killed |= words[0].equals("kills itself");
            if (words[0].equals("over") && !words[1].isEmpty()) {
                failures.add(words[1]);
            }
            tell(words, to);
        }
        return new Ended(over, killed, failures);
    }

    private static void tell(String[] words, Telling to) {
        switch (words[0]) {
            case "opened" -> to.opened(number(words[1]), Boolean.parseBoolean(words[2]));
            case "recovered" ->
                to.recovered(number(words[1]), number(words[2]), number(words[3]), Level.valueOf(words[4]));
            case "elements" ->
                to.elements(
                        number(words[1]),
                        Arrays.stream(words, 2, words.length - 1)
                                .map(Integer::valueOf)
                                .toList());
            case "begun" ->
                to.begun(new Begun(
                        number(words[1]),
                        number(words[2]),
                        Level.valueOf(words[3]),
                        Arrays.stream(words, 4, words.length - 1)
                                .mapToInt(Integer::parseInt)
                                .toArray()));
            case "outcome" -> to.outcome(number(words[1]), number(words[2]), Outcome.valueOf(words[3]));
            case "failed" -> to.failed(number(words[1]), words[2]);
            case "wrong" -> to.wrong(words[1]);
            case "completes" -> to.completes();
            case "completed" -> to.completed();
            default -> {}
        }
    }

    private static int number(String word) {
        return Integer.parseInt(word);
    }
}
