package io.drumlin.hdf5;

import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bytedeco.hdf5.H5G_info_t;
import org.bytedeco.hdf5.H5L_info2_t;
import org.bytedeco.hdf5.H5O_info2_t;
import org.bytedeco.hdf5.global.hdf5;
import org.bytedeco.javacpp.BytePointer;
import org.jspecify.annotations.Nullable;

/**
 * A file that the library has open. Only objects in the file itself are found: links to other files are not followed,
 * so that a checkpoint consists of the bytes that were verified.
 */
final class LibraryFile implements Closeable {

    /** As in Drumlin's own reader. */
    private static final int MOST_DEPTH = 256;

    /** Longest name in bytes, with those of its groups; C FTI's buffers for names have 256. */
    private static final int MOST_NAME = 4096;

    /** Bytes by which the library tells objects apart. */
    private static final int TOKEN_BYTES = 16;

    /**
     * A dataset.
     *
     * @param type as the library encodes it
     * @param written whether all elements are in the file; false if none is
     */
    record Described(String name, List<Long> dimensions, ByteBuffer type, boolean written) {

        void write(DataOutputStream out) throws IOException {
            Texts.write(out, name);
            out.writeInt(dimensions.size());
            for (long dimension : dimensions) {
                out.writeLong(dimension);
            }
            byte[] encoded = new byte[type.remaining()];
            type.duplicate().get(encoded);
            Texts.writeBytes(out, encoded);
            out.writeBoolean(written);
        }
    }

    private final long id;

    /** The image must not be collected while the library reads it. */
    private final @Nullable BytePointer image;

    private final List<Described> datasets = new ArrayList<>();
    private final Set<String> visited = new HashSet<>();

    /** The dataset that was read last; the memory for its chunks goes with it. */
    private @Nullable LibraryDataset current;

    private int currentNumber = -1;

    private LibraryFile(long id, @Nullable BytePointer image) {
        this.id = id;
        this.image = image;
    }

    static LibraryFile open(Path path) throws Refusal {
        long access = hdf5.H5Pcreate(hdf5.H5P_CLS_FILE_ACCESS_ID_g());
        Calls.check(access, "H5Pcreate");
        try {
            // The file is only read, and some parallel file systems have no locks.
            Calls.check(hdf5.H5Pset_file_locking(access, false, true), "H5Pset_file_locking");
            long id = Calls.ofFile(hdf5.H5Fopen(path.toString(), hdf5.H5F_ACC_RDONLY, access), "file");
            return read(new LibraryFile(id, null));
        } finally {
            hdf5.H5Pclose(access);
        }
    }

    static LibraryFile open(BytePointer image) throws Refusal {
        int shared = hdf5.H5LT_FILE_IMAGE_DONT_COPY | hdf5.H5LT_FILE_IMAGE_DONT_RELEASE;
        long id = Calls.ofFile(hdf5.H5LTopen_file_image(image, image.capacity(), shared), "file");
        return read(new LibraryFile(id, image));
    }

    private static LibraryFile read(LibraryFile file) throws Refusal {
        try {
            file.addMembers("", file.id, 0);
            return file;
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    private void addMembers(String group, long groupId, int depth) throws Refusal {
        if (depth > MOST_DEPTH) {
            throw otherKind("group " + group, "there are more than " + MOST_DEPTH + " groups within groups");
        }
        long members;
        try (H5G_info_t info = new H5G_info_t()) {
            Calls.ofFile(hdf5.H5Gget_info(groupId, info), "group " + group + "/");
            members = info.nlinks();
        }
        for (long i = 0; i < members; i++) {
            String name = name(group, groupId, i);
            if (isInFile(group, groupId, name)) {
                addObject(group + "/" + name, groupId, name, depth);
            }
        }
    }

    private String name(String group, long groupId, long index) throws Refusal {
        String what = "name in group " + group + "/";
        long length = Calls.ofFile(nameOf(groupId, index, null), what);
        if (length > MOST_NAME) {
            throw otherKind(what, "it has " + length + " bytes");
        }
        byte[] text = new byte[(int) length + 1];
        Calls.ofFile(nameOf(groupId, index, text), what);
        String found = new String(text, 0, (int) length, StandardCharsets.UTF_8);
        if (found.indexOf('\uFFFD') >= 0) {
            throw otherKind(what, found + " is not in UTF-8");
        }
        return found;
    }

    private static long nameOf(long groupId, long index, byte @Nullable [] text) {
        try (BytePointer here = new BytePointer(".")) {
            return hdf5.H5Lget_name_by_idx(
                    groupId,
                    here,
                    hdf5.H5_INDEX_NAME,
                    hdf5.H5_ITER_INC,
                    index,
                    text,
                    text == null ? 0 : text.length,
                    hdf5.H5P_DEFAULT);
        }
    }

    private boolean isInFile(String group, long groupId, String name) throws Refusal {
        try (H5L_info2_t link = new H5L_info2_t()) {
            Calls.ofFile(hdf5.H5Lget_info2(groupId, name, link, hdf5.H5P_DEFAULT), "link " + group + "/" + name);
            return link.type() == hdf5.H5L_TYPE_HARD;
        }
    }

    private void addObject(String name, long groupId, String member, int depth) throws Refusal {
        long object = Calls.ofFile(hdf5.H5Oopen(groupId, member, hdf5.H5P_DEFAULT), "object " + name);
        try {
            int kind = kindOfUnvisited(name, object);
            if (kind == hdf5.H5O_TYPE_GROUP) {
                addMembers(name, object, depth + 1);
            } else if (kind == hdf5.H5O_TYPE_DATASET) {
                try (OpenDataset dataset = OpenDataset.of(id, name)) {
                    boolean written = dataset.isWritten();
                    datasets.add(new Described(
                            name,
                            Arrays.stream(dataset.dimensions()).boxed().toList(),
                            ByteBuffer.wrap(dataset.encodedType()),
                            written));
                }
            }
        } finally {
            hdf5.H5Oclose(object);
        }
    }

    private int kindOfUnvisited(String name, long object) throws Refusal {
        try (H5O_info2_t info = new H5O_info2_t()) {
            Calls.ofFile(hdf5.H5Oget_info3(object, info, hdf5.H5O_INFO_BASIC), "object " + name);
            StringBuilder token = new StringBuilder();
            for (int i = 0; i < TOKEN_BYTES; i++) {
                token.append(info.token().__data(i)).append(' ');
            }
            if (!visited.add(token.toString())) {
                throw otherKind("object " + name, "it was there before, under another name");
            }
            return info.type();
        }
    }

    private static Refusal otherKind(String what, String problem) {
        return new Refusal(Refusal.Kind.OTHER_KIND, what, problem);
    }

    List<Described> datasets() {
        return datasets;
    }

    /**
     * Reads elements of a dataset.
     *
     * @param dataset its place in {@link #datasets}
     * @param from offset of the first byte in the elements
     */
    void read(int dataset, long from, ByteBuffer target) throws Refusal {
        LibraryDataset open = current;
        if (open == null || dataset != currentNumber) {
            closeCurrent();
            open = LibraryDataset.open(id, datasets.get(dataset).name());
            current = open;
            currentNumber = dataset;
        }
        open.read(from, target);
    }

    private void closeCurrent() {
        if (current != null) {
            current.close();
            current = null;
        }
    }

    @Override
    public void close() {
        closeCurrent();
        hdf5.H5Fclose(id);
        if (image != null) {
            image.close();
        }
    }
}
