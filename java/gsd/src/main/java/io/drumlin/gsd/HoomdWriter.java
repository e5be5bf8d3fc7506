package io.drumlin.gsd;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.gsd.internal.RankRows;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parts of a frame that the schema requires: the values that differ from frame 0 and from the default;
 * docs/formats/gsd.md, section 13.
 *
 * <p>Each rank gives its items. A value that a frame has once comes from rank 0. The other ranks set it too, but their
 * value is ignored.
 */
final class HoomdWriter {

    /**
     * The sums for each setting: the ranks on which it differs from frame 0, the ranks on which it differs from the
     * default, and the number of columns at rank 0.
     */
    private static final int SUMS = 3;

    private final GsdFile file;
    private final Communicator comm;
    /** The major version of the schema. */
    private final int schema;

    /** Chunks of frame 0 by name; {@code null} until a frame is added to a file that already has frame 0. */
    private @Nullable Map<String, Chunk> initial;

    /** Values of frame 0 for this rank's items. */
    private final Map<String, Known> known = new HashMap<>();

    private record Known(long first, long items, Object value) {}

    /** A value that is set in the frame to be added. */
    private record Setting(HoomdQuantity quantity, Object value) {}

    HoomdWriter(GsdFile file) {
        this.file = file;
        this.comm = file.communicator();
        this.schema = file.schemaVersion().major();
    }

    /** Forgets frame 0, because the file has no frames any more. */
    void forget() {
        initial = null;
        known.clear();
    }

    /** Adds a frame. Collective. */
    void append(HoomdFrame frame) throws IOException {
        String operation = "adding of frame " + file.frameCount();
        List<Setting> settings = new ArrayList<>();
        IOException failure = null;
        if (comm.size() == 1) {
            collect(frame, settings);
        } else {
            failure = Agreement.attempt(comm, operation, () -> collect(frame, settings));
        }
        long[] counts = HoomdQuantity.CONTAINERS.stream()
                .mapToLong(container -> Math.max(0, frame.count(container)))
                .toArray();
        RankRows[] rankRows = RankRows.of(comm, operation, counts, signature(frame, settings), false, failure);
        settings.replaceAll(setting -> withTotal(setting, rankRows));
        long[] sums = compare(operation, settings, rankRows);
        for (int i = 0; i < settings.size(); i++) {
            HoomdQuantity quantity = settings.get(i).quantity;
            boolean isInitial = initial != null && initial.containsKey(quantity.name());
            if (sums[SUMS * i] > 0 && (sums[SUMS * i + 1] > 0 || isInitial)) {
                ChunkData data = quantity.encode(settings.get(i).value, schema);
                write(quantity.name(), quantity.container(), data, sums[SUMS * i + 2]);
            }
        }
        for (Map.Entry<String, ChunkData> state : frame.state.entrySet()) {
            write(
                    "state/" + state.getKey(),
                    null,
                    state.getValue(),
                    state.getValue().columns());
        }
        for (Map.Entry<String, ChunkData> logged : frame.log.entrySet()) {
            String name = "log/" + logged.getKey();
            write(
                    name,
                    HoomdQuantity.containerOf(name),
                    logged.getValue(),
                    logged.getValue().columns());
        }
        file.endFrame();
    }

    /** Lists the values that are set, and refuses invalid ones. */
    private void collect(HoomdFrame frame, List<Setting> settings) throws IOException {
        frame.exchange((quantity, value) -> {
            if (value != null) {
                check(frame, quantity, value);
                settings.add(new Setting(quantity, value));
            }
            return value;
        });
        frame.doubles.keySet().forEach(this::checkDouble);
        if (schema > 1 && !frame.state.isEmpty()) {
            throw new IllegalArgumentException("the hoomd schema 2.0 has no state; set state in a file of schema 1.4");
        }
        List<String> types = frame.particles.types;
        frame.state.forEach((name, data) -> HoomdQuantity.checkState(name, data, types == null ? -1 : types.size()));
    }

    private void checkDouble(String name) {
        HoomdQuantity quantity = HoomdQuantity.named(name);
        if (quantity == null || !quantity.allows(ElementType.DOUBLE, schema)) {
            throw new IllegalArgumentException(
                    name + " is not of type double in a file of hoomd schema " + file.schemaVersion());
        }
    }

