package io.drumlin.hostile;

import io.drumlin.hostile.Life.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Many lives, some at a time, for they also wait. */
final class Campaign {

    private final Path directory;
    private final Set<Trouble> troubles;
    private final long seed;
    private final int lives;
    private final int atOnce;
    private final long end;
    private final Jobs jobs;
    private final AtomicInteger next = new AtomicInteger();
    private final List<String> failures = new ArrayList<>();
    private final Map<Trouble, Integer> met = new EnumMap<>(Trouble.class);
    private int lived;

    /**
     * @param seed of the first life; the next have the next ones
     * @param lives how many at most
     * @param atOnce how many at a time
     * @param seconds after which no life begins
     * @param jobs which run them
     */
    Campaign(Path directory, Set<Trouble> troubles, long seed, int lives, int atOnce, long seconds, Jobs jobs) {
        this.directory = directory;
        this.jobs = jobs;
        this.troubles = troubles;
        this.seed = seed;
        this.lives = lives;
        this.atOnce = atOnce;
        end = System.nanoTime() + seconds * 1_000_000_000L;
    }

    /** What failed, for people. */
    List<String> run() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Math.min(atOnce, lives); i++) {
            Thread thread = new Thread(this::live, "hostile-" + i);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return failures;
    }

    private void live() {
        for (int number = next.getAndIncrement();
                number < lives && System.nanoTime() < end;
                number = next.getAndIncrement()) {
            live(seed + number);
        }
    }

    private void live(long lifeSeed) {
        Path home = directory.resolve(Long.toString(lifeSeed));
        Life life = null;
        String failure = "";
        try {
            life = new Life(lifeSeed, troubles, Files.createDirectories(home), jobs);
            life.live();
        } catch (Failure e) {
            failure = e.getMessage();
        } catch (IOException | RuntimeException | Error e) {
            failure = "the campaign itself failed: " + e + " at " + Arrays.toString(e.getStackTrace());
        }
        note(lifeSeed, life, failure);
        try {
            World.delete(home);
        } catch (IOException e) {
            // A job that hangs may still write there.
        }
    }

    private synchronized void note(long lifeSeed, Life life, String failure) {
        lived++;
        if (life != null) {
            life.met().forEach(trouble -> met.merge(trouble, 1, Integer::sum));
        }
        if (!failure.isEmpty()) {
            String words = "hostile: FAILED seed " + lifeSeed + ": " + failure
                    + "\n  repeat it: scripts/matrix --hostile" + jobs.option() + " --lives 1 --seed " + lifeSeed
                    + " --events " + events()
                    + "\n  "
                    + (life == null ? "" : life.story()) + "\nhostile: end of seed " + lifeSeed;
            failures.add(words);
            System.out.println(words);
        }
    }

    private String events() {
        return troubles.stream().map(Trouble::name).collect(Collectors.joining(","));
    }

    /** What was done, for people. */
    String summary() {
        StringBuilder words = new StringBuilder();
        words.append("hostile: ").append(lived).append(" lives from seed ").append(seed);
        words.append(", ").append(failures.size()).append(" failed\n");
        met.forEach((trouble, count) ->
                words.append("hostile: ").append(String.format("%6d lives with %s%n", count, trouble)));
        return words.toString();
    }
}
