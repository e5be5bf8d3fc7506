package io.drumlin.hostile;

import io.drumlin.checkpoint.Level;
import io.drumlin.hostile.Telling.Begun;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a restart may bring back. It knows the checkpoints that must be recoverable, by the words of the guide, and all that were
 * ever begun: a restart brings back the newest of the first or one begun later, and all ranks get the same one.
 *
 * <p>What is hurt only counts as lost, whether it matters or not: a checkpoint that the model has given up may come back.
 */
final class Model {

    /** A checkpoint in its place. */
    private static final class Kept {

        private final int epoch;
        private List<String> hosts;
        private boolean inTurn;
        /** Whether it is in the archive of level 4 only, which needs the ranks dealt out as they were. */
        private boolean archived;
        /** Whether a start that failed may have brought it to other nodes. */
        private boolean mayHaveMoved;

        private final BitSet lost = new BitSet();
        /** Those whose own files are lost, and not only what they keep for others. */
        private final BitSet withoutData = new BitSet();

        Kept(int epoch, List<String> hosts, boolean inTurn) {
            this.epoch = epoch;
            this.hosts = hosts;
            this.inTurn = inTurn;
        }
    }

    private final Setting setting;
    private final Map<Integer, Begun> begun = new TreeMap<>();

    /** The hosts in the order of the nodes when a checkpoint was begun. */
    private final Map<Integer, List<String>> orders = new TreeMap<>();

    /** Whether the ranks were dealt out to the nodes in turn then. */
    private final Map<Integer, Boolean> placements = new TreeMap<>();

    private final Map<Level, Kept> kept = new EnumMap<>(Level.class);
    /** Begun, and neither committed nor known to be gone. */
    private final Set<Integer> unsettled = new TreeSet<>();

    /** The earlier checkpoints of level 4 that must be whole in the archive, the oldest first. */
    private final List<Integer> archived = new ArrayList<>();

    private List<String> hosts;
    /** Those of the last start that brought something back, or began afresh. */
    private List<String> known;

    private boolean inTurn;
    private boolean knownInTurn;
    private int floor = 1;
    private int last = -1;
    private boolean mustBeFresh = true;
    private boolean mayBeFresh;
    private boolean completing;

    /**
     * The checkpoints that may count as kept ones: damaged ones that a restart on nodes in another order passed over,
     * where nothing tells a damaged one from one of other ranks, those that an interrupted commit may have archived, and
     * those that have been archived without a look at them.
     */
    private final Set<Integer> mayCount = new TreeSet<>();

    Model(Setting setting, List<String> hosts) {
        this.setting = setting;
        this.hosts = hosts;
        known = hosts;
    }

    /**
     * The ranks are on these hosts now, in the order of the nodes. Of several whose names the run does not know, nothing tells which of the
     * missing ones they were, unless the others have kept their places.
     *
     * @param dealtOutInTurn whether the ranks are dealt out to the nodes in turn; otherwise those of a node follow each other
     */
    void on(List<String> now, boolean dealtOutInTurn) {
        hosts = now;
        inTurn = dealtOutInTurn;
        List<String> strangers =
                now.stream().filter(host -> !known.contains(host)).toList();
        if (strangers.size() > 1 && !othersStay(known, knownInTurn)) {
            strangers.forEach(this::lost);
        }
    }

    /** Whether the hosts that were there before have the places that they had, and the same ranks. */
    private boolean othersStay(List<String> before, boolean wasInTurn) {
        return inTurn == wasInTurn
                && hosts.stream()
                        .filter(before::contains)
                        .allMatch(host -> before.indexOf(host) == hosts.indexOf(host));
    }

    int nextEpoch() {
        return begun.size() + 1;
    }

    /** The newest checkpoint that must be recoverable, or 0. */
    int least() {
        return kept.entrySet().stream()
                .filter(each -> stands(each.getKey(), each.getValue()))
                .mapToInt(each -> each.getValue().epoch)
                .max()
                .orElse(0);
    }

    /**
     * Whether the newest one that must be recoverable needs no rank's file to be made again, and none to be copied to a node, and there is
     * nothing newer of which that may be so.
     */
    boolean isWhole() {
        int least = least();
        return unsettled.isEmpty()
                && !completing
                && kept.values().stream().noneMatch(each -> each.epoch > least)
                && kept.entrySet().stream()
                        .anyMatch(each -> each.getValue().epoch == least
                                && each.getValue().withoutData.isEmpty()
                                && !each.getValue().mayHaveMoved
                                && each.getValue().hosts.equals(hosts)
                                && each.getValue().inTurn == inTurn
                                && each.getKey().number() < Level.L4.number());
    }

    /** Whether the run has come to its end, and the next start is that of another. */
    boolean mustBeFresh() {
        return mustBeFresh;
    }

    boolean mayBeFresh() {
        return mustBeFresh || mayBeFresh || least() == 0;
    }

