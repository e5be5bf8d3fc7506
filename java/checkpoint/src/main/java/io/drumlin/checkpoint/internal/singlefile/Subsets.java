package io.drumlin.checkpoint.internal.singlefile;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.hdf5.Hdf5Tree;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.hdf5.internal.Hyperslab;
import io.drumlin.format.hdf5.internal.Overlap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The global datasets of a run, and the part of them that each variable of this rank holds: {@code FTI_AddSubset}. Not
 * thread-safe.
 */
public final class Subsets {

    private final Communicator app;
    private final List<RunDataset> datasets = new ArrayList<>();
    private final Map<Integer, Subset> byVariable = new LinkedHashMap<>();

    /** The state that passed the last check. */
    private List<Object> checked = List.of();

    public Subsets(Communicator app) {
        this.app = app;
    }

    /**
     * The part of a dataset that a variable holds.
     *
     * @param slab the elements of the variable in the dataset
     */
    public record Subset(RunDataset dataset, Hyperslab slab) {}

    public void add(RunDataset dataset) {
        datasets.add(dataset);
    }

    public List<RunDataset> datasets() {
        return datasets;
    }

    public void put(int variable, Subset subset) {
        if (!datasets.contains(subset.dataset())) {
            throw new IllegalArgumentException(
                    "global dataset " + subset.dataset().path() + " is of another run");
        }
        byVariable.put(variable, subset);
    }

    public Map<Integer, Subset> byVariable() {
        return byVariable;
    }

    public Subset require(int variable) {
        Subset subset = byVariable.get(variable);
        if (subset == null) {
            throw new IllegalArgumentException("variable " + variable + " is no subset of a global dataset");
        }
        return subset;
    }

    /**
     * Returns the variables that are subsets, in file order: rows of a matrix, for example, in the order of the rows.
     */
    public List<Integer> inFileOrder() {
        return byVariable.keySet().stream()
                .sorted((one, other) -> compare(require(one), require(other)))
                .toList();
    }

    private int compare(Subset one, Subset other) {
        int compared = Integer.compare(datasets.indexOf(one.dataset()), datasets.indexOf(other.dataset()));
        int rank = Math.min(one.slab().offset().size(), other.slab().offset().size());
        for (int i = 0; compared == 0 && i < rank; i++) {
            compared =
                    one.slab().offset().get(i).compareTo(other.slab().offset().get(i));
        }
        return compared;
    }

    /** Returns the bytes of all subsets of this rank. */
    public long bytes() {
        return byVariable.values().stream()
                .mapToLong(
                        each -> each.slab().elements() * each.dataset().type().size())
                .sum();
    }

    /**
     * Checks that the subsets of all ranks make up the datasets: each subset is within its dataset and as large as its
     * variable, no two overlap, and no element is missing. Collective.
     *
     * @param variables variables of this rank
     * @throws IOException on all ranks, if the check fails on any
     */
    public void check(String operation, Map<Integer, ProtectedData> variables) throws IOException {
        requireAlike(operation);
        List<Object> now = new ArrayList<>(byVariable.values());
        datasets.forEach(dataset -> now.add(dataset.dimensions()));
        // The number of elements of each dataset, and whether anything has changed.
        long[] sums = new long[datasets.size() + 1];
        sums[datasets.size()] = now.equals(checked) ? 0 : 1;
        Agreement.run(app, operation, () -> {
            for (Map.Entry<Integer, Subset> entry : byVariable.entrySet()) {
                check(operation, entry.getKey(), entry.getValue(), variables);
                sums[datasets.indexOf(entry.getValue().dataset())] +=
                        entry.getValue().slab().elements();
            }
        });
        app.allreduce(sums, Op.SUM);
        if (sums[datasets.size()] > 0) {
            for (RunDataset dataset : datasets) {
                requireDisjoint(operation, dataset);
            }
        }
        for (int i = 0; i < datasets.size(); i++) {
            requireWhole(operation, datasets.get(i), sums[i]);
        }
        checked = now;
    }

    /**
     * Checks that all ranks have declared the same global datasets, on which their collective steps depend. Collective.
     */
    public void requireAlike(String operation) throws IOException {
        CRC32C sum = new CRC32C();
        for (RunDataset dataset : datasets) {
            String declared =
                    dataset.path() + dataset.dimensions() + dataset.type().size();
            sum.update(declared.getBytes(StandardCharsets.UTF_8));
        }
        long[] sums = {sum.getValue(), -sum.getValue()};
        app.allreduce(sums, Op.MAX);
        if (sums[0] != -sums[1] || datasets.isEmpty()) {
            throw DrumlinException.during(operation)
                    .rank(app.rank())
                    .problem(
                            datasets.isEmpty()
                                    ? "there are no global datasets"
                                    : "the ranks have declared different global datasets; those of this rank are "
                                            + datasets.stream()
                                                    .map(each -> each.path() + each.dimensions())
                                                    .toList())
                    .advice("declare the same global datasets on all ranks, in one order and with the same dimensions")
                    .exception();
        }
    }

