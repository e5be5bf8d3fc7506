package io.drumlin.gsd;

import io.drumlin.comm.Communicator;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.time.Duration;

/**
 * A sequence of calls that comes by every place where a file's bytes are decided: buffered and direct chunks, buffers that run
 * full, names and index that move, frames without chunks, a flush within a frame, reopening. Any number of ranks can make it.
 */
public final class GsdCalls {

    /** On a slow machine, a flush at an age would change where bytes are. */
    public static final Duration NO_AGE = Duration.ofDays(1);

    private GsdCalls() {}

    /**
     * A rank's rows of a chunk. Ranks have different numbers of rows, the first of many ranks none.
     *
     * @param first number of the first row
     * @param rows how many
     */
    public record Part(int first, int rows) {

        /** This rank's part of some rows. */
        public static Part of(Communicator world, int total) {
            int first = begin(world.rank(), world.size(), total);
            return new Part(first, begin(world.rank() + 1, world.size(), total) - first);
        }

        private static int begin(int rank, int ranks, int total) {
            return (int) ((long) total * rank * rank / ((long) ranks * ranks));
        }
    }

    /** Numbers that tell their place. */
    public static float[] floats(int first, int count) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = first + i;
        }
        return numbers;
    }

    /** Makes the calls on a file that is made first. Collective. */
    public static void write(GsdFile.Builder file, Communicator world) throws IOException {
        try (GsdFile open = file.create("test", "none", new Version(1, 0))) {
            open.setMaximumAge(NO_AGE);
            open.setMaximumWriteBufferSize(5000);
            for (int frame = 0; frame < 40; frame++) {
                writeFrame(open, world, frame);
            }
            open.setIndexEntriesToBuffer(20);
            writeChunk(open, world, "unfinished", 3);
            open.flush();
            open.endFrame();
            open.endFrame();
        }
        try (GsdFile open = file.open(Access.APPEND)) {
            open.setMaximumAge(NO_AGE);
            for (int frame = 41; frame < 60; frame++) {
                writeFrame(open, world, frame);
            }
            open.findChunk(59, "step");
            writeFrame(open, world, 60);
        }
    }

    private static void writeFrame(GsdFile file, Communicator world, int frame) throws IOException {
        boolean first = world.rank() == 0;
        file.writeChunk("step", new long[first ? 1 : 0], first ? 1 : 0, 1);
        writeChunk(file, world, "small", 1 + frame % 5);
        writeChunk(file, world, "medium", 100 + frame);
        if (frame % 7 == 3) {
            writeChunk(file, world, "direct", 2000);
        }
        Part part = Part.of(world, 50);
        file.writeChunk("value " + frame + " with a name of some length", new byte[part.rows()], part.rows(), 1);
        LongBuffer unsigned = LongBuffer.allocate(2 * part.rows());
        for (int i = 0; unsigned.hasRemaining(); i++) {
            unsigned.put(2L * part.first() + i);
        }
        file.writeChunk("unsigned", ElementType.UINT64, unsigned.flip(), part.rows(), 2);
        ByteBuffer raw = ByteBuffer.allocate(8 * part.rows());
        file.writeChunk("doubles", ElementType.DOUBLE, raw, part.rows(), 1);
        file.writeChunk("text", world.rank() == world.size() - 1 ? "frame " + frame : "");
        file.endFrame();
    }

    private static void writeChunk(GsdFile file, Communicator world, String name, int rows) throws IOException {
        Part part = Part.of(world, rows);
        file.writeChunk(name, floats(3 * part.first(), 3 * part.rows()), part.rows(), 3);
    }
}
