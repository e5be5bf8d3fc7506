package io.drumlin.gsd;

import java.io.IOException;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A frame of a hoomd trajectory: the system at one step. Names and defaults are those of the schema, and of
 * {@code Frame} in Python's {@code gsd.hoomd}.
 *
 * <p>In a frame to be written, {@code null} stands for the value of the first frame, or for the default. In a frame
 * that was read, nothing is {@code null}. Arrays hold the items one after the other; {@code position} holds x, y and z
 * of the first particle, then those of the second. Arrays are neither copied nor changed. Not thread-safe.
 */
public final class HoomdFrame {

    /** Step and box. */
    public final ConfigurationData configuration = new ConfigurationData();

    /** Particles. */
    public final ParticleData particles = new ParticleData();

    /** Bonds, of 2 particles. */
    public final BondData bonds = new BondData("bonds");

    /** Angles, of 3 particles. */
    public final BondData angles = new BondData("angles");

    /** Dihedrals, of 4 particles. */
    public final BondData dihedrals = new BondData("dihedrals");

    /** Impropers, of 4 particles. */
    public final BondData impropers = new BondData("impropers");

    /** Constraints. */
    public final ConstraintData constraints = new ConstraintData();

    /** Special pairs, of 2 particles. */
    public final BondData pairs = new BondData("pairs");

    /**
     * Quantities of type double, by full name, for example {@code particles/position} or {@code configuration/box}. Only
     * schema 2.x has them. In a frame that was read, the field of such a quantity has the values rounded to float. In a
     * frame to be written, that field must be {@code null} or have them too, so that a change of one of the two is not
     * lost.
     */
    public final Map<String, double[]> doubles = new LinkedHashMap<>();

    /**
     * State of hoomd's HPMC integrators, by name without {@code state/}. A frame has only the state that was written in
     * it. Schema 2.x has none.
     */
    public final Map<String, ChunkData> state = new LinkedHashMap<>();

    /**
     * Logged quantities, by name without {@code log/}. Those whose name begins with {@code particles/}, {@code bonds/}
     * and so on have one row for each item. A frame takes missing quantities from the first frame, which therefore must
     * have all quantities that are ever logged.
     */
    public final Map<String, ChunkData> log = new LinkedHashMap<>();

    /** Makes a frame without particles in which nothing else is set. */
    public HoomdFrame() {}

    /** Gives or takes the value of a quantity. */
    @FunctionalInterface
    interface Exchange {
        /** Receives the frame's value and returns its new value. */
        @Nullable
        Object value(HoomdQuantity quantity, @Nullable Object value) throws IOException;
    }

    /** Exchanges all quantities in the order of the schema. */
    void exchange(Exchange plain) throws IOException {
        Exchange exchange = (quantity, value) -> exchange(plain, quantity, value);
        configuration.exchange(exchange, doubles.get("configuration/box"));
        particles.exchange(exchange);
        for (BondData each : List.of(bonds, angles, dihedrals, impropers)) {
            each.exchange(exchange);
        }
        constraints.exchange(exchange);
        pairs.exchange(exchange);
    }

    /** Exchanges doubles, if there are any, and returns them as floats. */
    private @Nullable Object exchange(Exchange plain, HoomdQuantity quantity, @Nullable Object value)
            throws IOException {
        double[] exact = doubles.get(quantity.name());
        if (exact != null && value != null && !Arrays.equals(HoomdQuantity.rounded(exact), (float[]) value)) {
            throw new IllegalArgumentException(quantity.name() + " is set in the field and has other values in doubles;"
                    + " set the field to null, or remove it from doubles");
        }
        Object exchanged = plain.value(quantity, exact != null ? exact : value);
        if (exact != null && exchanged == exact) {
            return value;
        } else if (exchanged instanceof double[] read) {
            doubles.put(quantity.name(), read);
            return HoomdQuantity.rounded(read);
        }
        return exchanged;
    }

    /** Returns the number of items, or -1 if it is not set. */
    int count(String container) {
        Integer n =
                switch (container) {
                    case "particles" -> particles.n;
                    case "bonds" -> bonds.n;
                    case "angles" -> angles.n;
                    case "dihedrals" -> dihedrals.n;
                    case "impropers" -> impropers.n;
                    case "constraints" -> constraints.n;
                    default -> pairs.n;
                };
        return n == null ? -1 : n;
    }

    private static @Nullable Integer exchangeCount(Exchange exchange, String container, @Nullable Integer n)
            throws IOException {
        int[] exchanged = (int[]) exchange.value(HoomdQuantity.countOf(container), n == null ? null : new int[] {n});
        return exchanged == null ? null : exchanged[0];
    }

    @SuppressWarnings("unchecked") // The quantity determines the type.
    private static @Nullable List<String> exchangeTexts(Exchange exchange, String name, @Nullable List<String> texts)
            throws IOException {
        return (List<String>) exchange.value(HoomdQuantity.of(name), texts);
    }

    private static float @Nullable [] exchangeFloats(Exchange exchange, String name, float @Nullable [] values)
            throws IOException {
        return (float[]) exchange.value(HoomdQuantity.of(name), values);
    }

    private static int @Nullable [] exchangeInts(Exchange exchange, String name, int @Nullable [] values)
            throws IOException {
        return (int[]) exchange.value(HoomdQuantity.of(name), values);
    }

    /** Step and box. */
    public static final class ConfigurationData {

        /** Time step, unsigned; default 0. */
        public @Nullable Long step;

