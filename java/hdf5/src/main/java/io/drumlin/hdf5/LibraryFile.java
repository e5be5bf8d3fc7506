package io.drumlin.hdf5;

import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.Hdf5Library;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
final class LibraryFile implements Hdf5Library.Content {

    /** As in Drumlin's own reader. */
    private static final int MOST_DEPTH = 256;

    /** Longest name in a group; C FTI's buffers for names have 256 bytes. */
    private static final int MOST_NAME = 1 << 20;

    /** Bytes by which the library tells objects apart. */
    private static final int TOKEN_BYTES = 16;

    private final Path path;
    private final long id;

    /** The image must not be collected while the library reads it. */
    private final @Nullable BytePointer image;

    private final Map<String, LibraryDataset> datasets = new LinkedHashMap<>();
    private final Set<String> visited = new HashSet<>();
    private boolean closed;

    private LibraryFile(Path path, long id, @Nullable BytePointer image) {
        this.path = path;
        this.id = id;
        this.image = image;
    }

    static LibraryFile open(Path path) throws IOException {
        long access = hdf5.H5Pcreate(hdf5.H5P_CLS_FILE_ACCESS_ID_g());
        Calls.check(access, "H5Pcreate");
        try {
            // The file is only read, and some parallel file systems have no locks.
            Calls.check(hdf5.H5Pset_file_locking(access, false, true), "H5Pset_file_locking");
            long id = Calls.check(hdf5.H5Fopen(path.toString(), hdf5.H5F_ACC_RDONLY, access), "file", path);
            return read(new LibraryFile(path, id, null));
        } finally {
            hdf5.H5Pclose(access);
        }
    }

    static LibraryFile open(ByteBuffer bytes, Path path) throws IOException {
        BytePointer image = new BytePointer(bytes.slice());
        int shared = hdf5.H5LT_FILE_IMAGE_DONT_COPY | hdf5.H5LT_FILE_IMAGE_DONT_RELEASE;
        long id = Calls.check(hdf5.H5LTopen_file_image(image, bytes.remaining(), shared), "file", path);
        return read(new LibraryFile(path, id, image));
    }

    private static LibraryFile read(LibraryFile file) throws IOException {
        try {
            file.addMembers("", file.id, 0);
            return file;
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    private void addMembers(String group, long groupId, int depth) throws IOException {
        if (depth > MOST_DEPTH) {
            throw wrong("group " + group, "there are more than " + MOST_DEPTH + " groups within groups");
        }
        long members;
        try (H5G_info_t info = new H5G_info_t()) {
            Calls.check(hdf5.H5Gget_info(groupId, info), "group " + group + "/", path);
            members = info.nlinks();
        }
        for (long i = 0; i < members; i++) {
            String name = name(group, groupId, i);
            if (isInFile(group, groupId, name)) {
                addObject(group + "/" + name, groupId, name, depth);
            }
        }
    }

    private String name(String group, long groupId, long index) throws IOException {
        String what = "name in group " + group + "/";
        long length = Calls.check(nameOf(groupId, index, null), what, path);
        if (length > MOST_NAME) {
            throw wrong(what, "it has " + length + " bytes");
        }
        byte[] text = new byte[(int) length + 1];
        Calls.check(nameOf(groupId, index, text), what, path);
        return new String(text, 0, (int) length, StandardCharsets.UTF_8);
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

    private boolean isInFile(String group, long groupId, String name) throws IOException {
        try (H5L_info2_t link = new H5L_info2_t()) {
            Calls.check(hdf5.H5Lget_info2(groupId, name, link, hdf5.H5P_DEFAULT), "link " + group + "/" + name, path);
            return link.type() == hdf5.H5L_TYPE_HARD;
        }
    }

    private void addObject(String name, long groupId, String member, int depth) throws IOException {
        long object = Calls.check(hdf5.H5Oopen(groupId, member, hdf5.H5P_DEFAULT), "object " + name, path);
        try {
            int kind = kindOfUnvisited(name, object);
            if (kind == hdf5.H5O_TYPE_GROUP) {
                addMembers(name, object, depth + 1);
            } else if (kind == hdf5.H5O_TYPE_DATASET) {
                datasets.put(name, LibraryDataset.open(path, id, name));
            }
        } finally {
            hdf5.H5Oclose(object);
        }
    }

    private int kindOfUnvisited(String name, long object) throws IOException {
        try (H5O_info2_t info = new H5O_info2_t()) {
            Calls.check(hdf5.H5Oget_info3(object, info, hdf5.H5O_INFO_BASIC), "object " + name, path);
            StringBuilder token = new StringBuilder();
            for (int i = 0; i < TOKEN_BYTES; i++) {
                token.append(info.token().__data(i)).append(' ');
            }
            if (!visited.add(token.toString())) {
                throw wrong("object " + name, "it was there before, under another name");
            }
            return info.type();
        }
    }

    private FormatException wrong(String field, String problem) {
        return new FormatException("HDF5", new Finding(field, 0, problem)).in(path);
    }

    @Override
    public List<Hdf5Library.Dataset> datasets() {
        return datasets.values().stream().map(LibraryDataset::description).toList();
    }

    @Override
    public void read(String dataset, long from, ByteBuffer target) throws IOException {
        synchronized (NativeHdf5Library.LOCK) {
            LibraryDataset found = datasets.get(dataset);
            if (closed || found == null) {
                throw new IllegalStateException(closed ? path + " is closed" : path + " has no dataset " + dataset);
            }
            found.read(from, target);
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (NativeHdf5Library.LOCK) {
            if (!closed) {
                closed = true;
                datasets.values().forEach(LibraryDataset::close);
                int result = hdf5.H5Fclose(id);
                if (image != null) {
                    image.close();
                }
                Calls.check(result, "closing the file", path);
            }
        }
    }
}
