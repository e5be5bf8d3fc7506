package io.drumlin.examples;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionOptions;
import io.drumlin.sion.SionOutput;
import io.drumlin.sion.SionReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * All ranks write to one SION file, each to its own stream. Then each rank reads its own stream, and the first rank
 * reads all.
 */
public final class SionHello {

    private SionHello() {}

    /**
     * Runs the example.
     *
     * @param arguments the path of the file to write
     * @throws IOException the example failed
     */
    public static void main(String[] arguments) throws IOException {
        Usage.require(arguments, 1, "SionHello FILE.sion");
        Communicators.run(world -> run(world, Path.of(arguments[0])));
    }

    static void run(Communicator world, Path path) throws IOException {
        String hello = "hello from rank " + world.rank() + " of " + world.size();
        double[] numbers = {world.rank(), Math.PI};
        try (SionOutput file = SionFile.create(path, world, 1 << 16, SionOptions.defaults())) {
            file.writer().write(numbers, 0, numbers.length);
            file.writer().write(StandardCharsets.UTF_8.encode(hello));
        }
        try (SionInput file = SionFile.open(path, world, SionOptions.defaults())) {
            if (!hello.equals(text(file.reader(), numbers))) {
                throw new IOException("rank " + world.rank() + " does not read what it wrote");
            }
        }
        if (world.rank() == 0) {
            try (SionInput file = SionFile.open(path, SionOptions.defaults())) {
                for (int task : file.tasks()) {
                    System.out.println(text(file.reader(task), numbers));
                }
            }
        }
    }

    /** Returns the text after the numbers. */
    private static String text(SionReader reader, double[] numbers) throws IOException {
        reader.read(numbers, 0, numbers.length);
        ByteBuffer bytes = ByteBuffer.allocate((int) (reader.size() - reader.position()));
        reader.read(bytes);
        return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
    }
}