        /** 2 or 3; default 3. If the box is set and its {@code lz} is 0, the default is 2. */
        public @Nullable Integer dimensions;

        /** {@code lx, ly, lz, xy, xz, yz}; default 1, 1, 1, 0, 0, 0. */
        public float @Nullable [] box;

        private ConfigurationData() {}

        private void exchange(Exchange exchange, double @Nullable [] exact) throws IOException {
            long[] steps = (long[])
                    exchange.value(HoomdQuantity.of("configuration/step"), step == null ? null : new long[] {step});
            step = steps == null ? null : steps[0];
            Object set = exact != null ? exact : box;
            if (dimensions == null && set != null && Array.getLength(set) == 6) {
                dimensions = Array.getDouble(set, 2) == 0 ? 2 : 3;
            }
            byte[] exchanged = (byte[]) exchange.value(
                    HoomdQuantity.of("configuration/dimensions"),
                    dimensions == null ? null : new byte[] {dimensions.byteValue()});
            dimensions = exchanged == null ? null : Byte.toUnsignedInt(exchanged[0]);
            box = exchangeFloats(exchange, "configuration/box", box);
        }
    }

    /** Particles. */
    public static final class ParticleData {

        /**
         * Number of particles; of this rank's particles if several ranks write. {@code null} means as many as in the
         * first frame, with nothing else set.
         */
        public @Nullable Integer n = 0;

        /** Names of the types, different from each other; default {@code A}. */
        public @Nullable List<String> types;

        /** Type of each, an index into {@link #types}; default 0. */
        public int @Nullable [] typeid;

        /** Mass of each; default 1. */
        public float @Nullable [] mass;

        /** Charge of each; default 0. */
        public float @Nullable [] charge;

        /** Diameter of each; default 1. */
        public float @Nullable [] diameter;

        /** Body of each, -1 for none; default -1. */
        public int @Nullable [] body;

        /** Moments of inertia, 3 for each; default 0, 0, 0. */
        public float @Nullable [] momentInertia;

        /** Coordinates, 3 for each; default 0, 0, 0. */
        public float @Nullable [] position;

        /** Orientations, a quaternion for each; default 1, 0, 0, 0. */
        public float @Nullable [] orientation;

        /** Velocities, 3 for each; default 0, 0, 0. */
        public float @Nullable [] velocity;

        /** Angular momenta, a quaternion for each; default 0, 0, 0, 0. */
        public float @Nullable [] angmom;

        /** Number of times that each was wrapped around the box, 3 for each; default 0, 0, 0. */
        public int @Nullable [] image;

        /**
         * A JSON object for each type, for example <code>{"type": "Sphere", "diameter": 2.0}</code>; default
         * <code>{}</code>.
         */
        public @Nullable List<String> typeShapes;

        private ParticleData() {}

        private void exchange(Exchange exchange) throws IOException {
            n = exchangeCount(exchange, "particles", n);
            types = exchangeTexts(exchange, "particles/types", types);
            typeid = exchangeInts(exchange, "particles/typeid", typeid);
            mass = exchangeFloats(exchange, "particles/mass", mass);
            charge = exchangeFloats(exchange, "particles/charge", charge);
            diameter = exchangeFloats(exchange, "particles/diameter", diameter);
            body = exchangeInts(exchange, "particles/body", body);
            momentInertia = exchangeFloats(exchange, "particles/moment_inertia", momentInertia);
            position = exchangeFloats(exchange, "particles/position", position);
            orientation = exchangeFloats(exchange, "particles/orientation", orientation);
            velocity = exchangeFloats(exchange, "particles/velocity", velocity);
            angmom = exchangeFloats(exchange, "particles/angmom", angmom);
            image = exchangeInts(exchange, "particles/image", image);
            typeShapes = exchangeTexts(exchange, "particles/type_shapes", typeShapes);
        }
    }

    /** Bonds, angles, dihedrals, impropers or special pairs. */
    public static final class BondData {

        private final String container;

        /**
         * Number of items; of this rank's items if several ranks write. {@code null} means as many as in the first
         * frame, with nothing else set.
         */
        public @Nullable Integer n = 0;

        /** Names of the types, different from each other; default none. */
        public @Nullable List<String> types;

        /** Type of each, an index into {@link #types}; default 0. */
        public int @Nullable [] typeid;

        /** Indices of the particles of each, 2, 3 or 4; default 0. */
        public int @Nullable [] group;

        private BondData(String container) {
            this.container = container;
        }

        private void exchange(Exchange exchange) throws IOException {
            n = exchangeCount(exchange, container, n);
            types = exchangeTexts(exchange, container + "/types", types);
            typeid = exchangeInts(exchange, container + "/typeid", typeid);
            group = exchangeInts(exchange, container + "/group", group);
        }
    }

    /** Constraints between two particles. */
    public static final class ConstraintData {

        /**
         * Number of constraints; of this rank's constraints if several ranks write. {@code null} means as many as in
         * the first frame, with nothing else set.
         */
        public @Nullable Integer n = 0;

        /** Length of each; default 0. */
        public float @Nullable [] value;

        /** Indices of the 2 particles of each; default 0. */
        public int @Nullable [] group;

        private ConstraintData() {}

        private void exchange(Exchange exchange) throws IOException {
            n = exchangeCount(exchange, "constraints", n);
            value = exchangeFloats(exchange, "constraints/value", value);
            group = exchangeInts(exchange, "constraints/group", group);
        }
    }
}
