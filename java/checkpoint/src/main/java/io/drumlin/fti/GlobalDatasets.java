package io.drumlin.fti;

import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.DatasetGroup;
import io.drumlin.checkpoint.GlobalDataset;
import io.drumlin.checkpoint.SingleFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The global datasets of an instance by the numbers that the program gives them. */
final class GlobalDatasets {

    private final SingleFile file;
    private final Map<Integer, GlobalDataset> byNumber = new HashMap<>();

    GlobalDatasets(SingleFile file) {
        this.file = file;
    }

    void define(int did, List<Long> dimensions, String name, DatasetGroup group, DataType type) {
        if (byNumber.containsKey(did)) {
            throw new IllegalArgumentException("global dataset " + did + " is defined already");
        }
        byNumber.put(did, file.globalDataset(name, dimensions, type, group));
    }

    GlobalDataset get(int did) {
        GlobalDataset dataset = byNumber.get(did);
        if (dataset == null) {
            throw new IllegalArgumentException("global dataset " + did + " is not defined");
        }
        return dataset;
    }

    void addSubset(int id, List<Long> offset, List<Long> count, int did) {
        file.subset(id, get(did), offset, count);
    }

    void updateSubset(int id, List<Long> offset, List<Long> count, int did) {
        if (!file.isSubset(id, get(did))) {
            throw new IllegalArgumentException("variable " + id + " is no subset of global dataset " + did);
        }
        addSubset(id, offset, count, did);
    }

    long[] span(int did, int rank) {
        List<Long> dimensions = get(did).dimensions();
        if (dimensions.size() != rank) {
            throw new IllegalArgumentException(
                    "global dataset " + did + " has " + dimensions.size() + " dimensions, and not " + rank);
        }
        return dimensions.stream().mapToLong(Long::longValue).toArray();
    }
}
