package io.drumlin.checkpoint;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Describes how objects are stored in a checkpoint ({@link Checkpoints#protect(int, java.util.function.Supplier,
 * java.util.function.Consumer, Codec)}).
 *
 * <pre>{@code
 * record Particle(long id, double[] place, Color color) {}
 *
 * Codec<List<Particle>> particles = Codec.list(Codec.record(Particle.class));
 * }</pre>
 *
 * <p>Java's serialization has no part in it. The types are stored with the objects, so a program can restart from what an
 * earlier version of it has stored: a component that was added to a record is then 0, false or null, and one that was
 * removed is left out. A component whose type has changed makes the recovery fail, and the message names it. Names of
 * classes are not stored, so they can change. The names of components and of the constants of enums are.
 *
 * <p>Components, elements, keys and values may be null where their type is no primitive. Lists come back as {@link
 * java.util.ArrayList}, sets as {@link java.util.LinkedHashSet} and maps as {@link java.util.LinkedHashMap}. They are in
 * the order in which the program iterates over them, so that a sum over a map is the same after a restart. An object that
 * is in several places is stored several times.
 *
 * <p>Immutable and thread-safe.
 *
 * @param <T> the objects
 */
public sealed interface Codec<T> {

    /**
     * Describes a string, a boxed primitive, a constant of an enum or an array of primitives.
     *
     * @param <T> the objects
     * @param type such as {@code String.class}, {@code Integer.class}, {@code double[].class}, or the class of an enum
     * @return the codec
     */
    static <T> Codec<T> of(Class<T> type) {
        return new OfValue<>(type);
    }

    /**
     * Describes a record by its components. These may be primitives, what {@link #of} describes, other records, and
     * {@link List}, {@link Set} and {@link Map} of those. A record cannot contain itself; a tree is stored as a list of
     * nodes.
     *
     * @param <R> the record
     * @param type class of the record
     * @return the codec
     */
    static <R extends Record> Codec<R> record(Class<R> type) {
        return record(type, Map.of());
    }

    /**
     * Describes a record of which some components have codecs of the program; otherwise like {@link #record(Class)}.
     *
     * <pre>{@code
     * Codec<UUID> ids = Codec.of(String.class).as(UUID::fromString, UUID::toString);
     * Codec<Agent> agents = Codec.record(Agent.class, Map.of(UUID.class, ids));
     * }</pre>
     *
     * @param <R> the record
     * @param type class of the record
     * @param own codecs by the classes for which they stand, in this record and in the records in it
     * @return the codec
     */
    static <R extends Record> Codec<R> record(Class<R> type, Map<Class<?>, Codec<?>> own) {
        return new OfRecord<>(type, Map.copyOf(own));
    }

    /**
     * Describes a list.
     *
     * @param <E> its elements
     * @param elements describes the elements
     * @return the codec
     */
    static <E> Codec<List<E>> list(Codec<E> elements) {
        return new OfList<>(elements);
    }

    /**
     * Describes a set.
     *
     * @param <E> its elements
     * @param elements describes the elements
     * @return the codec
     */
    static <E> Codec<Set<E>> set(Codec<E> elements) {
        return new OfSet<>(elements);
    }

    /**
     * Describes a map.
     *
     * @param <K> its keys
     * @param <V> its values
     * @param keys describes the keys
     * @param values describes the values
     * @return the codec
     */
    static <K, V> Codec<Map<K, V>> map(Codec<K> keys, Codec<V> values) {
        return new OfMap<>(keys, values);
    }

    /**
     * Describes objects of another class that are stored as these, such as a class of the program that is stored as a
     * record. Neither function gets or returns null.
     *
     * @param <U> the other objects
     * @param decoder makes one from what was stored
     * @param encoder returns what is stored of one
     * @return the codec
     */
    default <U> Codec<U> as(Function<? super T, ? extends U> decoder, Function<? super U, ? extends T> encoder) {
        return new Mapped<>(this, decoder, encoder);
    }

    /**
     * Describes a value of one class.
     *
     * @param <T> the values
     * @param type their class
     */
    record OfValue<T>(Class<T> type) implements Codec<T> {}

    /**
     * Describes a record.
     *
     * @param <R> the record
     * @param type its class
     * @param own codecs of the program, by class
     */
    record OfRecord<R extends Record>(Class<R> type, Map<Class<?>, Codec<?>> own) implements Codec<R> {}

    /**
     * Describes a list.
     *
     * @param <E> its elements
     * @param elements describes them
     */
    record OfList<E>(Codec<E> elements) implements Codec<List<E>> {}

    /**
     * Describes a set.
     *
     * @param <E> its elements
     * @param elements describes them
     */
    record OfSet<E>(Codec<E> elements) implements Codec<Set<E>> {}

    /**
     * Describes a map.
     *
     * @param <K> its keys
     * @param <V> its values
     * @param keys describes the keys
     * @param values describes the values
     */
    record OfMap<K, V>(Codec<K> keys, Codec<V> values) implements Codec<Map<K, V>> {}

    /**
     * Describes objects that are stored as others.
     *
     * @param <T> what is stored
     * @param <U> the objects
     * @param stored describes what is stored
     * @param decoder makes an object from it
     * @param encoder returns what is stored of an object
     */
    record Mapped<T, U>(
            Codec<T> stored, Function<? super T, ? extends U> decoder, Function<? super U, ? extends T> encoder)
            implements Codec<U> {}
}
