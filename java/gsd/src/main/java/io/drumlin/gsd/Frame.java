package io.drumlin.gsd;

import io.drumlin.format.FormatException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A frame of an open file. Its methods first flush a file that is being written, and are then collective. */
public final class Frame {

    private final GsdFile file;
    private final long number;

    Frame(GsdFile file, long number) {
        this.file = file;
        this.number = number;
    }

    /**
     * Returns the number of the frame.
     *
     * @return 0 or more
     */
    public long number() {
        return number;
    }

    /**
     * Finds a chunk.
     *
     * @param name name of the chunk
     * @return the chunk, or empty
     * @throws FormatException there is an entry, but it is invalid
     * @throws IOException the file cannot be read or flushed
     */
    public Optional<Chunk> chunk(String name) throws IOException {
        return file.findChunk(number, name);
    }

    /**
     * Returns all chunks.
     *
     * @return chunks in the order of the index: by id in files of version 2.x, in the order of writing in those of 1.x
     * @throws FormatException there is an entry, but it is invalid
     * @throws IOException the file cannot be read or flushed
     */
    public List<Chunk> chunks() throws IOException {
        return file.chunks(number);
    }
}
