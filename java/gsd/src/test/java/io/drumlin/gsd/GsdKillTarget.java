package io.drumlin.gsd;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;

/** Adds frames to a file until it is killed, and says after each flush how many there are. */
final class GsdKillTarget {

    private GsdKillTarget() {}

    /** Arguments: the file, the number of ranks, a seed. */
    public static void main(String[] arguments) throws IOException {
        Path path = Path.of(arguments[0]);
        long seed = Long.parseLong(arguments[2]);
        ThreadCommunicator.run(Integer.parseInt(arguments[1]), world -> run(path, world, new Random(seed)));
    }

    private static void run(Path path, Communicator world, Random random) throws IOException {
        try (GsdFile file = GsdFile.open(path, world, Access.APPEND)) {
            file.setMaximumWriteBufferSize(1 + random.nextInt(20_000));
            file.setIndexEntriesToBuffer(1 + random.nextInt(300));
            int framesPerFlush = 1 + random.nextInt(40);
            while (true) {
                for (int i = 0; i < framesPerFlush; i++) {
                    write(file, world, (int) file.frameCount());
                }
                file.flush();
                if (world.rank() == 0) {
                    System.out.println(file.frameCount());
                }
            }
        }
    }

    /** A frame that tells its number in each of its chunks. */
    static void write(GsdFile file, Communicator world, int frame) throws IOException {
        for (String name : names(frame)) {
            GsdCalls.Part part = GsdCalls.Part.of(world, rows(name, frame));
            file.writeChunk(name, GsdCalls.floats(frame + part.first(), part.rows()), part.rows(), 1);
        }
        file.endFrame();
    }

    static String[] names(int frame) {
        String rare = "a name of its own for frames like " + frame % 500;
        return frame % 3 == 0 ? new String[] {"small", "large", rare} : new String[] {"small", "medium"};
    }

    static int rows(String name, int frame) {
        return switch (name) {
            case "large" -> 3000;
            case "medium" -> 100 + frame % 50;
            default -> 1 + frame % 4;
        };
    }
}
