package io.drumlin.examples;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Codec;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.Communicators;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * An agent-based model: foragers look for food at places that all ranks share. They remember where they found some, have
 * children when they are well fed, and die of hunger, so the state is a list of records whose size changes. It is
 * protected as one object, and the food as an array. If the job is started again with the same command after a failure, it continues from the last
 * checkpoint, and its result is the same.
 */
public final class Foragers {

    private static final int PLACES = 64;
    private static final int STEPS_BETWEEN_CHECKPOINTS = 10;

    /** What a forager is doing. */
    enum Mood {
        WANDERING,
        RETURNING
    }

    /**
     * A forager.
     *
     * @param id its number on its rank
     * @param place where it is, 0 to {@link #PLACES} - 1
     * @param energy it dies at 0
     * @param mood what it does
     * @param finds how often it found food, by place
     */
    record Forager(long id, int place, int energy, Mood mood, Map<Integer, Integer> finds) {}

    /**
     * The foragers of one rank, and all else but the food that the next step depends on.
     *
     * @param step steps that are done
     * @param born foragers that were born so far
     * @param random state of the random numbers
     * @param foragers those that live
     */
    record World(int step, long born, long random, List<Forager> foragers) {}

    private static final Codec<World> WORLD = Codec.record(World.class);

    private World world;

    /** What is left at each place, the same on every rank. */
    private final int[] food = new int[PLACES];

    private Foragers(int rank) {
        List<Forager> first = new ArrayList<>();
        for (int id = 0; id < 20; id++) {
            first.add(new Forager(id, id % PLACES, 10, Mood.WANDERING, new LinkedHashMap<>()));
        }
        world = new World(0, first.size(), rank + 1L, first);
    }

    /**
     * Runs the example.
     *
     * @param arguments the path of the FTI configuration file, and the number of steps
     * @throws Exception the example failed
     */
    public static void main(String[] arguments) throws Exception {
        Usage.require(arguments, 2, "Foragers CONFIG.fti STEPS");
        int steps = Integer.parseInt(arguments[1]);
        Communicators.run(comm -> System.out.println(simulate(Path.of(arguments[0]), comm, steps, step -> {})));
    }

    /**
     * Does the work of one rank.
     *
     * @param afterStep called after each step with its number
     * @return the result, in words
     */
    static String simulate(Path config, Communicator comm, int steps, IntConsumer afterStep) throws IOException {
        Foragers state = new Foragers(comm.rank());
        try (Checkpoints checkpoints = Checkpoints.open(config, comm)) {
            checkpoints.protect(0, () -> state.world, recovered -> state.world = recovered, WORLD);
            checkpoints.protect(1, state.food);
            if (checkpoints.isRestart()) {
                checkpoints.recover();
            }
            while (state.world.step < steps) {
                state.world = next(state.world, state.food, comm);
                int step = state.world.step;
                if (step % STEPS_BETWEEN_CHECKPOINTS == 0) {
                    checkpoints.checkpoint(step / STEPS_BETWEEN_CHECKPOINTS, Level.L1);
                    if (comm.rank() == 0) {
                        System.out.println("checkpoint after step " + step);
                    }
                }
                afterStep.accept(step);
            }
            checkpoints.complete();
        }
        World end = state.world;
        return "rank " + comm.rank() + ": " + end.foragers.size() + " of " + end.born + " foragers live, state "
                + end.random;
    }

    /** Food grows, each forager moves and eats, and the ranks agree on what is left. */
    private static World next(World now, int[] food, Communicator comm) throws IOException {
        int[] eaten = new int[PLACES];
        List<Forager> living = new ArrayList<>();
        long random = now.random;
        long born = now.born;
        for (Forager each : now.foragers) {
            random = random * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
            Forager moved = move(each, (int) (random >>> 33), food, eaten);
            if (moved.energy > 20) {
                int half = moved.energy / 2;
                living.add(new Forager(born++, moved.place, half, Mood.WANDERING, new LinkedHashMap<>()));
                moved = new Forager(moved.id, moved.place, moved.energy - half, moved.mood, moved.finds);
            }
            if (moved.energy > 0) {
                living.add(moved);
            }
        }
        comm.allreduce(eaten, Op.SUM);
        for (int place = 0; place < PLACES; place++) {
            food[place] = Math.min(40, Math.max(0, food[place] - eaten[place]) + (place % 4 == 0 ? 9 : 1));
        }
        return new World(now.step + 1, born, random, living);
    }

    private static Forager move(Forager forager, int random, int[] food, int[] eaten) {
        int place = forager.mood == Mood.RETURNING
                ? bestKnown(forager)
                : Math.floorMod(forager.place + random % 3 - 1, PLACES);
        boolean found = eaten[place] + 2 <= food[place];
        if (!found) {
            return new Forager(forager.id, place, forager.energy - 1, Mood.WANDERING, forager.finds);
        }
        eaten[place] += 2;
        Map<Integer, Integer> finds = new LinkedHashMap<>(forager.finds);
        finds.merge(place, 1, Integer::sum);
        Mood mood = random % 2 == 0 ? Mood.RETURNING : Mood.WANDERING;
        return new Forager(forager.id, place, forager.energy + 1, mood, finds);
    }

    private static int bestKnown(Forager forager) {
        int best = forager.place;
        for (Map.Entry<Integer, Integer> each : forager.finds.entrySet()) {
            best = each.getValue() > forager.finds.getOrDefault(best, 0) ? each.getKey() : best;
        }
        return best;
    }
}
