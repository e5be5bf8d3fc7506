package io.drumlin.checkpoint.internal.singlefile;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.data.RunGroup;
import io.drumlin.checkpoint.internal.hdf5.Hdf5Tree;
import io.drumlin.format.hdf5.internal.NewDataset;
import io.drumlin.format.hdf5.internal.NewFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The layout of a shared HDF5 file before it is written. */
public final class SharedHdf5Layout {

    private final NewFile file;
    private final List<NewDataset> datasets = new ArrayList<>();

    /**
     * Lays out the file; all ranks get the same layout.
     *
     * @param root root of the groups
     * @param global the datasets in file order
     * @param variables variables whose types get names, in their order; if there are none, no type gets a name
     * @throws DrumlinException the file cannot hold the data
     */
    public SharedHdf5Layout(RunGroup root, List<RunDataset> global, Map<Integer, ProtectedData> variables)
            throws DrumlinException {
        String problem = "the groups: ";
        try {
            Hdf5Tree tree = new Hdf5Tree(root);
            for (Map.Entry<Integer, ProtectedData> entry : variables.entrySet()) {
                problem = "variable " + entry.getKey() + ": ";
                tree.nameOnce(entry.getValue().type());
            }
            for (RunDataset each : global) {
                problem = "global dataset " + each.path() + ": ";
                NewDataset dataset =
                        NewDataset.contiguous(tree.describe(each.type()), tree.named(each.type()), each.dimensions());
                datasets.add(tree.group(each.group()).add(each.name(), dataset));
            }
            file = NewFile.of(tree.root());
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw DrumlinException.during("making an HDF5 file")
                    .problem(problem + e.getMessage())
                    .cause(e)
                    .exception();
        }
    }

    /** Returns the first bytes of the file: everything but the elements. */
    ByteBuffer metadata() {
        return file.metadata();
    }

    long size() {
        return file.size();
    }

    /** Returns where the elements of a dataset begin, by its index in the given list. */
    long start(int dataset) {
        return datasets.get(dataset).chunks().get(0).offset();
    }
}