    /** Whether a restart may bring back a checkpoint. */
    boolean knows(int epoch, int least) {
        return epoch >= Math.max(least, floor) && begun.containsKey(epoch);
    }

    int[] sizes(int epoch) {
        return begun.get(epoch).sizes();
    }

    Begun checkpoint(int epoch) {
        return begun.get(epoch);
    }

    private boolean stands(Level level, Kept checkpoint) {
        BitSet lost = checkpoint.lost;
        int size = setting.groupSize();
        return switch (level) {
            case L1 -> lost.isEmpty();
            case L2 -> lost.stream().noneMatch(node -> lost.get(node - node % size + (node + 1) % size));
            case L3 -> {
                boolean stands = true;
                for (int first = 0; first < Setting.NODES; first += size) {
                    stands &= 2 * lost.get(first, first + size).cardinality() <= size;
                }
                yield stands;
            }
            case L4_DCP, L4 -> lost.isEmpty() && (!checkpoint.archived || checkpoint.inTurn == inTurn);
        };
    }

    /** Those that the archive must have, besides what is at level 4. */
    List<Integer> archived() {
        return List.copyOf(archived);
    }

    void begun(Begun checkpoint) {
        mustBeFresh = false;
        if (checkpoint.level().number() == Level.L4.number()) {
            // It may come to its place and be the reason to delete an older one, whether the program is told or not.
            makeRoom(setting.kept() - 2);
        }
        begun.put(checkpoint.epoch(), checkpoint);
        orders.put(checkpoint.epoch(), hosts);
        placements.put(checkpoint.epoch(), inTurn);
        unsettled.add(checkpoint.epoch());
    }

    void committed(int epoch) {
        committed(epoch, begun.get(epoch).level());
    }

    private void makeRoom(int most) {
        while (archived.size() > Math.max(0, most - mayCount.size())) {
            archived.remove(0);
        }
    }

    /** The checkpoint of level 4 goes to the archive, where it takes the place of one with its id. */
    private void archive(int next) {
        Kept former = kept.get(Level.L4);
        if (former == null || former.epoch == next) {
            return;
        }
        if (!former.lost.isEmpty()) {
            // No restart has looked at it, so nobody knows that it is damaged.
            mayCount.add(former.epoch);
            makeRoom(setting.kept() - 1);
            return;
        }
        int ckptId = begun.get(former.epoch).ckptId();
        archived.removeIf(epoch -> begun.get(epoch).ckptId() == ckptId);
        if (ckptId != begun.get(next).ckptId()) {
            archived.add(former.epoch);
        }
        // One that failed may have come to its place before, and has then gone to the archive.
        Set<Integer> failedIds = new TreeSet<>();
        unsettled.stream()
                .map(begun::get)
                .filter(each -> each.epoch() < next && each.level().number() == Level.L4.number())
                .forEach(each -> failedIds.add(each.ckptId()));
        archived.removeIf(epoch -> failedIds.contains(begun.get(epoch).ckptId()));
        makeRoom(setting.kept() - 1);
    }

    private void committed(int epoch, Level level) {
        if (level.number() == Level.L4.number()) {
            archive(epoch);
        }
        kept.keySet().removeIf(other -> other.number() <= level.number());
        kept.put(level, new Kept(epoch, hosts, inTurn));
        unsettled.removeIf(other -> other <= epoch && begun.get(other).level().number() <= level.number());
        last = epoch;
    }

    /**
     * A restart has brought back a checkpoint, and made again what was missing of it.
     *
     * @param level at which it was found: with one that a head had not finished it is level 1, and with one whose copies or codes could not be
     *     made again
     */
    void recovered(int epoch, Level level) {
        known = hosts;
        knownInTurn = inTurn;
        mayBeFresh = false;
        completing = false;
        if (kept.containsKey(Level.L4) && kept.get(Level.L4).epoch > epoch) {
            archived.clear();
        }
        begun.keySet().stream()
                .filter(newer -> newer > epoch && begun.get(newer).level().number() == Level.L4.number())
                .filter(newer -> !orders.get(newer).equals(hosts) || placements.get(newer) != inTurn)
                .forEach(mayCount::add);
        kept.values().removeIf(other -> other.epoch > epoch);
        if (level == Level.L1) {
            kept.entrySet()
                    .removeIf(each -> each.getValue().epoch == epoch
                            && each.getKey().number() < Level.L4.number()
                            && each.getKey() != level);
        }
        Kept same = kept.get(level);
        boolean onNodes = level.number() < Level.L4.number();
        boolean archived = level == Level.L4 && !unsettled.contains(epoch);
        if (same == null || same.epoch != epoch) {
            // What was brought to other nodes before, and given up there, is brought from the nodes where it was
            // written.
            // The next commit brings the former one to the archive, if a kill has interrupted that.
            List<Integer> before = List.copyOf(this.archived);
            committed(epoch, onNodes && !othersStay(orders.get(epoch), placements.get(epoch)) ? Level.L1 : level);
            List<Integer> uncertain = new ArrayList<>(this.archived);
            this.archived.retainAll(before);
            uncertain.removeAll(before);
            mayCount.addAll(uncertain);
            if (archived && begun.values().stream().anyMatch(each -> each.level() == Level.L4_DCP)) {
                // An older differential one may still be there, and levels come before the archive.
                kept.remove(level);
            } else if (archived) {
                kept.get(level).archived = true;
            }
        } else if (onNodes && !othersStay(same.hosts, same.inTurn)) {
            // It was brought to other nodes, at level 1: copies and codes are not made again before the next
            // checkpoint.
            kept.remove(level);
            kept.put(Level.L1, new Kept(epoch, hosts, inTurn));
        } else {
            same.lost.clear();
            same.withoutData.clear();
            same.mayHaveMoved = false;
            same.hosts = hosts;
            same.inTurn = inTurn;
        }
        unsettled.clear();
        last = epoch;
    }

