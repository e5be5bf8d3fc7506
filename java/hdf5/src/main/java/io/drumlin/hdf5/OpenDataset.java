package io.drumlin.hdf5;

import io.drumlin.hdf5.Refusal.Kind;
import java.io.Closeable;
import org.bytedeco.hdf5.global.hdf5;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.SizeTPointer;

/**
 * What the library tells of a dataset.
 *
 * @param id the dataset
 * @param properties how it was made; negative if the library did not give it, as the following ones
 * @param type its type in the file
 * @param space its dataspace
 */
record OpenDataset(String name, long id, long properties, long type, long space) implements Closeable {

    /** Largest description of a type. */
    private static final int MOST_BYTES = 1 << 20;

    /** The library's default for the memory of a dataset's chunks. */
    private static final long LEAST_CACHE = 1 << 20;

    /** A prime number, as the library asks for: places in the table of the chunks in memory. */
    private static final int SLOTS = 12421;

    /** Opens a dataset, to be closed by the caller. */
    static OpenDataset of(long fileId, String name) throws Refusal {
        long cache;
        try (OpenDataset first = open(fileId, name, hdf5.H5P_DEFAULT)) {
            cache = first.cache();
        }
        long access = hdf5.H5Pcreate(hdf5.H5P_CLS_DATASET_ACCESS_ID_g());
        Calls.check(access, "H5Pcreate");
        try {
            Calls.check(hdf5.H5Pset_chunk_cache(access, SLOTS, cache, 1.0), "H5Pset_chunk_cache");
            return open(fileId, name, access);
        } finally {
            hdf5.H5Pclose(access);
        }
    }

    private static OpenDataset open(long fileId, String name, long access) throws Refusal {
        long id = Calls.ofFile(hdf5.H5Dopen2(fileId, name, access), "dataset " + name);
        long properties = hdf5.H5Dget_create_plist(id);
        if (properties >= 0 && isElsewhere(properties)) {
            hdf5.H5Pclose(properties);
            hdf5.H5Dclose(id);
            // To ask for the dataspace would open the other files.
            throw new Refusal(
                    Kind.OTHER_KIND,
                    "elements of " + name,
                    "they are in other files, which no digest of this one covers");
        }
        OpenDataset made = new OpenDataset(name, id, properties, hdf5.H5Dget_type(id), hdf5.H5Dget_space(id));
        if (Math.min(made.type, Math.min(made.space, made.properties)) < 0) {
            made.close();
            throw made.refused(Kind.DAMAGED, "type or dataspace", "the HDF5 library does not give it");
        }
        return made;
    }

    private static boolean isElsewhere(long properties) {
        return hdf5.H5Pget_layout(properties) == hdf5.H5D_VIRTUAL || hdf5.H5Pget_external_count(properties) > 0;
    }

    @Override
    public void close() {
        if (type >= 0) {
            hdf5.H5Tclose(type);
        }
        if (space >= 0) {
            hdf5.H5Sclose(space);
        }
        if (properties >= 0) {
            hdf5.H5Pclose(properties);
        }
        hdf5.H5Dclose(id);
    }

    long call(long result, String what) throws Refusal {
        return Calls.ofFile(result, what + " of " + name);
    }

    private Refusal refused(Kind kind, String field, String problem) {
        return new Refusal(kind, field + " of " + name, problem);
    }

    /** Returns the dimensions; of a dataset that can have no elements there is one, which is 0. */
    long[] dimensions() throws Refusal {
        if (hdf5.H5Sget_simple_extent_type(space) == hdf5.H5S_NULL) {
            return new long[1];
        }
        long[] dimensions = new long[(int) call(hdf5.H5Sget_simple_extent_ndims(space), "dimensions")];
        if (dimensions.length > 0) {
            call(hdf5.H5Sget_simple_extent_dims(space, dimensions, (long[]) null), "dimensions");
        }
        return dimensions;
    }

    private long[] chunk() throws Refusal {
        long[] chunk = new long[dimensions().length];
        call(hdf5.H5Pget_chunk(properties, chunk.length, chunk), "chunks");
        return chunk;
    }

    private static long chunksAlong(long dimension, long chunk) {
        return dimension / chunk + (dimension % chunk == 0 ? 0 : 1);
    }

