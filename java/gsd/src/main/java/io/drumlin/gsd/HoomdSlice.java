package io.drumlin.gsd;

import java.io.IOException;
import java.util.Objects;

/** Some frames of a trajectory, in order; {@link HoomdTrajectory#slice} chooses them. Not thread-safe. */
public final class HoomdSlice {

    private final HoomdTrajectory trajectory;
    private final long first;
    private final long step;
    private final long count;

    private HoomdSlice(HoomdTrajectory trajectory, long first, long step, long count) {
        this.trajectory = trajectory;
        this.first = first;
        this.step = step;
        this.count = count;
    }

    static HoomdSlice all(HoomdTrajectory trajectory) throws IOException {
        return new HoomdSlice(trajectory, 0, 1, trajectory.frameCount());
    }

    /**
     * Returns the number of frames of the slice.
     *
     * @return 0 or more
     */
    public long count() {
        return count;
    }

    /**
     * Returns the number of a frame in the trajectory.
     *
     * @param index 0 to {@link #count} - 1
     * @return number of the frame
     */
    public long number(long index) {
        return first + Objects.checkIndex(index, count) * step;
    }

    /**
     * Reads a frame.
     *
     * @param index 0 to {@link #count} - 1
     * @return the frame
     * @throws IOException it cannot be read
     */
    public HoomdFrame read(long index) throws IOException {
        return trajectory.read(number(index));
    }

    /**
     * Returns some frames of this slice.
     *
     * @param from index of the first one here
     * @param to index after the last one here, or before it if the step is below 0
     * @param every distance of two frames in this slice; below 0 to go backwards
     * @return the frames
     */
    public HoomdSlice slice(long from, long to, long every) {
        if (every == 0) {
            throw new IllegalArgumentException("a step of 0 leads nowhere");
        }
        long distance = every > 0 ? to - from : from - to;
        long some = distance <= 0 ? 0 : (distance - 1) / Math.abs(every) + 1;
        if (some > 0) {
            Objects.checkIndex(from, count);
            Objects.checkIndex(from + (some - 1) * every, count);
        }
        return new HoomdSlice(trajectory, first + from * step, every * step, some);
    }
}
