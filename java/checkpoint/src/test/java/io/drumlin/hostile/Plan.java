package io.drumlin.hostile;

import io.drumlin.checkpoint.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * What a program does in one start.
 *
 * @param early whether it names its variables before it opens the run
 * @param repeatsIds whether its first checkpoint has the id of the one that it has recovered
 * @param mayBeginAfresh whether it asks to begin afresh where nothing can be recovered
 * @param recoversTwice whether it recovers once more, from the files
 * @param secondJob the checkpoint after which another job is started, or -1
 * @param strike what goes wrong meanwhile
 */
record Plan(
        boolean early,
        boolean repeatsIds,
        boolean mayBeginAfresh,
        boolean recoversTwice,
        List<Step> steps,
        int secondJob,
        End end,
        Optional<Strike> strike) {

    /** How the program ends if nothing happens to it. */
    enum End {
        COMPLETE,
        CLOSE,
        /** It is killed between two operations. */
        KILL
    }

    /**
     * One checkpoint.
     *
     * @param sizes elements of each variable; of those with any, ranks have some more
     * @param incremental whether variables are added one by one
     * @param waits whether the program waits for its end, where it is taken behind the computation
     * @param recovers whether the program recovers it at once
     */
    record Step(Level level, int[] sizes, boolean incremental, boolean waits, boolean recovers) {

        @Override
        public String toString() {
            return level + " of " + Arrays.toString(sizes) + (incremental ? " incremental" : "")
                    + (waits ? " awaited" : "") + (recovers ? " recovered" : "");
        }
    }

    /** Nothing but a recovery. */
    static Plan look(boolean early, Optional<Strike> strike) {
        return new Plan(early, false, false, false, List.of(), -1, End.CLOSE, strike);
    }

    /** @param sizes of the variables before */
    static Plan random(Setting setting, int[] sizes, Random random) {
        List<Step> steps = new ArrayList<>();
        int[] current = sizes;
        for (int count = random.nextInt(4); count > 0; count--) {
            List<Level> levels = setting.levels();
            Level level = levels.get(random.nextInt(levels.size()));
            current = random.nextInt(4) == 0 ? resized(current, random) : current;
            steps.add(new Step(
                    level,
                    current,
                    setting.isIncremental() && random.nextInt(5) == 0,
                    random.nextBoolean(),
                    random.nextInt(6) == 0));
        }
        End[] ends = {End.COMPLETE, End.CLOSE, End.CLOSE, End.CLOSE, End.KILL, End.KILL};
        return new Plan(
                random.nextInt(3) == 0,
                random.nextInt(3) == 0,
                random.nextInt(6) == 0,
                random.nextInt(4) == 0,
                steps,
                -1,
                ends[random.nextInt(ends.length)],
                Optional.empty());
    }

    /** The first variable is never empty. */
    static int[] resized(int[] sizes, Random random) {
        int[] changed = sizes.clone();
        changed[random.nextInt(changed.length)] = random.nextInt(5) == 0 ? 0 : 1 + random.nextInt(120);
        changed[0] = Math.max(1, changed[0]);
        return changed;
    }

    Plan with(Strike added) {
        // What goes wrong would be answered by a fresh start.
        return new Plan(early, repeatsIds, false, recoversTwice, steps, secondJob, end, Optional.of(added));
    }

    Plan withSecondJob() {
        return new Plan(early, repeatsIds, mayBeginAfresh, recoversTwice, steps, steps.size() - 1, end, strike);
    }

    /** Windows of a {@link Strike}. */
    int windows() {
        return steps.size() + 2;
    }
}