    /**
     * Returns the memory for chunks with which each is decoded once when the elements are read in their order. The
     * library decodes whole chunks, and C FTI makes one of a variable.
     */
    private long cache() throws Refusal {
        if (hdf5.H5Pget_layout(properties) != hdf5.H5D_CHUNKED
                || call(hdf5.H5Pget_nfilters(properties), "filters") == 0) {
            return LEAST_CACHE;
        }
        long[] dimensions = dimensions();
        long[] chunk = chunk();
        try {
            long bytes = Math.multiplyExact(hdf5.H5Tget_size(type), chunk[0]);
            for (int i = 1; i < chunk.length; i++) {
                long along = Math.multiplyExact(chunksAlong(dimensions[i], chunk[i]), chunk[i]);
                bytes = Math.multiplyExact(bytes, along);
            }
            return Math.max(bytes, LEAST_CACHE);
        } catch (ArithmeticException e) {
            throw refused(Kind.DAMAGED, "chunks", "they have more than 2^63 bytes");
        }
    }

    /** Returns the type as the library encodes it: the number of the message, a version, and the message. */
    byte[] encodedType() throws Refusal {
        try (SizeTPointer size = new SizeTPointer(1)) {
            call(hdf5.H5Tencode(type, null, size), "type");
            if (size.get() > MOST_BYTES) {
                throw refused(Kind.OTHER_KIND, "type", "its description has " + size.get() + " bytes");
            }
            byte[] message = new byte[(int) size.get()];
            try (BytePointer target = new BytePointer(message.length)) {
                call(hdf5.H5Tencode(type, target, size), "type");
                target.get(message);
            }
            return message;
        }
    }

    /**
     * Returns whether all elements are in the file; false if none is.
     *
     * @throws Refusal only some are, or the library cannot decode them
     */
    boolean isWritten() throws Refusal {
        requireFilters();
        int layout = hdf5.H5Pget_layout(properties);
        if (layout == hdf5.H5D_CHUNKED) {
            return hasChunks();
        }
        int[] status = new int[1];
        call(hdf5.H5Dget_space_status(id, status), "elements");
        return layout == hdf5.H5D_COMPACT || status[0] == hdf5.H5D_SPACE_STATUS_ALLOCATED;
    }

    private boolean hasChunks() throws Refusal {
        long[] dimensions = dimensions();
        long[] chunk = chunk();
        double needed = 1;
        for (int i = 0; i < chunk.length; i++) {
            needed *= chunksAlong(dimensions[i], chunk[i]);
        }
        long[] found = new long[1];
        call(hdf5.H5Dget_num_chunks(id, hdf5.H5S_ALL, found), "chunks");
        if (found[0] != 0 && found[0] != needed) {
            throw refused(Kind.OTHER_KIND, "chunks", "there are " + found[0] + ", and not one for all elements");
        }
        return found[0] != 0;
    }

    /**
     * Checks that the library has all filters, and that they give back the bytes that were written: n-bit keeps only
     * those that the type describes, which for C FTI's opaque types is one, and scale-offset rounds. No filter proves
     * that the file is damaged.
     */
    private void requireFilters() throws Refusal {
        long count = call(hdf5.H5Pget_nfilters(properties), "filters");
        for (int i = 0; i < count; i++) {
            int filter = filter(i);
            if (filter == hdf5.H5Z_FILTER_NBIT || filter == hdf5.H5Z_FILTER_SCALEOFFSET) {
                throw lacking(
                        filter,
                        "may not keep all bytes of the elements: put back the file as it was before the filter was added");
            }
            if (hdf5.H5Zfilter_avail(filter) <= 0) {
                throw lacking(
                        filter,
                        "is not in this build of the HDF5 library: name the folder of its plugin with HDF5_PLUGIN_PATH, or"
                                + " remove the filter with h5repack");
            }
        }
    }

    private Refusal lacking(int filter, String problem) {
        return refused(Kind.LACKING, "elements", "filter " + filter + " " + problem);
    }

    private int filter(int index) throws Refusal {
        try (SizeTPointer values = new SizeTPointer(1).put(0)) {
            return (int) call(
                    hdf5.H5Pget_filter2(properties, index, new int[1], values, new int[1], 1, new byte[1], new int[1]),
                    "filter");
        }
    }
}
