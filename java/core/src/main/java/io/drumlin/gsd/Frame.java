package io.drumlin.gsd;

import io.drumlin.format.FormatException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A frame of an open file. Its methods flush a file that is being written, and are then collective. */
public final class Frame {

    private final GsdFile file;
    private final long number;

    Frame(GsdFile file, long number) {
        this.file = file;
        this.number = number;
    }

    /**
     * Which frame it is.
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
     * @throws FormatException there is an entry, but what it says cannot be
     * @throws IOException the file cannot be read or flushed
     */
    public Optional<Chunk> chunk(String name) throws IOException {
        return file.findChunk(number, name);
    }

    /**
     * All chunks.
     *
     * @return in the order of the index: of their ids in files of version 2.x, as written in those of 1.x
     * @throws FormatException there is an entry, but what it says cannot be
     * @throws IOException the file cannot be read or flushed
     */
    public List<Chunk> chunks() throws IOException {
        return file.chunks(number);
    }
}
