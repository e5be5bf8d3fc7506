package io.drumlin.checkpoint.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.checkpoint.internal.object.RandomObject;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Variables of all kinds that can be protected. Their kinds, sizes and contents follow from a seed, a rank and a step. */
final class RandomState {

    private static final int IDS = 7;

    private static final Class<?>[] PRIMITIVES = {
        boolean.class, byte.class, short.class, char.class, int.class, long.class, float.class, double.class
    };

    private final long seed;
    private final int rank;

    /** Whether another number of ranks can recover the variables if all ranks have the same ones. */
    private final boolean replicable;

    private final Map<Integer, Variable> variables = new TreeMap<>();

    RandomState(long seed, int rank, boolean replicable) {
        this.seed = seed;
        this.rank = rank;
        this.replicable = replicable;
    }

    private abstract static class Variable {

        abstract void fill(Random random);

        abstract void protect(Checkpoints checkpoints, int id);

        /** As a restarted program does that knows no sizes. */
        void reallocate(Checkpoints checkpoints, int id) throws IOException {
            protect(checkpoints, id);
        }

        abstract boolean isSame(Variable other);
    }

    private static final class OfArray extends Variable {
        private Object array;

        OfArray(Object array) {
            this.array = array;
        }

        @Override
        void fill(Random random) {
            NestedArrays.fill(array, random);
        }

        @Override
        void protect(Checkpoints checkpoints, int id) {
            checkpoints.protect(id, array);
        }

        @Override
        void reallocate(Checkpoints checkpoints, int id) throws IOException {
            if (array instanceof Object[]) {
                protect(checkpoints, id);
            } else {
                array = checkpoints.reallocate(
                        id, Array.newInstance(array.getClass().getComponentType(), 0));
            }
        }

        @Override
        boolean isSame(Variable other) {
            return Arrays.deepEquals(new Object[] {array}, new Object[] {((OfArray) other).array});
        }
    }

    private static final class OfRagged extends Variable {
        private Object[] arrays;

        OfRagged(Object[] arrays) {
            this.arrays = arrays;
        }

        @Override
        void fill(Random random) {
            NestedArrays.fill(arrays, random);
        }

        @Override
        void protect(Checkpoints checkpoints, int id) {
            checkpoints.protectRagged(id, arrays);
        }

        @Override
        void reallocate(Checkpoints checkpoints, int id) throws IOException {
            arrays = checkpoints.reallocateRagged(id, Arrays.copyOf(arrays, 0));
        }

        @Override
        boolean isSame(Variable other) {
            return Arrays.deepEquals(arrays, ((OfRagged) other).arrays);
        }
    }

    private static final class OfBuffer extends Variable {
        private final ByteBuffer memory;
        private final Buffer view;

        OfBuffer(ByteBuffer memory, Buffer view) {
            this.memory = memory;
            this.view = view;
        }

        @Override
        void fill(Random random) {
            byte[] bytes = new byte[memory.capacity()];
            random.nextBytes(bytes);
            memory.put(0, bytes);
        }

        @Override
        void protect(Checkpoints checkpoints, int id) {
            checkpoints.protect(id, view);
        }

        @Override
        boolean isSame(Variable other) {
            return view.equals(((OfBuffer) other).view);
        }
    }

    private static final class OfScalar extends Variable {
        private final Scalar.OfDouble scalar = new Scalar.OfDouble(0);

        @Override
        void fill(Random random) {
            scalar.value = random.nextDouble();
        }

        @Override
        void protect(Checkpoints checkpoints, int id) {
            checkpoints.protect(id, scalar);
        }

        @Override
        boolean isSame(Variable other) {
            return scalar.value == ((OfScalar) other).scalar.value;
        }
    }

    /** Has another size with each content. */
    private static final class OfObject<T> extends Variable {
        private final RandomObject<T> object;
        private T value;

        OfObject(RandomObject<T> object) {
            this.object = object;
            value = object.value();
        }

        @Override
        void fill(Random random) {
            value = object.another(random);
        }

        @Override
        void protect(Checkpoints checkpoints, int id) {
            checkpoints.protect(id, () -> value, stored -> value = stored, object.codec());
        }

        @Override
        boolean isSame(Variable other) {
            return RandomObject.isSame(value, ((OfObject<?>) other).value);
        }
    }

    private Random random(int id, int step, int ofRank) {
        return new Random(new Random(seed + 31L * id + 1_009L * step + 1_000_003L * ofRank).nextLong());
    }

