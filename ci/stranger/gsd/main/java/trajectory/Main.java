package trajectory;

import io.drumlin.format.gsd.Version;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.GsdFile;
import java.nio.file.Path;

/** Writes a file of GSD and reads it. */
public final class Main {

    private Main() {}

    /**
     * Prints the number of frames.
     *
     * @param arguments the file to make
     * @throws Exception whatever happens
     */
    public static void main(String[] arguments) throws Exception {
        Path path = Path.of(arguments[0]);
        try (GsdFile file = GsdFile.create(path, "trajectory", "none", new Version(1, 0))) {
            for (int frame = 0; frame < 3; frame++) {
                file.writeChunk("positions", new float[] {frame, 1, 2}, 1, 3);
                file.endFrame();
            }
        }
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            System.out.println(file.frameCount() + " frames");
        }
    }
}
