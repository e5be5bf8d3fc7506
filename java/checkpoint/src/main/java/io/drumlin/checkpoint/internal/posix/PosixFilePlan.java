package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.data.VariableName;
import io.drumlin.checkpoint.internal.file.Encoding;
import io.drumlin.checkpoint.internal.file.FileDescription;
import io.drumlin.checkpoint.internal.file.FileDigests;
import io.drumlin.checkpoint.internal.file.FileImage;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.PosixEncoding;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.fti.VariableEntry;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.integrity.Md5Lanes;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The plan of a rank's file in the modes that keep metadata apart from the files. */
public final class PosixFilePlan implements FilePlan {

    /** MD5 of no bytes. */
    private static final String MD5_OF_NOTHING = "d41d8cd98f00b204e9800998ecf8427e";

    private final int ckptId;
    private final String fileName;
    private final FileImage image;
    private final List<VariableEntry> variables;
    private final FileDescription content;
    private final FileDigests digests = new FileDigests();
    private long start;
    private boolean striped;
    private @Nullable GroupMetadata metadata;

    /**
     * Creates the plan of a file and of its metadata.
     *
     * @param fileName name of the file in the metadata
     * @param variables the variables in the order of the metadata
     */
    public PosixFilePlan(
            int ckptId, String fileName, FileImage image, List<VariableEntry> variables, FileDescription content) {
        this.ckptId = ckptId;
        this.fileName = fileName;
        this.image = image;
        this.variables = List.copyOf(variables);
        this.content = content;
    }

    /** Returns the entry of a variable in the metadata. */
    public static VariableEntry entry(int id, ProtectedData variable, long position) {
        DataType type = variable.type();
        VariableName label = variable.label();
        return new VariableEntry(
                id,
                type.id(),
                type.size(),
                variable.size(),
                position,
                label.attribute(),
                label.idName(),
                variable.dimensions().isEmpty() ? label.dimensions() : variable.dimensions());
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
    public List<Piece> seal(List<byte[]> ofChunks, long partnerSize, long encodedSize) {
        String nothing = size() == 0 ? MD5_OF_NOTHING : "";
        digests.seal(ofChunks.isEmpty() ? nothing : HexFormat.of().formatHex(ofChunks.get(0)));
        return List.of();
    }

    @Override
    public boolean lacksDigest() {
        return digests.lacksPlain();
    }

    @Override
    public void setDigest(String md5) {
        digests.setPlain(md5);
    }

    @Override
    public void placeAt(long offset) {
        start = offset;
        striped = true;
    }

    @Override
    public void addStripedDigest(boolean plainLater) {
        digests.addStriped(size(), plainLater);
    }

    @Override
    public Md5Lanes lanes() {
        return digests.lanes();
    }

    @Override
    public Encoding encoding() {
        return new PosixEncoding();
    }

    /**
     * Returns the entry of the file in the metadata.
     *
     * @param largest bytes of the largest file of the group
     * @param encodedMd5 at level 3, MD5 of the Reed-Solomon file
     */
    FileEntry entry(long largest, Optional<String> encodedMd5) {
        String md5 = digests.plain();
        FileEntry entry = new FileEntry(fileName, size(), largest, md5, variables, List.of(), encodedMd5.orElse(null));
        if (striped) {
            return content.described(entry.withStripedChecksum(md5));
        }
        return content.described(digests.striped().map(entry::withStripedBeside).orElse(entry));
    }

    /** Returns the name of the file in the metadata. */
    String fileName() {
        return fileName;
    }

    int ckptId() {
        return ckptId;
    }

    CkptType type() {
        return content.type();
    }

    @Override
    public StoredFile stored() {
        return content.stored(ckptId, entry(size(), Optional.empty())).movedBy(start);
    }

    /** Returns the names of the variables in a file with this entry, by id. */
    static Map<Integer, VariableName> labels(FileEntry entry) {
        Map<Integer, VariableName> labels = new HashMap<>();
        for (VariableEntry variable : entry.variables()) {
            labels.put(variable.id(), new VariableName(variable.idChar(), variable.name(), variable.dims()));
        }
        return labels;
    }

    /** Returns the content of a file with this entry. */
    public static StoredFile stored(
            int ckptId, FileEntry entry, List<StoredFile.Chunk> chunks, Optional<StoredFile.Locator> locator) {
        Map<Integer, Long> sizes = new LinkedHashMap<>();
        for (VariableEntry variable : entry.variables()) {
            sizes.put(variable.id(), variable.size());
        }
        return new StoredFile(ckptId, chunks, sizes, labels(entry), Optional.of(whole(entry)), locator);
    }

    /** Returns a chunk with all bytes of a file with this entry. */
    private static StoredFile.Chunk whole(FileEntry entry) {
        Optional<String> md5 = Optional.of(entry.digest()).filter(text -> !text.isEmpty());
        return new StoredFile.Chunk(-1, 0, 0, entry.size(), md5, entry.isStriped());
    }

    /** Sets the metadata of the group, on the rank that wrote them. */
    void describedBy(GroupMetadata written) {
        metadata = written;
    }

    /** Returns the metadata of the group; null on the ranks that did not write them. */
    @Nullable
    GroupMetadata metadata() {
        return metadata;
    }

    /** Returns the ids of the variables in the order of the metadata. */
    List<Integer> order() {
        return variables.stream().map(VariableEntry::id).toList();
    }
}