    /** Gives some variables other places, sizes and kinds, and all of them other contents. */
    void advance(int step) {
        for (int id = 0; id < IDS; id++) {
            Random all = random(id, step, -1);
            int change = step == 1 ? 2 : all.nextInt(6);
            if (change == 0) {
                variables.remove(id);
            } else if (change < 4 && (change > 1 || variables.containsKey(id))) {
                variables.put(id, variable(all, random(id, step, rank)));
            }
            Variable present = variables.get(id);
            boolean isUnchanged = change >= 4 && all.nextBoolean();
            if (present != null && !isUnchanged) {
                present.fill(random(id, -step, rank));
            }
        }
        variables.computeIfAbsent(0, id -> new OfScalar()).fill(random(0, -step, rank));
    }

    /** @param all the same on all ranks, which decide alike what kind it is */
    private Variable variable(Random all, Random own) {
        Class<?> primitive = PRIMITIVES[all.nextInt(PRIMITIVES.length)];
        int kind = all.nextInt(replicable ? 6 : 8);
        return switch (kind) {
            case 0 -> new OfScalar();
            case 1 -> buffer(all, own);
            case 2 -> new OfArray(Array.newInstance(primitive, length(own)));
            case 3 -> new OfArray(Array.newInstance(primitive, 1 + length(own) / 4, 1 + own.nextInt(5)));
            case 4 -> new OfArray(Array.newInstance(primitive, own.nextInt(9), own.nextInt(9), own.nextInt(40)));
            case 5 -> new OfObject<>(RandomObject.of(all, all.nextInt(3)));
            case 6 -> new OfRagged(ragged(primitive, own, length(own) / 4));
            default -> {
                Object[] arrays =
                        (Object[]) Array.newInstance(primitive.arrayType().arrayType(), 3);
                Arrays.setAll(arrays, i -> ragged(primitive, own, own.nextInt(40)));
                yield new OfRagged(arrays);
            }
        };
    }

    private static int length(Random random) {
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> 20_000 + random.nextInt(20_000);
            default -> random.nextInt(1_500);
        };
    }

    private static Object[] ragged(Class<?> primitive, Random random, int rows) {
        Object[] arrays = (Object[]) Array.newInstance(primitive.arrayType(), rows);
        Arrays.setAll(arrays, i -> Array.newInstance(primitive, random.nextInt(random.nextInt(50) == 0 ? 2_000 : 6)));
        return arrays;
    }

    private static Variable buffer(Random all, Random own) {
        int bytes = 8 * (2 + length(own));
        ByteBuffer memory = all.nextBoolean() ? ByteBuffer.allocate(bytes) : ByteBuffer.allocateDirect(bytes);
        ByteBuffer part = memory.duplicate()
                .position(8)
                .limit(bytes - 8)
                .slice()
                .order(all.nextBoolean() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        return new OfBuffer(
                memory,
                switch (all.nextInt(4)) {
                    case 0 -> part;
                    case 1 -> part.asShortBuffer();
                    case 2 -> part.asIntBuffer();
                    default -> part.asLongBuffer();
                });
    }

    /** Protects what there is, and nothing else. */
    void protect(Checkpoints checkpoints, RandomState before) {
        before.variables.keySet().stream()
                .filter(id -> !variables.containsKey(id))
                .forEach(checkpoints::unprotect);
        variables.forEach((id, variable) -> {
            if (before.variables.get(id) != variable) {
                variable.protect(checkpoints, id);
            }
        });
    }

    /** Remembers which variables there are. */
    RandomState copy() {
        RandomState copy = new RandomState(seed, rank, replicable);
        copy.variables.putAll(variables);
        return copy;
    }

    void reallocate(Checkpoints checkpoints) throws IOException {
        for (Map.Entry<Integer, Variable> each : variables.entrySet()) {
            each.getValue().reallocate(checkpoints, each.getKey());
        }
    }

    void replicate(Checkpoints checkpoints) {
        variables.keySet().forEach(id -> checkpoints.distribute(id, Distribution.replicated()));
    }

    /** Puts other contents in the place of those that are to come back. */
    void scramble(Random random) {
        variables.values().forEach(variable -> variable.fill(random));
    }

    void requireSame(RandomState expected, String words) {
        assertThat(variables.keySet()).as(words).isEqualTo(expected.variables.keySet());
        variables.forEach((id, variable) -> assertThat(variable.isSame(expected.variables.get(id)))
                .as("%s, variable %d, rank %d", words, id, rank)
                .isTrue());
    }
}
