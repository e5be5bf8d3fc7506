package io.drumlin.examples;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.gsd.ChunkData;
import io.drumlin.gsd.HoomdFrame;
import io.drumlin.gsd.HoomdTrajectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A Lennard-Jones gas in a periodic box, computed with velocity Verlet. Each rank moves its particles, and all ranks
 * write them into one trajectory, which hoomd's tools can read. All sums are taken in the order of the particles, so
 * the file does not depend on the number of ranks.
 */
public final class LennardJones {

    private static final double SPACING = 1.5;
    private static final double CUTOFF = 2.5;
    /** The inverse sixth power of the cutoff. */
    private static final double CUTOFF_6 = 1 / (CUTOFF * CUTOFF * CUTOFF * CUTOFF * CUTOFF * CUTOFF);

    private static final double TIME_STEP = 0.002;

    private final Communicator world;
    private final int count;
    private final double box;
    /** This rank has the particles from first to before end. */
    private final int first;

    private final int end;

    /**
     * Coordinates of all particles, within the box. The velocities and forces below are valid for this rank's
     * particles.
     */
    private final double[] position;

    private final double[] velocity;
    private final double[] force;
    private final int[] image;
    /** Half of the energy of each particle's pairs. {@link #kinetic} holds its kinetic energy. */
    private final double[] potential;

    private final double[] kinetic;

    private LennardJones(Communicator world, int cells) {
        this.world = world;
        this.count = cells * cells * cells;
        this.box = cells * SPACING;
        this.first = begin(world.rank());
        this.end = begin(world.rank() + 1);
        this.position = new double[3 * count];
        this.velocity = new double[3 * count];
        this.force = new double[3 * count];
        this.image = new int[3 * count];
        this.potential = new double[count];
        this.kinetic = new double[count];
        for (int i = 0; i < count; i++) {
            int layer = i / (cells * cells);
            position[3 * i] = SPACING * (i % cells);
            position[3 * i + 1] = SPACING * (i / cells % cells);
            position[3 * i + 2] = SPACING * layer;
        }
        // Every rank draws the same numbers.
        Random random = new Random(1924);
        Arrays.setAll(velocity, i -> random.nextGaussian());
    }

    private int begin(int rank) {
        return (int) ((long) count * rank / world.size());
    }

    /**
     * Runs the example.
     *
     * @param arguments the trajectory to write, particles along an edge of the box, number of steps, steps per frame
     * @throws IOException the trajectory cannot be written, or the ranks cannot meet
     */
    public static void main(String[] arguments) throws IOException {
        Usage.require(arguments, 4, "LennardJones FILE.gsd CELLS STEPS PERIOD");
        Path path = Path.of(arguments[0]);
        int cells = Integer.parseInt(arguments[1]);
        long steps = Long.parseLong(arguments[2]);
        long period = Long.parseLong(arguments[3]);
        Communicators.run(world -> {
            LennardJones gas = new LennardJones(world, cells);
            try (HoomdTrajectory trajectory = HoomdTrajectory.create(path, world)) {
                gas.computeForces();
                for (long step = 0; step <= steps; step++) {
                    if (step > 0) {
                        gas.advance();
                    }
                    if (step % period == 0) {
                        trajectory.append(gas.frame(step));
                    }
                }
            }
        });
    }

    private void advance() throws IOException {
        for (int i = 3 * first; i < 3 * end; i++) {
            velocity[i] += force[i] * TIME_STEP / 2;
            position[i] += velocity[i] * TIME_STEP;
            int crossed = (int) Math.floor(position[i] / box);
            image[i] += crossed;
            position[i] -= crossed * box;
        }
        share(position, 3);
        computeForces();
        for (int i = 3 * first; i < 3 * end; i++) {
            velocity[i] += force[i] * TIME_STEP / 2;
        }
    }

    private void computeForces() {
        for (int i = first; i < end; i++) {
            Arrays.fill(force, 3 * i, 3 * i + 3, 0);
            potential[i] = 0;
            for (int j = 0; j < count; j++) {
                if (j != i) {
                    addPair(i, j);
                }
            }
        }
    }

    /** The potential is shifted to 0 at the cutoff. */
    private void addPair(int i, int j) {
        double dx = nearest(position[3 * i] - position[3 * j]);
        double dy = nearest(position[3 * i + 1] - position[3 * j + 1]);
        double dz = nearest(position[3 * i + 2] - position[3 * j + 2]);
        double square = dx * dx + dy * dy + dz * dz;
        if (square < CUTOFF * CUTOFF) {
            double inverse6 = 1 / (square * square * square);
            double scale = 24 * inverse6 * (2 * inverse6 - 1) / square;
            force[3 * i] += scale * dx;
            force[3 * i + 1] += scale * dy;
            force[3 * i + 2] += scale * dz;
            potential[i] += 2 * (inverse6 * (inverse6 - 1) - CUTOFF_6 * (CUTOFF_6 - 1));
        }
    }

    private double nearest(double difference) {
        return difference - box * Math.rint(difference / box);
    }

    /** Gives all ranks the values of all particles. Before the call, each rank has the values of its own particles. */
    private void share(double[] values, int columns) throws IOException {
        // Messages have equal lengths, so the largest part determines the length.
        int length = columns * ((count + world.size() - 1) / world.size());
        ByteBuffer part = ByteBuffer.allocate(length * Double.BYTES).order(ByteOrder.nativeOrder());
        part.asDoubleBuffer().put(values, columns * first, columns * (end - first));
        ByteBuffer all = ByteBuffer.allocate(part.capacity() * world.size()).order(ByteOrder.nativeOrder());
        world.allgather(part, all);
        for (int rank = 0; rank < world.size(); rank++) {
            int from = columns * begin(rank);
            all.asDoubleBuffer().get(rank * length, values, from, columns * begin(rank + 1) - from);
        }
    }

    private HoomdFrame frame(long step) throws IOException {
        for (int i = first; i < end; i++) {
            kinetic[i] = 0;
            for (int k = 3 * i; k < 3 * i + 3; k++) {
                kinetic[i] += velocity[k] * velocity[k] / 2;
            }
        }
        share(kinetic, 1);
        share(potential, 1);
        double kineticEnergy = Arrays.stream(kinetic).sum();
        double potentialEnergy = Arrays.stream(potential).sum();
        HoomdFrame frame = new HoomdFrame();
        frame.configuration.step = step;
        frame.configuration.box = new float[] {(float) box, (float) box, (float) box, 0, 0, 0};
        frame.particles.n = end - first;
        frame.particles.types = List.of("Ar");
        frame.particles.position = own(position, -box / 2);
        frame.particles.velocity = own(velocity, 0);
        frame.particles.image = Arrays.copyOfRange(image, 3 * first, 3 * end);
        frame.log.put("kinetic_energy", ChunkData.of(kineticEnergy));
        frame.log.put("potential_energy", ChunkData.of(potentialEnergy));
        frame.log.put("energy", ChunkData.of(kineticEnergy + potentialEnergy));
        return frame;
    }

    /** Shifts coordinates, because hoomd's box is centred at 0. */
    private float[] own(double[] values, double shift) {
        float[] own = new float[3 * (end - first)];
        for (int i = 0; i < own.length; i++) {
            own[i] = (float) (values[3 * first + i] + shift);
        }
        return own;
    }
}
