package io.drumlin.checkpoint;

import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.fti.VariableEntry;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A file of the mode POSIX that is to be written: the variables one behind the other. */
final class PosixDraft implements Draft {

    /** MD5 of no bytes. */
    private static final String MD5_OF_NOTHING = "d41d8cd98f00b204e9800998ecf8427e";

    private final int ckptId;
    private final String fileName;
    private final FileImage image;
    private final List<VariableEntry> variables;
    private @Nullable String md5;
    private long start;
    private @Nullable GroupMetadata metadata;

    /**
     * @param fileName the name that the metadata give the file
     * @param data in the order of the file
     * @param order ids of the variables in the order in which the metadata tell of them
     */
    PosixDraft(int ckptId, String fileName, Map<Integer, ProtectedData> data, List<Integer> order) {
        this.ckptId = ckptId;
        this.fileName = fileName;
        image = new FileImage(
                data.values().stream().mapToLong(ProtectedData::size).reduce(0, Math::addExact));
        long position = 0;
        Map<Integer, VariableEntry> entries = new HashMap<>();
        for (Map.Entry<Integer, ProtectedData> entry : data.entrySet()) {
            ProtectedData variable = entry.getValue();
            entries.put(entry.getKey(), entry(entry.getKey(), variable, position));
            image.put(position, variable, 0, variable.size());
            position += variable.size();
        }
        variables = order.stream().map(entries::get).toList();
    }

    /** What the metadata say of a variable. */
    static VariableEntry entry(int id, ProtectedData variable, long position) {
        DataType type = variable.type();
        Label label = variable.label();
        return new VariableEntry(
                id,
                type.id(),
                type.size(),
                variable.size(),
                position,
                label.attribute(),
                label.idName(),
                label.dimensions());
    }

    @Override
    public FileImage image() {
        return image;
    }

    @Override
    public List<Chunk> chunks() {
        return size() == 0 ? List.of() : List.of(new Chunk(0, size(), size()));
    }

    @Override
    public List<Piece> seal(List<byte[]> digests, long partnerSize, long encodedSize) {
        md5 = digests.isEmpty() ? MD5_OF_NOTHING : HexFormat.of().formatHex(digests.get(0));
        return List.of();
    }

    @Override
    public void placeAt(long offset) {
        start = offset;
    }

    @Override
    public Encoding encoding() {
        return new PosixEncoding();
    }

    /**
     * What the metadata say of the file.
     *
     * @param largest bytes of the largest file of the group
     * @param encodedMd5 at level 3, MD5 of the Reed-Solomon file
     */
    FileEntry entry(long largest, Optional<String> encodedMd5) {
        if (md5 == null) {
            throw new IllegalStateException("not sealed");
        }
        return new FileEntry(fileName, size(), largest, md5, variables, List.of(), encodedMd5.orElse(null));
    }

    /** The name that the metadata give the file. */
    String fileName() {
        return fileName;
    }

    int ckptId() {
        return ckptId;
    }

    @Override
    public StoredFile stored() {
        return stored(ckptId, entry(size(), Optional.empty())).movedBy(start);
    }

    /** What a file that is described so holds. */
    static StoredFile stored(int ckptId, FileEntry entry) {
        List<StoredFile.Chunk> chunks = new ArrayList<>();
        Map<Integer, Long> sizes = new LinkedHashMap<>();
        Map<Integer, Label> labels = new HashMap<>();
        for (VariableEntry variable : entry.variables()) {
            if (variable.size() > 0) {
                chunks.add(new StoredFile.Chunk(variable.id(), 0, variable.pos(), variable.size(), Optional.empty()));
            }
            sizes.put(variable.id(), variable.size());
            labels.put(variable.id(), new Label(variable.idChar(), variable.name(), variable.dims()));
        }
        return new StoredFile(ckptId, chunks, sizes, labels, Optional.of(whole(entry)));
    }

    /** All bytes of a file that is described so. */
    private static StoredFile.Chunk whole(FileEntry entry) {
        Optional<String> md5 = Optional.of(entry.checksum()).filter(text -> !text.isEmpty());
        return new StoredFile.Chunk(-1, 0, 0, entry.size(), md5);
    }

    /** Keeps the metadata of the group, on the rank that wrote them. */
    void describedBy(GroupMetadata written) {
        metadata = written;
    }

    /** The metadata of the group; null on the ranks that did not write them. */
    @Nullable
    GroupMetadata metadata() {
        return metadata;
    }

    /** Ids of the variables in the order of the metadata. */
    List<Integer> order() {
        return variables.stream().map(VariableEntry::id).toList();
    }
}