    private static void check(HoomdFrame frame, HoomdQuantity quantity, Object value) {
        String name = quantity.name();
        if (quantity.isText()) {
            List<?> texts = (List<?>) value;
            if (name.endsWith("/types") && new HashSet<>(texts).size() < texts.size()) {
                throw new IllegalArgumentException(name + " has a name twice: " + texts);
            }
            return;
        }
        int length = Array.getLength(value);
        int items = 1;
        int wanted = quantity.rows();
        if (quantity.container() != null) {
            items = frame.count(quantity.container());
            if (items < 0) {
                throw new IllegalArgumentException(
                        name + " is set, but not how many " + quantity.container() + " there are");
            }
            wanted = Math.multiplyExact(items, quantity.columns());
        }
        if (length != wanted) {
            throw new IllegalArgumentException(name + " has " + length + " elements, wanted are " + wanted);
        }
        if (HoomdQuantity.CONTAINERS.stream().anyMatch(each -> frame.count(each) < -1)) {
            throw new IllegalArgumentException("a number of items is negative");
        }
    }

    /** Returns a number that is equal on ranks that set the same quantities. */
    private long signature(HoomdFrame frame, List<Setting> settings) {
        long hash = 1;
        for (Setting setting : settings) {
            hash = 31 * hash + setting.quantity.name().hashCode();
            hash = 31 * hash + setting.quantity.type(setting.value, schema).id();
        }
        for (String name : frame.state.keySet()) {
            hash = 31 * hash + name.hashCode();
        }
        for (String name : frame.log.keySet()) {
            hash = 37 * hash + name.hashCode();
        }
        return hash;
    }

    /** Replaces the number of items by that of all ranks. */
    private static Setting withTotal(Setting setting, RankRows[] rankRows) {
        for (int i = 0; i < rankRows.length; i++) {
            if (setting.quantity.equals(HoomdQuantity.countOf(HoomdQuantity.CONTAINERS.get(i)))) {
                return new Setting(setting.quantity, new int[] {Math.toIntExact(rankRows[i].total())});
            }
        }
        return setting;
    }

    private long[] compare(String operation, List<Setting> settings, RankRows[] rankRows) throws IOException {
        long[] sums = new long[SUMS * settings.size() + 1];
        IOException failure = Agreement.attempt(comm, operation, () -> {
            if (initial == null && file.frameCount() > 0) {
                initial = HoomdReader.chunks(file, 0);
            }
            for (int i = 0; i < settings.size(); i++) {
                compare(settings.get(i), rankRows, sums, SUMS * i);
            }
        });
        sums[SUMS * settings.size()] = failure == null ? 0 : 1;
        comm.allreduce(sums, Communicator.Op.SUM);
        if (sums[SUMS * settings.size()] > 0) {
            Agreement.agree(comm, operation, failure);
        }
        return sums;
    }

    private void compare(Setting setting, RankRows[] rankRows, long[] sums, int at) throws IOException {
        HoomdQuantity quantity = setting.quantity;
        if (comm.rank() > 0 && quantity.container() == null) {
            return;
        }
        sums[at] = initial != null && isInitial(initial, setting, rankRows) ? 0 : 1;
        sums[at + 1] = quantity.isOtherwise(setting.value) ? 0 : 1;
        sums[at + 2] = comm.rank() == 0 ? quantity.encode(setting.value, schema).columns() : 0;
    }

    /** Returns whether frame 0 has the same value. */
    private boolean isInitial(Map<String, Chunk> chunks, Setting setting, RankRows[] rankRows) throws IOException {
        HoomdQuantity quantity = setting.quantity;
        Chunk chunk = chunks.get(quantity.name());
        String container = quantity.container();
        if (container == null) {
            return chunk == null
                    ? quantity.isOtherwise(setting.value)
                    : HoomdQuantity.same(setting.value, initial(quantity, chunk, 0, chunk.rows()));
        }
        RankRows rows = rankRows[HoomdQuantity.CONTAINERS.indexOf(container)];
        Chunk count = chunks.get(HoomdQuantity.countOf(container).name());
        if (rows.total() != (count == null ? 0 : Integer.toUnsignedLong(count.ints()[0]))) {
            return false;
        }
        if (chunk == null) {
            return quantity.isOtherwise(setting.value);
        }
        long items = Array.getLength(setting.value) / quantity.columns();
        return chunk.rows() == rows.total()
                && HoomdQuantity.same(setting.value, initial(quantity, chunk, rows.first(), items));
    }

    private Object initial(HoomdQuantity quantity, Chunk chunk, long first, long items) throws IOException {
        Known value = known.get(quantity.name());
        if (value == null || value.first != first || value.items != items) {
            ChunkData data = chunk.rows(first, first + items).data();
            value = new Known(first, items, quantity.isText() ? HoomdQuantity.decode(data) : data.array());
            known.put(quantity.name(), value);
        }
        return value.value;
    }

    private void write(String name, @Nullable String container, ChunkData data, long columns) throws IOException {
        Buffer elements = data.buffer();
        int rows = data.rows();
        if (container == null && comm.rank() > 0) {
            elements.limit(0);
            rows = 0;
        }
        file.writeChunk(name, data.type(), elements, rows, columns);
    }
}
