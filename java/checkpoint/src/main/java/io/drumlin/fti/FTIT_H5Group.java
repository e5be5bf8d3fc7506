package io.drumlin.fti;

import io.drumlin.checkpoint.DatasetGroup;
import org.jspecify.annotations.Nullable;

/** A group of datasets in the mode HDF5, once {@link FTI#FTI_InitGroup} has made it. Not thread-safe. */
@SuppressWarnings("TypeName") // The name is C FTI's.
public final class FTIT_H5Group {

    private @Nullable DatasetGroup group;

    /** Makes an object that {@link FTI#FTI_InitGroup} can turn into a group. */
    public FTIT_H5Group() {}

    void made(DatasetGroup given) {
        group = given;
    }

    DatasetGroup group() {
        if (group == null) {
            throw new IllegalArgumentException("the group was not made by FTI_InitGroup");
        }
        return group;
    }
}
