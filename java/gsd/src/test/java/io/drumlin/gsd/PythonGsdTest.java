package io.drumlin.gsd;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Debian's python3-gsd, release 2.7.0 of the C library, reads what Drumlin writes and writes what Drumlin reads. */
class PythonGsdTest {

    /** Prints a line for each chunk: frame, name, type, shape and elements. */
    private static final String CHUNKS =
            """
            import sys, gsd.fl
            with gsd.fl.open(sys.argv[1], 'rb') as f:
                print(f.application, f.schema, f.schema_version[0], f.schema_version[1], f.nframes)
                for frame in range(f.nframes):
                    for name in f.find_matching_chunk_names(''):
                        if f.chunk_exists(frame, name):
                            a = f.read_chunk(frame, name)
                            print(frame, name, a.dtype, *a.shape, ':', *a.flatten().tolist())
            """;

    /** Prints a line for each quantity of each frame, and the logged ones. */
    private static final String FRAMES =
            """
            import sys, gsd.hoomd
            with gsd.hoomd.open(sys.argv[1], 'rb') as t:
                for i, s in enumerate(t):
                    s.validate()
                    print(i, s.configuration.step, s.configuration.dimensions, *s.configuration.box.tolist())
                    p = s.particles
                    print(p.N, p.types, p.type_shapes, p.typeid.tolist(), p.mass.tolist(), p.body.tolist())
                    print(p.position.tolist(), p.orientation.tolist(), p.image.tolist())
                    print(s.bonds.N, s.bonds.types, s.bonds.typeid.tolist(), s.bonds.group.tolist())
                    print(s.constraints.N, s.constraints.value.tolist(), s.constraints.group.tolist())
                    print({k: v.tolist() for k, v in s.state.items()}, {k: v.tolist() for k, v in s.log.items()})
            """;

    /** Writes a trajectory. */
    private static final String WRITE =
            """
            import sys, numpy, gsd.hoomd
            with gsd.hoomd.open(sys.argv[1], 'wb') as t:
                for i in range(200):
                    s = gsd.hoomd.Snapshot()
                    s.configuration.step = 10 * i
                    s.particles.N = 3
                    s.particles.types = ['A', 'long name']
                    s.particles.typeid = [0, 1, i % 2]
                    s.particles.position = [[i, 0, 0], [0, i, 0], [0, 0, 1]]
                    s.log['energy'] = numpy.array([0.25 * i])
                    t.append(s)
            """;

    @TempDir
    Path directory;

    private String python;

    @BeforeEach
    void findPython() throws Exception {
        for (String candidate : List.of("/usr/bin/python3", "python3")) {
            try {
                if (start(candidate, "import gsd.hoomd").waitFor() == 0) {
                    python = candidate;
                    return;
                }
            } catch (IOException e) {
                // There is no such program; the next one may be there.
            }
        }
        Mpirun.skip("there is no Python with the package gsd; install python3-gsd");
    }

    private static Process start(String python, String program, Path... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(python, "-c", program));
        for (Path argument : arguments) {
            command.add(argument.toString());
        }
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private List<String> run(String program, Path file) throws Exception {
        Process process = start(python, program, file);
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
        return output.lines().toList();
    }

    @Test
    void readsChunksOfAllTypes() throws Exception {
        Path path = directory.resolve("file.gsd");
        List<String> wanted = new ArrayList<>(List.of("drumlin test 3 7 100"));
        try (GsdFile file = GsdFile.at(path).storage(new NioEngine()).create("drumlin", "test", new Version(3, 7))) {
            for (int frame = 0; frame < 100; frame++) {
                for (ElementType type : ElementType.values()) {
                    if (type != ElementType.CHARACTER) { // since 2.1
                        int rows = (frame + type.id()) % 3;
                        file.writeChunk("chunk/" + type.label(), type, elements(type, 2 * rows), rows, 2);
                        wanted.add(line(frame, type, rows));
                    }
                }
                file.endFrame();
            }
        }
        assertThat(run(CHUNKS, path)).containsExactlyElementsOf(wanted);
    }

    /** The largest values of a type and small ones. */
    private static ByteBuffer elements(ElementType type, int count) {
        ByteBuffer bytes = ByteBuffer.allocate(count * type.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            switch (type) {
                case FLOAT -> bytes.putFloat(i - 0.5f);
                case DOUBLE -> bytes.putDouble(0.25 * i);
                case UINT64, INT64 -> bytes.putLong(i - 1L);
                case UINT32, INT32 -> bytes.putInt(i - 1);
                case UINT16, INT16 -> bytes.putShort((short) (i - 1));
                default -> bytes.put((byte) (i - 1));
            }
        }
        return bytes.flip();
    }

