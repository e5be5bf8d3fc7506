package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.gsd.Access;
import io.drumlin.gsd.HoomdFrame;
import io.drumlin.gsd.HoomdTrajectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The trajectory is physics, the same from any number of ranks, and read by Python's gsd. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class LennardJonesIT {

    private static final String PROGRAM = "io.drumlin.examples.LennardJones";
    private static final Path PYTHON = Path.of("/usr/bin/python3");

    @TempDir
    Path folder;

    private static List<String> example(Path trajectory) {
        return JavaCommand.of(PROGRAM, arguments(trajectory));
    }

    private static String[] arguments(Path trajectory) {
        return new String[] {trajectory.toString(), "5", "300", "30"};
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    void energyIsKeptAndParticlesMove() throws Exception {
        Path path = folder.resolve("one.gsd");
        run(example(path));
        try (HoomdTrajectory trajectory = HoomdTrajectory.open(path, Access.READ)) {
            assertThat(trajectory.frameCount()).isEqualTo(11);
            double[] energies = trajectory.series("log/energy", 0, 11).doubles();
            double[] kinetic = trajectory.series("log/kinetic_energy", 0, 11).doubles();
            assertThat(energies[10]).isCloseTo(energies[0], within(0.01 * kinetic[0]));
            assertThat(kinetic[10]).isNotCloseTo(kinetic[0], within(0.01 * kinetic[0]));
            HoomdFrame last = trajectory.read(10);
            assertThat(last.configuration.step).isEqualTo(300);
            assertThat(last.particles.n).isEqualTo(125);
            assertThat(last.particles.types).containsExactly("Ar");
            assertThat(last.particles.position).isNotEqualTo(trajectory.read(0).particles.position);
        }
        assumeTrue(Files.isExecutable(PYTHON), "there is no Python");
        String[] program = {
            "import sys, gsd.hoomd",
            "t = gsd.hoomd.open(sys.argv[1], 'rb')",
            "print(len(t), t[10].particles.N, t[10].configuration.step, t[10].particles.types)"
        };
        List<String> python = List.of(PYTHON.toString(), "-c", String.join("\n", program), path.toString());
        Process known = new ProcessBuilder(PYTHON.toString(), "-c", "import gsd.hoomd").start();
        assumeTrue(known.waitFor() == 0, "python3-gsd is not installed");
        assertThat(run(python)).isEqualTo("11 125 300 ['Ar']\n");
    }

    @Tag("native")
    @Test
    void ranksWriteTheFileOfOneProcess() throws Exception {
        Path one = folder.resolve("one.gsd");
        run(example(one));
        Path three = folder.resolve("three.gsd");
        run(JavaCommand.mpirun(3, PROGRAM, arguments(three)));
        assertThat(Files.readAllBytes(three)).isEqualTo(Files.readAllBytes(one));
    }
}
