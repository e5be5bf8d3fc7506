package io.drumlin.checkpoint.internal.object;

import io.drumlin.checkpoint.Codec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/** An object of random type and content, with its codec. */
public record RandomObject<T>(Codec<T> codec, T value, Function<Random, T> values) {

    /** Types nest no deeper than {@code depth}. */
    public static RandomObject<?> of(Random random, int depth) {
        return object(kind(random, depth), random);
    }

    private static <T> RandomObject<T> object(Kind<T> kind, Random random) {
        return new RandomObject<>(kind.codec, kind.values.apply(random), kind.values);
    }

    /** Returns another object of the same type. */
    public T another(Random random) {
        return values.apply(random);
    }

    /** One of each kind of component. */
    record Many(
            boolean bit,
            byte small,
            short number,
            char sign,
            int whole,
            long large,
            float part,
            double real,
            Boolean maybe,
            String text,
            Thread.State state,
            long[] values,
            List<String> list,
            Set<Character> set,
            Map<Double, One> map,
            One one) {

        List<Object> parts() {
            List<Object> parts = new ArrayList<>(java.util.Arrays.asList(bit, small, number, sign, whole, large, part));
            parts.addAll(java.util.Arrays.asList(real, maybe, text, state, values, list, set, map, one));
            return parts;
        }
    }

    record One(byte only) {}

    private record Kind<T>(Codec<T> codec, Function<Random, T> values) {}

    private static Kind<?> kind(Random random, int depth) {
        return switch (random.nextInt(depth == 0 ? 7 : 11)) {
            case 0 -> new Kind<>(Codec.of(String.class), RandomObject::text);
            case 1 -> new Kind<>(Codec.of(Integer.class), Random::nextInt);
            case 2 -> new Kind<>(Codec.of(Double.class), values -> Double.longBitsToDouble(values.nextLong()));
            case 3 -> new Kind<>(Codec.of(Thread.State.class), RandomObject::state);
            case 4 ->
                new Kind<>(Codec.of(long[].class), values -> values.longs(length(values))
                        .toArray());
            case 5 -> new Kind<>(Codec.record(Many.class), RandomObject::many);
            case 6 -> new Kind<>(Codec.of(boolean[].class), values -> new boolean[] {values.nextBoolean(), true});
            case 7 -> map(kind(random, 0), kind(random, depth - 1));
            case 8 -> set(kind(random, 0));
            case 9 -> mapped(kind(random, depth - 1));
            default -> list(kind(random, depth - 1));
        };
    }

    private static int length(Random random) {
        return random.nextInt(20) == 0 ? random.nextInt(2000) : random.nextInt(5);
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = length(random); i > 0; i--) {
            int point = random.nextInt(random.nextBoolean() ? 128 : Character.MAX_CODE_POINT + 1);
            text.appendCodePoint(point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 'x' : point);
        }
        return text.toString();
    }

    private static Thread.State state(Random random) {
        return Thread.State.values()[random.nextInt(Thread.State.values().length)];
    }

    private static Many many(Random random) {
        Map<Double, One> map = new LinkedHashMap<>();
        Set<Character> set = new LinkedHashSet<>();
        List<String> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            map.put(random.nextBoolean() ? null : random.nextDouble(), new One((byte) i));
            set.add(random.nextBoolean() ? null : (char) random.nextInt());
            list.add(random.nextBoolean() ? null : text(random));
        }
        boolean full = random.nextBoolean();
        return new Many(
                random.nextBoolean(),
                (byte) random.nextInt(),
                (short) random.nextInt(),
                (char) random.nextInt(),
                random.nextInt(),
                random.nextLong(),
                Float.intBitsToFloat(random.nextInt()),
                random.nextGaussian(),
                full ? random.nextBoolean() : null,
                full ? text(random) : null,
                full ? state(random) : null,
                full ? random.longs(3).toArray() : null,
                full ? list : null,
                full ? set : null,
                full ? map : null,
                full ? null : new One((byte) 1));
    }

    private static <E> Kind<List<E>> list(Kind<E> elements) {
        return new Kind<>(Codec.list(elements.codec), random -> {
            List<E> list = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                list.add(random.nextInt(9) == 0 ? null : elements.values.apply(random));
            }
            return list;
        });
    }

    private static <E> Kind<Set<E>> set(Kind<E> elements) {
        return new Kind<>(
                Codec.set(elements.codec),
                random -> new LinkedHashSet<>(list(elements).values.apply(random)));
    }

    private static <K, V> Kind<Map<K, V>> map(Kind<K> keys, Kind<V> values) {
        return new Kind<>(Codec.map(keys.codec, values.codec), random -> {
            Map<K, V> map = new LinkedHashMap<>();
            list(keys).values.apply(random).forEach(key -> map.put(key, values.values.apply(random)));
            return map;
        });
    }

    /** Its objects are kept in a list of one. */
    private static <T> Kind<List<T>> mapped(Kind<T> kind) {
        return new Kind<>(kind.codec.as(List::of, list -> list.get(0)), random -> List.of(kind.values.apply(random)));
    }

    /** Returns whether two objects have the same content, arrays within them too. */
    public static boolean isSame(Object left, Object right) {
        if (left instanceof Map<?, ?> map && right instanceof Map<?, ?> other) {
            return isSame(map.keySet(), other.keySet()) && isSame(List.copyOf(entries(map)), entries(other));
        } else if (left instanceof Iterable<?> values && right instanceof Iterable<?> others) {
            Iterator<?> other = others.iterator();
            for (Object each : values) {
                if (!other.hasNext() || !isSame(each, other.next())) {
                    return false;
                }
            }
            return !other.hasNext();
        } else if (left instanceof Many many && right instanceof Many other) {
            return isSame(many.parts(), other.parts());
        }
        return Arrays.deepEquals(new Object[] {left}, new Object[] {right});
    }

    private static List<Object> entries(Map<?, ?> map) {
        List<Object> values = new ArrayList<>();
        map.values().forEach(value -> values.add(Arrays.asList(value)));
        return values;
    }
}
