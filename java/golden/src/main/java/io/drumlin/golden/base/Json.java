package io.drumlin.golden.base;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A value of a manifest that knows where it is, so that a manifest that is not as expected is told by its place. */
public final class Json {

    private final String place;
    private final @Nullable Object value;

    private Json(String place, @Nullable Object value) {
        this.place = place;
        this.value = value;
    }

    /**
     * The whole manifest.
     *
     * @param manifest the parsed file
     * @return its value
     */
    public static Json root(Map<String, Object> manifest) {
        return new Json("", manifest);
    }

    /**
     * Returns whether this is an object with a member.
     *
     * @param key name of the member
     * @return false for null members too
     */
    public boolean has(String key) {
        return value instanceof Map<?, ?> map && map.get(key) != null;
    }

    /**
     * A member of this object.
     *
     * @param key its name
     * @return the member; a missing one is a {@link ManifestException}
     */
    public Json get(String key) {
        Object member = map().get(key);
        if (member == null) {
            throw wrong("has no " + key);
        }
        return new Json(place + "/" + key, member);
    }

    /**
     * All members of this object.
     *
     * @param <T> what they become
     * @param convert makes it of each
     * @return in the order of the file
     */
    public <T> Map<String, T> members(Function<Json, T> convert) {
        Map<String, T> members = new LinkedHashMap<>();
        map().forEach((key, member) ->
                members.put(String.valueOf(key), convert.apply(new Json(place + "/" + key, member))));
        return members;
    }

    private Map<?, ?> map() {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw wrong("is not an object");
    }

    /**
     * The elements of this list.
     *
     * @param <T> what they become
     * @param convert makes it of each
     * @return in order
     */
    public <T> List<T> list(Function<Json, T> convert) {
        if (!(value instanceof List<?> list)) {
            throw wrong("is not a list");
        }
        List<T> converted = new ArrayList<>();
        for (Object element : list) {
            converted.add(convert.apply(new Json(place + "/" + converted.size(), element)));
        }
        return converted;
    }

    /**
     * Returns whether this is a list.
     *
     * @return false for anything else
     */
    public boolean isList() {
        return value instanceof List<?>;
    }

    /**
     * Returns whether this is a text.
     *
     * @return false for anything else
     */
    public boolean isText() {
        return value instanceof String;
    }

    /**
     * This text.
     *
     * @return the text
     */
    public String text() {
        if (value instanceof String text) {
            return text;
        }
        throw wrong("is not a text");
    }

    /**
     * This truth value.
     *
     * @return true or false
     */
    public boolean bool() {
        if (value instanceof Boolean bool) {
            return bool;
        }
        throw wrong("is not true or false");
    }

    /**
     * This whole number.
     *
     * @return the number
     */
    public long number() {
        if (value instanceof Integer || value instanceof Long) {
            return ((Number) value).longValue();
        }
        throw wrong("is not a whole number");
    }

    /**
     * Returns whether this is a number.
     *
     * @return false for anything else
     */
    public boolean isNumber() {
        return value instanceof Number;
    }

    /**
     * Returns whether this is a number that is written without fraction and exponent.
     *
     * @return false for anything else
     */
    public boolean isWhole() {
        return value instanceof Integer || value instanceof Long || value instanceof BigInteger;
    }

    /**
     * Returns whether this is null.
     *
     * @return false for anything else
     */
    public boolean isNull() {
        return value == null;
    }

    /**
     * This number.
     *
     * @return the nearest double
     */
    public double real() {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        throw wrong("is not a number");
    }

    /**
     * The low 64 bits of this whole number.
     *
     * @return the number modulo 2^64
     */
    public long integral() {
        if (value instanceof Number number && isWhole()) {
            return number.longValue();
        }
        throw wrong("is not a whole number");
    }

    /**
     * This whole number of 32 bits.
     *
     * @return the number
     */
    public int integer() {
        long number = number();
        if (number != (int) number) {
            throw wrong("is out of range");
        }
        return (int) number;
    }

    /**
     * Describes what is wrong with this value.
     *
     * @param problem a clause
     * @return the exception, to be thrown by the caller
     */
    public ManifestException wrong(String problem) {
        return new ManifestException("manifest" + place + " " + problem + ": " + abbreviated());
    }

    private String abbreviated() {
        String text = String.valueOf(value);
        return text.length() <= 100 ? text : text.substring(0, 100) + "...";
    }
}