    private static String line(int frame, ElementType type, int rows) {
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < 2 * rows; i++) {
            numbers.add(
                    switch (type) {
                        case FLOAT -> String.valueOf(i - 0.5f);
                        case DOUBLE -> String.valueOf(0.25 * i);
                        default ->
                            i == 0 && type.label().startsWith("u")
                                    ? Long.toUnsignedString(-1L >>> (64 - 8 * type.bytes()))
                                    : String.valueOf(i - 1);
                    });
        }
        String dtype =
                switch (type) {
                    case FLOAT -> "float32";
                    case DOUBLE -> "float64";
                    default -> type.label();
                };
        return String.join(" ", String.valueOf(frame), "chunk/" + type.label(), dtype, rows + " 2 :")
                + (rows > 0 ? " " + String.join(" ", numbers) : "");
    }

    @Test
    void readsTheTrajectoryOfManyRanks() throws Exception {
        Path path = directory.resolve("trajectory.gsd");
        ThreadCommunicator.run(2, world -> {
            try (HoomdTrajectory trajectory = HoomdTrajectory.create(path, world)) {
                for (int number = 0; number < 2; number++) {
                    HoomdFrame frame = new HoomdFrame();
                    frame.configuration.step = 7L * number;
                    frame.configuration.box = new float[] {4, 4, 0, 0, 0, 0};
                    frame.particles.n = 1;
                    frame.particles.types = List.of("A", "B");
                    frame.particles.typeShapes = List.of("{\"type\": \"Sphere\", \"diameter\": 2.0}", "{}");
                    frame.particles.typeid = new int[] {world.rank()};
                    frame.particles.mass = new float[] {1.5f};
                    frame.particles.position = new float[] {number, world.rank(), 0.5f};
                    frame.bonds.n = world.rank();
                    frame.bonds.types = List.of("b");
                    frame.bonds.group = world.rank() == 0 ? new int[0] : new int[] {0, 1};
                    frame.log.put("energy", ChunkData.of(-0.25 * number));
                    frame.state.put("hpmc/sphere/radius", ChunkData.of(1f, 2f));
                    trajectory.append(frame);
                }
            }
        });
        assertThat(run(FRAMES, path))
                .containsExactly(
                        "0 0 2 4.0 4.0 0.0 0.0 0.0 0.0",
                        "2 ['A', 'B'] [{'type': 'Sphere', 'diameter': 2.0}, {}] [0, 1] [1.5, 1.5] [-1, -1]",
                        "[[0.0, 0.0, 0.5], [0.0, 1.0, 0.5]] [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]] [[0, 0, 0],"
                                + " [0, 0, 0]]",
                        "1 ['b'] [0] [[0, 1]]",
                        "0 [] []",
                        "{'hpmc/sphere/radius': [1.0, 2.0]} {'energy': [-0.0]}",
                        "1 7 2 4.0 4.0 0.0 0.0 0.0 0.0",
                        "2 ['A', 'B'] [{'type': 'Sphere', 'diameter': 2.0}, {}] [0, 1] [1.5, 1.5] [-1, -1]",
                        "[[1.0, 0.0, 0.5], [1.0, 1.0, 0.5]] [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]] [[0, 0, 0],"
                                + " [0, 0, 0]]",
                        "1 ['b'] [0] [[0, 1]]",
                        "0 [] []",
                        "{'hpmc/sphere/radius': [1.0, 2.0]} {'energy': [-0.25]}");
    }

    @Test
    void isReadAndAddedTo() throws Exception {
        Path path = directory.resolve("python.gsd");
        assertThat(run(WRITE, path)).isEmpty();
        try (HoomdTrajectory trajectory = HoomdTrajectory.open(path, Access.APPEND)) {
            assertThat(trajectory.frameCount()).isEqualTo(200);
            HoomdFrame frame = trajectory.read(199);
            assertThat(frame.configuration.step).isEqualTo(1990);
            assertThat(frame.particles.types).containsExactly("A", "long name");
            assertThat(frame.particles.typeid).containsExactly(0, 1, 1);
            assertThat(frame.particles.position).containsExactly(199, 0, 0, 0, 199, 0, 0, 0, 1);
            assertThat(trajectory.series("log/energy", 0, 200).doubles()[199]).isEqualTo(0.25 * 199);
            frame.configuration.step = 2000L;
            trajectory.append(frame);
        }
        List<String> lines = run(FRAMES, path);
        assertThat(lines).hasSize(6 * 201);
        assertThat(lines.get(6 * 200)).isEqualTo("200 2000 3 1.0 1.0 1.0 0.0 0.0 0.0");
        assertThat(lines.get(6 * 200 + 2)).startsWith("[[199.0, 0.0, 0.0]");
    }
}