    /** A start has failed before it brought something back. */
    void failedToStart() {
        kept.values().stream()
                .filter(each -> !each.hosts.equals(hosts) || each.inTurn != inTurn)
                .forEach(each -> each.mayHaveMoved = true);
    }

    /** A start found nothing, or was not to look. */
    void beganAfresh() {
        known = hosts;
        knownInTurn = inTurn;
        kept.clear();
        archived.clear();
        mayCount.clear();
        unsettled.clear();
        completing = false;
        last = -1;
        // Where nothing could be recovered, the next start is a restart of the same run.
        if (mustBeFresh || mayBeFresh) {
            floor = nextEpoch();
            mustBeFresh = true;
        }
        mayBeFresh = false;
    }

    /** @param keepsLast whether the last checkpoint stays */
    void completed(boolean keepsLast) {
        if (keepsLast && last > 0 && begun.get(last).level().number() < Level.L4.number()) {
            archive(last);
        }
        makeRoom(setting.kept() - 2);
        if (keepsLast && last > 0) {
            Level level = begun.get(last).level() == Level.L4_DCP ? Level.L4_DCP : Level.L4;
            kept.clear();
            kept.put(level, new Kept(last, hosts, inTurn));
        } else {
            kept.clear();
            last = -1;
            floor = nextEpoch();
            mustBeFresh = true;
        }
        unsettled.clear();
    }

    /** It was killed while it completed: the last checkpoint may have become one of level 4. */
    void mayBeCompleted(boolean keepsLast) {
        makeRoom(setting.kept() - 2);
        completing = true;
        mayBeFresh = !keepsLast || last < 0;
    }

    /** A host has lost all that it had, or has something else now. */
    void lost(String host) {
        for (Level level : List.of(Level.L1, Level.L2, Level.L3)) {
            hurt(level, host, true);
        }
    }

    void renamed(String host, String now) {
        for (Kept checkpoint : kept.values()) {
            checkpoint.hosts = checkpoint.hosts.stream()
                    .map(other -> other.equals(host) ? now : other)
                    .toList();
        }
    }

    /**
     * What a host has of a level is another.
     *
     * @param data whether that may be a rank's own file
     */
    void hurt(Level level, String host, boolean data) {
        for (Level other : affected(level)) {
            Kept checkpoint = kept.get(other);
            if (checkpoint != null && checkpoint.hosts.contains(host)) {
                int node = checkpoint.hosts.indexOf(host);
                checkpoint.lost.set(node);
                checkpoint.withoutData.set(node, data || checkpoint.withoutData.get(node));
            }
        }
    }

    /** What all ranks need of a level is another. */
    void spoil(Level level) {
        archived.clear();
        affected(level).forEach(kept::remove);
    }

    /**
     * Those that may have become that of a level by a checkpoint of which nobody knows how it ended, and one without copies or codes, which
     * counts as level 1 and stays in the directories of the level at which it was taken.
     */
    private List<Level> affected(Level level) {
        int most = completing
                ? Level.L4.number()
                : unsettled.stream()
                        .mapToInt(epoch -> begun.get(epoch).level().number())
                        .max()
                        .orElse(0);
        List<Level> affected = new ArrayList<>();
        for (Level other : Level.values()) {
            Kept checkpoint = kept.get(other);
            boolean same = other.number() == level.number();
            boolean liesThere =
                    checkpoint != null && begun.get(checkpoint.epoch).level() == level;
            if (same || liesThere || other.number() <= most) {
                affected.add(other);
            }
        }
        return affected;
    }

    @Override
    public String toString() {
        StringBuilder words = new StringBuilder();
        kept.forEach((level, checkpoint) -> words.append(level)
                .append(" checkpoint ")
                .append(checkpoint.epoch)
                .append(checkpoint.lost.isEmpty() ? "" : " hurt on nodes " + checkpoint.lost)
                .append(", "));
        if (!archived.isEmpty()) {
            words.append("archived ").append(archived).append(", ");
        }
        return words.append("not settled ").append(unsettled).toString();
    }
}
