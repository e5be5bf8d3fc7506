package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.data.VariableName;
import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The content of a plain checkpoint file that was read or has just been written.
 *
 * @param ckptId id of the checkpoint
 * @param chunks the parts of variables that have content, in file order
 * @param sizes bytes of each stored variable, by id in file order
 * @param labels names of the variables, by id, if the mode stores them
 * @param whole all bytes of the checkpoint, if they have one common digest instead of a digest for each chunk
 * @param locator finds the chunks if only the file itself says where they are, or verifies them together with the rest
 *     of the file
 */
public record StoredFile(
        int ckptId,
        List<Chunk> chunks,
        Map<Integer, Long> sizes,
        Map<Integer, VariableName> labels,
        Optional<Chunk> whole,
        Optional<Locator> locator) {

    /** Returns the bytes of all variables. */
    public long dataBytes() {
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Finds variables in a file. */
    @FunctionalInterface
    public interface Locator {

        /**
         * Returns where the content of variables is. If the whole file has no digest, everything that has a digest is
         * read and compared.
         *
         * @param file the bytes of the file
         * @param path path of the file, for messages
         * @throws IOException the file cannot be read, does not have these variables, or is damaged
         */
        List<Chunk> chunks(ByteSource file, Path path, Map<Integer, ProtectedData> data) throws IOException;
    }

    /**
     * A part of a variable in the file.
     *
     * @param id id of the variable
     * @param from position in the variable, in bytes
     * @param offset byte offset in the file
     * @param length bytes
     * @param md5 digest of the bytes, lower-case hexadecimal; empty if only the whole file has one
     * @param striped whether the digest is a striped MD5
     */
    public record Chunk(int id, long from, long offset, long length, Optional<String> md5, boolean striped) {

        /** Creates a chunk without a digest, or with a plain one. */
        public Chunk(int id, long from, long offset, long length, Optional<String> md5) {
            this(id, from, offset, length, md5, false);
        }

        public Chunk movedBy(long start) {
            return new Chunk(id, from, offset + start, length, md5, striped);
        }
    }

    public StoredFile {
        chunks = List.copyOf(chunks);
        labels = Map.copyOf(labels);
    }

    /** Creates the description of a file in which each chunk has a digest. */
    public StoredFile(int ckptId, List<Chunk> chunks, Map<Integer, Long> sizes) {
        this(ckptId, chunks, sizes, Map.of(), Optional.empty(), Optional.empty());
    }

    /**
     * Returns the description of a file of which only the digest of its first bytes is known.
     *
     * @param length number of these bytes
     * @param md5 their digest, lower-case hexadecimal
     */
    public static StoredFile of(int ckptId, long length, String md5) {
        Chunk first = new Chunk(-1, 0, 0, length, Optional.of(md5));
        return new StoredFile(ckptId, List.of(), Map.of(), Map.of(), Optional.of(first), Optional.empty());
    }

    /** Returns the description of the same content that begins {@code start} bytes later in its file. */
    public StoredFile movedBy(long start) {
        return new StoredFile(
                ckptId,
                chunks.stream().map(chunk -> chunk.movedBy(start)).toList(),
                sizes,
                labels,
                whole.map(chunk -> chunk.movedBy(start)),
                locator);
    }

    /** Returns the parts of the given variables in the file, as far as they are known without reading it. */
    public List<Chunk> chunks(Map<Integer, ProtectedData> data) {
        return chunks.stream().filter(chunk -> data.containsKey(chunk.id())).toList();
    }

    /**
     * Returns the locator that verifies the whole file while reading it, if neither the chunks nor the whole have a
     * digest.
     */
    public Optional<Locator> verifier() {
        return whole.isEmpty() ? locator : Optional.empty();
    }

    /** Returns the parts that must be read to verify the file. */
    public List<Chunk> toVerify() {
        return whole.map(List::of).orElse(chunks);
    }

    public boolean contains(int id) {
        return sizes.containsKey(id);
    }

    /** Returns the bytes of a variable; 0 if it is not stored. */
    public long size(int id) {
        return sizes.getOrDefault(id, 0L);
    }
}
