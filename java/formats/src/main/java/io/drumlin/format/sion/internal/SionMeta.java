package io.drumlin.format.sion.internal;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.internal.FindingSink;
import io.drumlin.format.sion.Header;
import io.drumlin.format.sion.Meta1;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * The metadata of one physical file. Immutable; the data stay in the source.
 *
 * <p>Every count, size and offset is checked before it is used, and the memory does not exceed the size of the file;
 * docs/formats/sion.md, section 8, lists the checks.
 *
 * @param meta1 written when the file was opened
 * @param meta2 written when it was closed; empty if it never was, and then the sizes are unknown
 * @param mapping the mapping of a set of files, in its first file; otherwise empty
 */
public record SionMeta(Meta1 meta1, Optional<Meta2> meta2, Optional<TaskMapping> mapping) {

    /** The format's name in messages. */
    public static final String FORMAT = "SION";

    /**
     * Returns whether a source begins like a physical file.
     *
     * @param source any bytes
     * @return whether the magic word is there
     * @throws IOException the source cannot be read
     */
    public static boolean recognises(ByteSource source) throws IOException {
        ByteBuffer magic = ByteBuffer.allocate(Header.magic().length);
        if (source.size() < magic.capacity()) {
            return false;
        }
        source.readFully(0, magic);
        return Arrays.equals(magic.array(), Header.magic());
    }

    /**
     * Reads metadata without faults.
     *
     * @param source a physical file
     * @return its metadata; without META2 if the file was never closed
     * @throws FormatException the first field that is wrong
     * @throws IOException the source cannot be read
     */
    public static SionMeta read(ByteSource source) throws IOException {
        return read(source, FindingSink.strict(FORMAT))
                .orElseThrow(() -> new AssertionError("a strict reader ends at the first finding"));
    }

    /**
     * Reads as much as possible of damaged metadata.
     *
     * @param source a physical file
     * @param problems receives all faults; what it does not throw is left out of the result, except that a wrong size
     *     is replaced by the nearest allowed one
     * @return empty if not even the number of tasks is plausible
     * @throws FormatException thrown by {@code problems}
     * @throws IOException the source cannot be read
     */
    public static Optional<SionMeta> read(ByteSource source, FindingSink problems) throws IOException {
        return new MetaReader(source, problems).read();
    }

    /**
     * Returns whether the file was closed by its writer.
     *
     * @return false if META2 is missing
     */
    public boolean closed() {
        return meta2.isPresent();
    }

    /**
     * Returns the bytes of a task, without the gaps.
     *
     * @param source the file
     * @param task index in the physical file
     * @return the content of all its blocks; no bytes if the file was not closed
     */
    public TaskStream stream(ByteSource source, int task) {
        long[] sizes = meta2.map(blocks -> blocks.sizes(task)).orElse(new long[0]);
        return new TaskStream(source, meta1.start(task), meta1.globalSkip(), sizes);
    }
}