    /** Checks a subset of this rank. Not collective. */
    public void check(String operation, int id, Subset subset, Map<Integer, ProtectedData> variables)
            throws DrumlinException {
        ProtectedData variable = variables.get(id);
        RunDataset dataset = subset.dataset();
        long size = variable == null ? -1 : variable.size();
        if (variable != null && variable.isObject()) {
            throw wrong(operation, id, subset, "is an object, which is no part of a dataset");
        }
        if (!subset.slab().isWithin(dataset.dimensions())) {
            throw wrong(operation, id, subset, "is not within its dimensions " + dataset.dimensions());
        }
        if (size != subset.slab().elements() * dataset.type().size()) {
            throw wrong(
                    operation,
                    id,
                    subset,
                    "has " + subset.slab().elements() + " elements of "
                            + dataset.type().size() + " bytes, and the variable " + size + " bytes");
        }
        if (variable != null) {
            requireType(operation, id, subset, variable.type());
        }
    }

    /** Checks the type of a variable. Bytes are copied unchanged, while C FTI lets the library convert elements. */
    private void requireType(String operation, int id, Subset subset, DataType type) throws DrumlinException {
        try {
            Optional<String> difference = Hdf5Tree.difference(subset.dataset().type(), type);
            if (difference.isPresent()) {
                throw wrong(operation, id, subset, "has another type: " + difference.get());
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw wrong(operation, id, subset, "is of a type that no HDF5 file can have: " + e.getMessage());
        }
    }

    private DrumlinException wrong(String operation, int id, Subset subset, String problem) {
        return DrumlinException.during(operation)
                .rank(app.rank())
                .problem("variable " + id + " as the subset of global dataset "
                        + subset.dataset().path() + " at " + subset.slab().offset() + ", count "
                        + subset.slab().count() + ", " + problem)
                .advice(
                        "give variable and global dataset one type, and update the subsets when the size of one changes")
                .exception();
    }

    private void requireWhole(String operation, RunDataset dataset, long sum) throws DrumlinException {
        if (sum != dataset.elements()) {
            throw DrumlinException.during(operation)
                    .rank(app.rank())
                    .problem("the subsets of all ranks have " + sum + " elements of global dataset " + dataset.path()
                            + ", and its dimensions " + dataset.dimensions() + " make " + dataset.elements())
                    .advice("declare subsets that together are all of the dataset")
                    .exception();
        }
    }

    /** Rank 0 checks that subsets are disjoint, for which it usually only sorts them. */
    private void requireDisjoint(String operation, RunDataset dataset) throws IOException {
        List<Integer> ids = new ArrayList<>();
        byVariable.forEach((id, subset) -> {
            if (subset.dataset() == dataset) {
                ids.add(id);
            }
        });
        int rank = dataset.dimensions().size();
        int bytes = (1 + 2 * rank) * Long.BYTES;
        long most = Agreement.max(app, ids.size());
        ByteBuffer[] parts = new ByteBuffer[2];
        Agreement.run(app, operation, () -> {
            int part = Math.toIntExact(Math.multiplyExact(most, bytes));
            parts[0] = ByteBuffer.allocateDirect(part);
            parts[1] = ByteBuffer.allocateDirect(app.rank() == 0 ? Math.multiplyExact(part, app.size()) : 0);
        });
        for (int id : ids) {
            parts[0].putLong(id + 1L);
            Hyperslab slab = require(id).slab();
            slab.offset().forEach(parts[0]::putLong);
            slab.count().forEach(parts[0]::putLong);
        }
        app.gather(parts[0].clear(), parts[1], 0);
        Agreement.run(app, operation, () -> {
            if (app.rank() == 0) {
                requireDisjoint(operation, dataset, parts[1].clear(), most);
            }
        });
    }

    private static void requireDisjoint(String operation, RunDataset dataset, ByteBuffer all, long most)
            throws DrumlinException {
        int rank = dataset.dimensions().size();
        List<Hyperslab> slabs = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int i = 0; all.hasRemaining(); i++) {
            long id = all.getLong() - 1;
            List<Long> offset = numbers(all, rank);
            List<Long> count = numbers(all, rank);
            if (id >= 0) {
                slabs.add(new Hyperslab(offset, count));
                names.add("variable " + id + " of rank " + i / most + " at " + offset + ", count " + count);
            }
        }
        Overlap overlap = Overlap.find(slabs).orElse(null);
        if (overlap != null) {
            throw DrumlinException.during(operation)
                    .problem("two subsets of global dataset " + dataset.path() + " have elements in common: "
                            + names.get(overlap.first()) + ", and " + names.get(overlap.second()))
                    .advice("declare subsets that do not overlap")
                    .exception();
        }
    }

    private static List<Long> numbers(ByteBuffer from, int count) {
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(from.getLong());
        }
        return numbers;
    }
}
