package io.drumlin.checkpoint.objects;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Random;

/** Arrays of arrays of all primitives, of random shapes with random values. */
public final class NestedArrays {

    private static final List<Class<?>> PRIMITIVES = List.of(
            boolean.class, byte.class, short.class, char.class, int.class, long.class, float.class, double.class);

    private NestedArrays() {}

    /** A rectangular one for each primitive, of two to four dimensions; some have nothing in them. */
    public static List<Object> rectangular(Random random) {
        return PRIMITIVES.stream()
                .map(primitive -> Array.newInstance(
                        primitive,
                        random.ints(2 + random.nextInt(3), 0, 12)
                                .map(length -> length * length / 2)
                                .toArray()))
                .toList();
    }

    /** One for each primitive, of two to four dimensions and any lengths, also none. */
    public static List<Object[]> ragged(Random random) {
        return PRIMITIVES.stream()
                .map(primitive -> {
                    Class<?> type = Array.newInstance(primitive, new int[2 + random.nextInt(3)])
                            .getClass();
                    return (Object[]) ragged(type, random);
                })
                .toList();
    }

    private static Object ragged(Class<?> type, Random random) {
        int length = random.nextInt(3) == 0 ? random.nextInt(2) : random.nextInt(14);
        Object array = Array.newInstance(type.getComponentType(), length);
        if (array instanceof Object[] arrays) {
            for (int i = 0; i < length; i++) {
                arrays[i] = ragged(type.getComponentType(), random);
            }
        }
        return array;
    }

    /** An array of the same shape, in which all is zero. */
    public static Object zeros(Object array) {
        if (!(array instanceof Object[] arrays)) {
            return Array.newInstance(array.getClass().getComponentType(), Array.getLength(array));
        }
        Object[] copy = (Object[]) Array.newInstance(array.getClass().getComponentType(), arrays.length);
        for (int i = 0; i < copy.length; i++) {
            copy[i] = zeros(arrays[i]);
        }
        return copy;
    }

    public static void fill(Object array, Random random) {
        if (array instanceof Object[] arrays) {
            for (Object each : arrays) {
                fill(each, random);
            }
            return;
        }
        for (int i = 0; i < Array.getLength(array); i++) {
            set(array, i, random);
        }
    }

    private static void set(Object array, int index, Random random) {
        if (array instanceof boolean[] values) {
            values[index] = random.nextBoolean();
        } else if (array instanceof byte[] values) {
            values[index] = (byte) random.nextInt();
        } else if (array instanceof short[] values) {
            values[index] = (short) random.nextInt();
        } else if (array instanceof char[] values) {
            values[index] = (char) random.nextInt();
        } else if (array instanceof int[] values) {
            values[index] = random.nextInt();
        } else if (array instanceof long[] values) {
            values[index] = random.nextLong();
        } else if (array instanceof float[] values) {
            values[index] = random.nextFloat();
        } else {
            ((double[]) array)[index] = random.nextDouble();
        }
    }
}
