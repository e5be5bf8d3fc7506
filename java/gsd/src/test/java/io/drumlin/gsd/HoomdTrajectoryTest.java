package io.drumlin.gsd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import java.io.IOException;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the golden files cannot show: many ranks, refusals, and what is not written. */
@Timeout(120)
class HoomdTrajectoryTest {

    private static final int PARTICLES = 60;
    private static final int FRAMES = 12;

    @TempDir
    Path directory;

    private Path path;

    @BeforeEach
    void choosePath() {
        path = directory.resolve("trajectory.gsd");
    }

    private static HoomdFrame frame(int n, float... position) {
        HoomdFrame frame = new HoomdFrame();
        frame.particles.n = n;
        frame.particles.position = position;
        return frame;
    }

    private List<String> chunks(long frame) throws IOException {
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            return file.frame(frame).chunks().stream().map(Chunk::name).toList();
        }
    }

    /** This rank's part of a frame: masses that do not change, coordinates that do, and a number of bonds that grows. */
    private static HoomdFrame part(Communicator world, int number) {
        int particles = PARTICLES + (number == 7 ? 3 : 0);
        GsdCalls.Part part = GsdCalls.Part.of(world, particles);
        HoomdFrame frame = new HoomdFrame();
        frame.configuration.step = 100L * number;
        frame.configuration.box = new float[] {10, 10, number < 5 ? 10 : 0, 0, 0, 0};
        frame.particles.n = part.rows();
        frame.particles.types = List.of("A", "Bé");
        frame.particles.typeid = new int[part.rows()];
        Arrays.setAll(frame.particles.typeid, i -> (part.first() + i) % 2);
        frame.particles.mass = new float[part.rows()];
        Arrays.fill(frame.particles.mass, 2.5f);
        frame.particles.charge = new float[part.rows()];
        frame.particles.position = GsdCalls.floats(3 * part.first() + number, 3 * part.rows());
        GsdCalls.Part bonds = GsdCalls.Part.of(world, number);
        frame.bonds.n = bonds.rows();
        frame.bonds.types = List.of("bond");
        frame.bonds.group = new int[2 * bonds.rows()];
        Arrays.setAll(frame.bonds.group, i -> 2 * bonds.first() + i);
        frame.log.put("particles/energy", ChunkData.of(GsdCalls.floats(part.first(), part.rows())));
        frame.log.put("energy", ChunkData.of(0.5 * number));
        frame.log.put("phase", ChunkData.of("phase " + number));
        return frame;
    }

    private static void write(HoomdTrajectory trajectory, Communicator world) throws IOException {
        try (trajectory) {
            trajectory.file().setMaximumAge(GsdCalls.NO_AGE);
            for (int number = 0; number < FRAMES; number++) {
                trajectory.append(part(world, number));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 7, 64})
    void manyRanksWriteTheFileOfOne(int ranks) throws IOException {
        write(HoomdTrajectory.create(path), new SingleCommunicator());
        Path parallel = directory.resolve("parallel.gsd");
        ThreadCommunicator.run(ranks, world -> write(HoomdTrajectory.create(parallel, world), world));
        assertThat(Files.readAllBytes(parallel)).isEqualTo(Files.readAllBytes(path));
        assertThat(chunks(3))
                .doesNotContain("particles/mass", "particles/charge", "particles/types", "particles/N", "bonds/types")
                .contains("particles/position", "bonds/N", "log/phase");
        assertThat(chunks(7)).contains("particles/N", "particles/mass").doesNotContain("particles/charge");
        try (HoomdTrajectory trajectory = HoomdTrajectory.open(path, Access.READ)) {
            assertThat(trajectory.frameCount()).isEqualTo(FRAMES);
            for (int number = 0; number < FRAMES; number++) {
                HoomdFrame expected = part(new SingleCommunicator(), number);
                HoomdFrame read = trajectory.read(number);
                assertThat(read.configuration.step).isEqualTo(100L * number);
                assertThat(read.configuration.dimensions).isEqualTo(number < 5 ? 3 : 2);
                assertThat(read.particles.n).isEqualTo(expected.particles.n);
                assertThat(read.particles.types).isEqualTo(expected.particles.types);
                assertThat(read.particles.typeid).isEqualTo(expected.particles.typeid);
                assertThat(read.particles.mass).isEqualTo(expected.particles.mass);
                assertThat(read.particles.position).isEqualTo(expected.particles.position);
                assertThat(read.particles.orientation).hasSize(4 * expected.particles.n);
                assertThat(read.bonds.group).isEqualTo(expected.bonds.group);
                assertThat(read.log.get("phase").text()).isEqualTo("phase " + number);
                assertThat(read.log.get("particles/energy").floats())
                        .isEqualTo(expected.log.get("particles/energy").floats());
            }
        }
    }

    @Test
    void aSeriesIsOneArray() throws IOException {
        write(HoomdTrajectory.create(path), new SingleCommunicator());
        try (HoomdTrajectory trajectory = HoomdTrajectory.open(path, Access.READ)) {
            ChunkData positions = trajectory.series("particles/position", 2, 5);
            assertThat(positions.rows()).isEqualTo(3 * PARTICLES);
            assertThat(positions.floats()[3 * PARTICLES + 4]).isEqualTo(3 + 4);
            assertThat(trajectory.series("log/energy", 0, FRAMES).doubles())
                    .containsExactly(0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5);
            assertThat(trajectory.series("particles/diameter", 0, 2).floats())
                    .hasSize(2 * PARTICLES)
                    .containsOnly(1);
            assertThat(trajectory.series("bonds/N", 0, 4).ints()).containsExactly(0, 1, 2, 3);
            assertThat(trajectory.series("particles/mass", 7, 8).rows()).isEqualTo(PARTICLES + 3);
            assertThat(trajectory.series("particles/mass", 3, 3).rows()).isZero();
            assertThat(trajectory.texts("log/phase", 10, 12)).containsExactly("phase 10", "phase 11");
            assertThatThrownBy(() -> trajectory.series("particles/position", 6, 8))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("frame 7 has another number of rows");
            assertThatThrownBy(() -> trajectory.series("log/missing", 0, 1)).hasMessageContaining("neither");
            assertThatThrownBy(() -> trajectory.series("log/energy", 0, FRAMES + 1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatIllegalArgumentException().isThrownBy(() -> trajectory.series("particles/types", 0, 1));
            assertThat(trajectory.logNames()).containsExactly("log/particles/energy", "log/energy", "log/phase");
        }
    }

    /** The frame that fails in the middle of writing is not one; ranks learn of each other's mistakes. */
    @Test
    void refusesWhatTheSchemaDoesNotHave() throws IOException {
        try (HoomdTrajectory trajectory = HoomdTrajectory.create(path)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> trajectory.append(frame(2, 1, 2, 3)))
                    .withMessageContaining("particles/position has 3 elements, wanted are 6");
            HoomdFrame twice = new HoomdFrame();
            twice.bonds.types = List.of("a", "a");
            assertThatIllegalArgumentException().isThrownBy(() -> trajectory.append(twice));
            HoomdFrame open = frame(1, 1, 2, 3);
            open.particles.n = null;
            assertThatIllegalArgumentException().isThrownBy(() -> trajectory.append(open));
            HoomdFrame state = new HoomdFrame();
            state.state.put("hpmc/sphere/colour", ChunkData.of(1f));
            assertThatIllegalArgumentException().isThrownBy(() -> trajectory.append(state));
            state.state.clear();
            state.state.put("hpmc/sphere/radius", ChunkData.of(1.0));
            assertThatIllegalArgumentException().isThrownBy(() -> trajectory.append(state));
            trajectory.append(frame(1, 1, 2, 3));
            assertThat(trajectory.read(0).particles.position).containsExactly(1, 2, 3);
        }
        ThreadCommunicator.run(3, world -> {
            try (HoomdTrajectory trajectory = HoomdTrajectory.create(path, world)) {
                assertThatThrownBy(() -> trajectory.append(frame(world.rank() == 1 ? 2 : 1, 1, 2, 3)))
                        .isInstanceOf(DrumlinException.class)
                        .hasMessageContaining(world.rank() == 1 ? "see the cause" : "rank 1 failed");
                HoomdFrame frame = frame(1, 1, 2, 3);
                frame.particles.mass = world.rank() == 2 ? null : new float[] {7};
                assertThatThrownBy(() -> trajectory.append(frame)).hasMessageContaining("do not write the same chunks");
                trajectory.append(frame(1, 1, 2, world.rank()));
                assertThat(trajectory.read(0).particles.position).containsExactly(1, 2, 0, 1, 2, 1, 1, 2, 2);
            }
        });
    }

    @Test
    void numbersAreComparedAsNumbers() throws IOException {
        try (HoomdTrajectory trajectory = HoomdTrajectory.create(path)) {
            trajectory.append(frame(1, -0f, 0, 0));
            trajectory.append(frame(1, Float.NaN, 0, 0));
            trajectory.append(frame(1, 1, 0, 0));
        }
        assertThat(chunks(0)).doesNotContain("particles/position");
        assertThat(chunks(1)).contains("particles/position");
        try (HoomdTrajectory trajectory = HoomdTrajectory.open(path, Access.READ)) {
            assertThat(trajectory.read(1).particles.position).containsExactly(Float.NaN, 0, 0);
        }
    }

    @Test
    void afterTruncatingTheFirstFrameIsAnother() throws IOException {
        try (HoomdTrajectory trajectory = HoomdTrajectory.create(path)) {
            trajectory.append(frame(1, 1, 2, 3));
            trajectory.append(frame(1, 4, 5, 6));
            assertThat(trajectory.read(1).particles.position).containsExactly(4, 5, 6);
            trajectory.truncate();
            assertThat(trajectory.frameCount()).isZero();
            trajectory.append(frame(1, 0, 0, 0));
            trajectory.append(frame(1, 1, 2, 3));
            assertThat(trajectory.read(0).particles.position).containsExactly(0, 0, 0);
            assertThat(trajectory.read(1).particles.position).containsExactly(1, 2, 3);
        }
        assertThat(chunks(0)).containsExactly("particles/N");
    }

    @Test
    void aTrajectoryGoesOnWhereItWas() throws IOException {
        for (int number = 0; number < 4; number++) {
            try (HoomdTrajectory trajectory =
                    number == 0 ? HoomdTrajectory.create(path) : HoomdTrajectory.open(path, Access.APPEND)) {
                trajectory.append(part(new SingleCommunicator(), number));
            }
        }
        assertThat(chunks(3)).doesNotContain("particles/mass");
        try (HoomdTrajectory trajectory = HoomdTrajectory.open(path, Access.READ)) {
            assertThat(trajectory.frameCount()).isEqualTo(4);
        }
    }

    @Test
    void foreignFilesAreNotTrusted() throws IOException {
        GsdFile.create(path, "test", "other", new Version(1, 0)).close();
        assertThatThrownBy(() -> HoomdTrajectory.open(path, Access.READ)).hasMessageContaining("\"other\" 1.0");
        try (GsdFile file = GsdFile.create(path, "test", "hoomd", new Version(1, 9))) {
            file.writeChunk("particles/N", ElementType.UINT32, IntBuffer.wrap(new int[] {2}), 1, 1);
            file.writeChunk("particles/position", new float[9], 3, 3);
            file.endFrame();
            file.writeChunk("particles/N", ElementType.UINT32, IntBuffer.wrap(new int[] {3}), 1, 1);
            file.writeChunk("particles/position", new double[9], 3, 3);
            file.endFrame();
            file.writeChunk("particles/N", ElementType.UINT32, IntBuffer.wrap(new int[] {2_000_000_000}), 1, 1);
            file.endFrame();
        }
        try (HoomdTrajectory trajectory = HoomdTrajectory.open(path, Access.READ)) {
            assertThatThrownBy(() -> trajectory.read(0)).hasMessageContaining("has 3 rows of 3 elements of type float");
            assertThatThrownBy(() -> trajectory.read(1)).hasMessageContaining("of type double");
            assertThatThrownBy(() -> trajectory.read(2)).hasMessageContaining("more than the file has bytes");
            assertThatThrownBy(() -> trajectory.series("particles/mass", 2, 3)).hasMessageContaining("more than");
        }
    }

    private static HoomdTrajectory createDouble(Path path, Communicator world) throws IOException {
        return HoomdTrajectory.of(GsdFile.create(path, world, "test", "hoomd", HoomdTrajectory.DOUBLE_SCHEMA_VERSION));
    }

    /** In schema 2.0 each number is a float or a double, frame by frame, and members of bonds are unsigned. */
    @Test
    void schema2HasBothPrecisions() throws IOException {
        double third = 1.0 / 3;
        HoomdFrame exact = frame(1);
        exact.particles.position = null;
        exact.doubles.put("particles/position", new double[] {third, 0, 0});
        exact.doubles.put("configuration/box", new double[] {third, 1, 0, 0, 0, 0});
        exact.bonds.n = 1;
        exact.bonds.group = new int[] {0, 0x80000000};
        exact.doubles.put("particles/mass", new double[] {1});
        try (HoomdTrajectory trajectory = createDouble(path, new SingleCommunicator())) {
            trajectory.append(exact);
            trajectory.append(frame(1, (float) third, 0, 0));
            exact.configuration.step = 2L;
            trajectory.append(exact);
        }
        assertThat(chunks(0))
                .contains("particles/position", "configuration/dimensions")
                .doesNotContain("particles/mass");
        assertThat(chunks(2)).containsExactly("configuration/step");
        try (HoomdTrajectory trajectory = HoomdTrajectory.open(path, Access.APPEND)) {
            HoomdFrame read = trajectory.read(0);
            assertThat(read.doubles).containsOnlyKeys("configuration/box", "particles/position");
            assertThat(read.doubles.get("particles/position")).containsExactly(third, 0, 0);
            assertThat(read.particles.position).containsExactly((float) third, 0, 0);
            assertThat(read.configuration.dimensions).isEqualTo(2);
            assertThat(read.bonds.group).containsExactly(0, 0x80000000);
            assertThat(trajectory.read(1).doubles).containsOnlyKeys("configuration/box");
            assertThat(trajectory.series("particles/position", 0, 2).doubles())
                    .containsExactly(third, 0, 0, (float) third, 0, 0);
            assertThat(trajectory.series("particles/mass", 0, 2).floats()).containsExactly(1, 1);
            read.particles.position[1] = 5;
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> trajectory.append(read))
                    .withMessageContaining("particles/position is set in the field and has other values in doubles");
            read.doubles.remove("particles/position");
            trajectory.append(read);
            assertThat(trajectory.series("particles/position", 3, 4).floats()).containsExactly((float) third, 5, 0);
            HoomdFrame state = new HoomdFrame();
            state.state.put("hpmc/sphere/radius", ChunkData.of(1f));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> trajectory.append(state))
                    .withMessageContaining("no state");
        }
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertThat(file.findChunk(0, "bonds/group").orElseThrow().type()).isEqualTo(ElementType.UINT32);
        }
    }

    @Test
    void doublesAreRefusedWhereTheyCannotBe() throws IOException {
        HoomdFrame misspelt = new HoomdFrame();
        misspelt.doubles.put("particles/positions", new double[0]);
        HoomdFrame exact = new HoomdFrame();
        exact.doubles.put("particles/position", new double[0]);
        try (HoomdTrajectory trajectory = HoomdTrajectory.create(path)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> trajectory.append(exact))
                    .withMessageContaining("schema 1.4");
        }
        try (HoomdTrajectory trajectory = createDouble(path, new SingleCommunicator())) {
            assertThatIllegalArgumentException().isThrownBy(() -> trajectory.append(misspelt));
        }
        ThreadCommunicator.run(2, world -> {
            try (HoomdTrajectory trajectory = createDouble(path, world)) {
                HoomdFrame frame = frame(1, 1, 2, 3);
                if (world.rank() == 1) {
                    frame.doubles.put("particles/position", new double[] {1, 2, 3});
                }
                assertThatThrownBy(() -> trajectory.append(frame)).hasMessageContaining("do not write the same chunks");
            }
        });
    }
}
