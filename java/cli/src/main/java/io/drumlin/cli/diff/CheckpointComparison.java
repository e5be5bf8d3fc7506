package io.drumlin.cli.diff;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Progress;
import io.drumlin.cli.diff.ElementErrors.Tolerance;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.file.ValueType;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Finds the data of two checkpoints that belong together, and compares them. */
final class CheckpointComparison {

    private final ComparedSide a;
    private final ComparedSide b;
    private final DiffSelection selection;
    private final Tolerance tolerance;

    CheckpointComparison(ComparedSide a, ComparedSide b, DiffSelection selection, Tolerance tolerance) {
        this.a = a;
        this.b = b;
        this.selection = selection;
        this.tolerance = tolerance;
    }

    /**
     * Checks that both sides can be compared, before anything is printed.
     *
     * @throws CommandException they cannot
     */
    void check() throws IOException {
        if (!a.getClass().equals(b.getClass())) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED,
                    "one is a file and the other one a run: " + a.title() + ", and " + b.title());
        }
        String kindA = kind(a);
        String kindB = kind(b);
        if (!kindA.equals(kindB) && !kindA.isEmpty() && !kindB.isEmpty()) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED,
                    a.title() + " has data by the name of " + kindA + ", and " + b.title() + " of " + kindB
                            + "; they cannot be compared");
        }
        if (!selection.isEmpty()) {
            checkTypes(a);
            checkTypes(b);
            selection.requireMet();
        }
    }

    /** Returns the key with which data of the first part are selected; empty if there are none. */
    private static String kind(ComparedSide side) throws IOException {
        List<String> found = new ArrayList<>();
        if (side.parts().length > 0) {
            side.open(side.parts()[0], (file, data, rank) -> data.stream()
                    .limit(1)
                    .map(each -> each.name().split("=", 2)[0])
                    .forEach(found::add));
        }
        return found.isEmpty() ? "" : found.get(0);
    }

    private void checkTypes(ComparedSide side) throws IOException {
        for (int part : side.parts()) {
            side.open(part, (file, data, rank) -> {
                for (StoredData each : data) {
                    if (selection.takes(each, rank)) {
                        each.as(selection.type(each));
                    }
                }
            });
        }
    }

    /** Compares all parts in their order. */
    void run(DiffReport report, Progress progress) throws IOException {
        StorageEngine storage = StorageEngines.best();
        Set<Integer> inA = set(a.parts());
        Set<Integer> inB = set(b.parts());
        Set<Integer> all = new TreeSet<>(inA);
        all.addAll(inB);
        for (int part : all) {
            if (!inA.contains(part) || !inB.contains(part)) {
                ComparedSide side = inA.contains(part) ? a : b;
                if (selection.isEmpty() || hasSelected(side, part)) {
                    report.only(side == a ? "A" : "B", side.partName(part));
                }
            } else {
                a.open(
                        part,
                        (fileA, dataA, rank) -> b.open(part, (fileB, dataB, same) -> {
                            List<ComparedPair> pairs = pairs(dataA, dataB, rank, report);
                            PairComparison.compare(storage, fileA, fileB, pairs, progress);
                            for (ComparedPair pair : pairs) {
                                pair.finish();
                                report.pair(pair);
                            }
                        }));
            }
        }
    }

    private static Set<Integer> set(int[] numbers) {
        return IntStream.of(numbers).boxed().collect(Collectors.toSet());
    }

    private boolean hasSelected(ComparedSide side, int part) throws IOException {
        boolean[] found = new boolean[1];
        side.open(part, (file, data, rank) -> found[0] = data.stream().anyMatch(each -> selection.takes(each, rank)));
        return found[0];
    }

    /** Returns the pairs of a part, and reports what only one side has. */
    private List<ComparedPair> pairs(
            List<StoredData> dataA, List<StoredData> dataB, OptionalInt ofFile, DiffReport report) throws IOException {
        // Files of two ranks can be compared, files of several ranks rank by rank.
        boolean byRank = Stream.of(dataA, dataB)
                .anyMatch(data -> data.stream().map(StoredData::rank).distinct().count() > 1);
        Map<String, StoredData> left = byKey(dataB, byRank, ofFile);
        List<ComparedPair> pairs = new ArrayList<>();
        for (Map.Entry<String, StoredData> each : byKey(dataA, byRank, ofFile).entrySet()) {
            StoredData other = left.remove(each.getKey());
            if (other == null) {
                report.only("A", label(each.getValue(), ofFile));
            } else {
                pairs.add(pair(each.getValue(), other, ofFile));
            }
        }
        for (StoredData other : left.values()) {
            report.only("B", label(other, ofFile));
        }
        return pairs;
    }

    private Map<String, StoredData> byKey(List<StoredData> data, boolean byRank, OptionalInt ofFile) {
        Map<String, StoredData> byKey = new LinkedHashMap<>();
        for (StoredData each : data) {
            if (selection.takes(each, ofFile)) {
                byKey.put(each.name() + (byRank ? " of " + each.rank() : ""), each);
            }
        }
        return byKey;
    }

    private static String label(StoredData data, OptionalInt ofFile) {
        return data.rank().isPresent() || ofFile.isEmpty()
                ? data.label()
                : data.ofRank(ofFile.getAsInt()).label();
    }

    private ComparedPair pair(StoredData ofA, StoredData ofB, OptionalInt ofFile) {
        Optional<ValueType> said = selection.type(ofA);
        Optional<ValueType> known = said.or(ofA::type).or(ofB::type);
        boolean typesDiffer = said.isEmpty()
                && ofA.type().isPresent()
                && ofB.type().isPresent()
                && !ofA.type().equals(ofB.type());
        ValueType type = typesDiffer ? ValueType.BYTES : known.orElse(ValueType.BYTES);
        boolean sameRank = ofA.rank().equals(ofB.rank());
        OptionalInt rank = sameRank && ofA.rank().isPresent() ? ofA.rank() : ofFile;
        ComparedPair pair = new ComparedPair(ofA.as(said), ofB.as(said), rank, type, tolerance);
        if (typesDiffer) {
            pair.differs(
                    "types " + ofA.type().orElseThrow() + " and " + ofB.type().orElseThrow());
        }
        return pair;
    }
}
