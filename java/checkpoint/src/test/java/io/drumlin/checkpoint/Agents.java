package io.drumlin.checkpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.Assertions;

/** A program's state of records in lists, whose size changes from checkpoint to checkpoint. */
final class Agents {

    enum Mood {
        CALM,
        BUSY
    }

    record Note(String text, Integer weight) {}

    record Agent(
            long id, String name, double[] place, Mood mood, Map<Mood, List<Note>> notes, Set<Short> seen, char sign) {

        @Override
        public boolean equals(Object other) {
            return other instanceof Agent agent
                    && agent.id == id
                    && agent.name.equals(name)
                    && Arrays.equals(agent.place, place)
                    && agent.mood == mood
                    && agent.notes.equals(notes)
                    && agent.seen.equals(seen)
                    && agent.sign == sign;
        }

        @Override
        public int hashCode() {
            return (int) id;
        }
    }

    static final Codec<List<Agent>> CODEC = Codec.list(Codec.record(Agent.class));

    List<Agent> all = new ArrayList<>();
    double[] between = {1};

    Agents(Checkpoints checkpoints) {
        checkpoints.protect(7, () -> all, recovered -> all = recovered, CODEC);
        checkpoints.protect(3, between);
        checkpoints.protect(5, () -> "x".repeat(all.size()), text -> {}, Codec.of(String.class));
    }

    Agents() {}

    /** Names the variables before the run is opened. */
    Checkpoints.Builder protect(Checkpoints.Builder builder) {
        return builder.protect(7, () -> all, recovered -> all = recovered, CODEC)
                .protect(3, between)
                .protect(5, () -> "", text -> {}, Codec.of(String.class));
    }

    Agents set(int seed, int rank, int most) {
        Random random = new Random(1000L * seed + rank);
        all = new ArrayList<>();
        int count = most == 0 ? 0 : random.nextInt(most);
        for (int i = 0; i < count; i++) {
            Map<Mood, List<Note>> notes = new LinkedHashMap<>();
            notes.put(Mood.BUSY, List.of(new Note("ä" + i, i), new Note(null, null)));
            notes.put(i % 3 == 0 ? null : Mood.CALM, new ArrayList<>(Arrays.asList(null, new Note("", -i))));
            double[] place = random.doubles(random.nextInt(4)).toArray();
            Set<Short> seen = new LinkedHashSet<>(List.of((short) i, (short) -1));
            all.add(new Agent(i, "n" + random.nextInt(), place, Mood.CALM, notes, seen, (char) i));
        }
        between[0] = seed + 0.5;
        return this;
    }

    void requireSame(Agents expected) {
        Assertions.assertThat(all.equals(expected.all)).isTrue();
        Assertions.assertThat(between).isEqualTo(expected.between);
    }
}
