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
 * What a plain checkpoint file that was read or has just been written holds.
 *
 * @param ckptId id of the checkpoint
 * @param chunks the parts of variables that have content, in file order
 * @param sizes bytes of each stored variable, by id in file order
 * @param labels what the program calls the variables, by id, where the mode stores that
 * @param whole all bytes of the checkpoint, where they have a digest together and not each chunk its own
 * @param locator finds the chunks where only the file says where they are, or verifies them with all the rest of it
 */
public record StoredFile(
        int ckptId,
        List<Chunk> chunks,
        Map<Integer, Long> sizes,
        Map<Integer, VariableName> labels,
        Optional<Chunk> whole,
        Optional<Locator> locator) {

    /** Finds variables in a file. */
    @FunctionalInterface
    public interface Locator {

        /**
         * Where the content of variables is. Where there is no digest of the whole file, all that has a digest is read and compared.
         *
         * @param file what is in the file
         * @param path of the file, for messages
         * @throws IOException the file cannot be read, has not these variables or is damaged
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
     * @param md5 digest of the bytes, lower-case hexadecimal; empty where only the whole file has one
     */
    public record Chunk(int id, long from, long offset, long length, Optional<String> md5) {

        public Chunk movedBy(long start) {
            return new Chunk(id, from, offset + start, length, md5);
        }
    }

    public StoredFile {
        chunks = List.copyOf(chunks);
        labels = Map.copyOf(labels);
    }

    /** A file each of whose chunks has its digest. */
    public StoredFile(int ckptId, List<Chunk> chunks, Map<Integer, Long> sizes) {
        this(ckptId, chunks, sizes, Map.of(), Optional.empty(), Optional.empty());
    }

    /**
     * A file of which nothing is known but the digest of its first bytes.
     *
     * @param length how many
     * @param md5 lower-case hexadecimal
     */
    public static StoredFile of(int ckptId, long length, String md5) {
        Chunk first = new Chunk(-1, 0, 0, length, Optional.of(md5));
        return new StoredFile(ckptId, List.of(), Map.of(), Map.of(), Optional.of(first), Optional.empty());
    }

    /** The same in a file in which it begins {@code start} bytes later. */
    public StoredFile movedBy(long start) {
        return new StoredFile(
                ckptId,
                chunks.stream().map(chunk -> chunk.movedBy(start)).toList(),
                sizes,
                labels,
                whole.map(chunk -> chunk.movedBy(start)),
                locator);
    }

    /** The parts of the given variables in the file, as far as that is known without reading it. */
    public List<Chunk> chunks(Map<Integer, ProtectedData> data) {
        return chunks.stream().filter(chunk -> data.containsKey(chunk.id())).toList();
    }

    /** What verifies all of it while it is read, where chunks have no digests, nor the whole. */
    public Optional<Locator> verifier() {
        return whole.isEmpty() ? locator : Optional.empty();
    }

    /** What is read to see whether the file is whole. */
    public List<Chunk> toVerify() {
        return whole.map(List::of).orElse(chunks);
    }

    public boolean contains(int id) {
        return sizes.containsKey(id);
    }

    /** Bytes of a variable; 0 when it is not stored. */
    public long size(int id) {
        return sizes.getOrDefault(id, 0L);
    }
}
