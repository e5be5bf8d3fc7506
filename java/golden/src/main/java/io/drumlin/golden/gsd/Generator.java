package io.drumlin.golden.gsd;

import io.drumlin.format.gsd.ElementType;
import io.drumlin.golden.base.Json;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/** Makes the data of chunks that a manifest describes by a rule. */
final class Generator {

    private interface Rule {
        void fill(ByteBuffer target, ElementType type, long added);
    }

    private final Rule rule;
    private final long frameStep;
    private final long nameStep;

    private Generator(Rule rule, long frameStep, long nameStep) {
        this.rule = rule;
        this.frameStep = frameStep;
        this.nameStep = nameStep;
    }

    /** The rule of a chunk; without one the data are zero. */
    static Generator of(Json chunk) {
        if (!chunk.has("data")) {
            return new Generator((target, type, added) -> {}, 0, 0);
        }
        Json data = chunk.get("data");
        return new Generator(rule(data), number(data, "frame_step", 0), number(data, "name_step", 0));
    }

    private static Rule rule(Json data) {
        String name = data.get("gen").text();
        return switch (name) {
            case "mix" -> mix(data.get("seed").number());
            case "iota" -> iota(number(data, "start", 0), number(data, "step", 1));
            case "values" -> values(data.get("v").list(value -> value));
            case "hex" -> bytes(HexFormat.of().parseHex(data.get("h").text()));
            case "utf8" -> bytes(data.get("s").text().getBytes(StandardCharsets.UTF_8));
            default -> throw data.wrong("is of an unknown rule");
        };
    }

    private static long number(Json json, String key, long otherwise) {
        return json.has(key) ? json.get(key).number() : otherwise;
    }

    /** The data of a chunk of a frame, or of a name. */
    ByteBuffer data(ElementType type, long elements, long frame, long name) {
        ByteBuffer target =
                ByteBuffer.allocate(Math.toIntExact(elements * type.bytes())).order(ByteOrder.LITTLE_ENDIAN);
        rule.fill(target, type, frame * frameStep + name * nameStep);
        return target.clear();
    }

    private static Rule mix(long seed) {
        return (target, type, added) -> {
            for (long i = 0; target.hasRemaining(); i++) {
                long z = seed + added + (i + 1) * 0x9E3779B97F4A7C15L;
                z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
                z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
                z ^= z >>> 31;
                switch (type) {
                    case FLOAT -> target.putFloat((z >>> 40) * 0x1p-23f - 1);
                    case DOUBLE -> target.putDouble((z >>> 11) * 0x1p-52 - 1);
                    case CHARACTER -> target.put((byte) (32 + Long.remainderUnsigned(z, 95)));
                    default -> putInteger(target, type, z);
                }
            }
        };
    }

    private static Rule iota(long start, long step) {
        return (target, type, added) -> {
            for (long i = 0; target.hasRemaining(); i++) {
                put(target, type, start + added + i * step);
            }
        };
    }

    private static Rule values(List<Json> values) {
        return (target, type, added) -> {
            for (Json value : values) {
                if (target.hasRemaining()) {
                    switch (type) {
                        case FLOAT -> target.putFloat((float) value.real());
                        case DOUBLE -> target.putDouble(value.real());
                        default -> putInteger(target, type, value.integral());
                    }
                }
            }
        };
    }

    private static Rule bytes(byte[] bytes) {
        return (target, type, added) -> target.put(bytes, 0, Math.min(bytes.length, target.remaining()));
    }

    private static void put(ByteBuffer target, ElementType type, long value) {
        switch (type) {
            case FLOAT -> target.putFloat((float) value);
            case DOUBLE -> target.putDouble((double) value);
            default -> putInteger(target, type, value);
        }
    }

    private static void putInteger(ByteBuffer target, ElementType type, long value) {
        switch (type.bytes()) {
            case 1 -> target.put((byte) value);
            case 2 -> target.putShort((short) value);
            case 4 -> target.putInt((int) value);
            default -> target.putLong(value);
        }
    }
}
