package io.drumlin.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.gsd.internal.Elements;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the values of frames by the rules of the schema; docs/formats/gsd.md, section 13. */
final class HoomdReader {

    private static final String STATE = "state/";
    private static final String LOG = "log/";
    private static final String STEP = "configuration/step";

    private static final long MOST_ELEMENTS = Integer.MAX_VALUE - 8;

    private final GsdFile file;
    /** Chunks of frame 0 by name. */
    private final Map<String, Chunk> first;

    /** The chunks that a frame has. */
    @FunctionalInterface
    private interface Present {
        @Nullable
        Chunk chunk(String name) throws IOException;
    }

    HoomdReader(GsdFile file) throws IOException {
        this.file = file;
        this.first = file.frameCount() == 0 ? Map.of() : chunks(file, 0);
    }

    /** Returns the chunks of a frame by name, in the order of the index. */
    static Map<String, Chunk> chunks(GsdFile file, long frame) throws IOException {
        Map<String, Chunk> chunks = new LinkedHashMap<>();
        for (Chunk chunk : file.frame(frame).chunks()) {
            chunks.put(chunk.name(), chunk);
        }
        return chunks;
    }

    HoomdFrame read(long number) throws IOException {
        Map<String, Chunk> present = number == 0 ? first : chunks(file, number);
        HoomdFrame frame = new HoomdFrame();
        frame.exchange((quantity, ignored) -> value(present::get, quantity));
        for (String name : file.names(STATE)) {
            Chunk chunk = present.get(name);
            if (chunk != null) {
                frame.state.put(name.substring(STATE.length()), chunk.data());
            }
        }
        for (String name : file.names(LOG)) {
            Chunk chunk = present.containsKey(name) ? present.get(name) : first.get(name);
            if (chunk != null) {
                frame.log.put(name.substring(LOG.length()), chunk.data());
            }
        }
        return frame;
    }

    /** Returns the logged quantities that have a value in all frames. */
    List<String> logNames() {
        return file.names(LOG).stream().filter(first::containsKey).toList();
    }

    private Object value(Present present, HoomdQuantity quantity) throws IOException {
        Chunk chunk = source(present, quantity);
        if (chunk == null) {
            return quantity.otherwise(quantity.container() == null ? 1 : items(present, quantity.container()));
        }
        ChunkData data = chunk.data();
        return quantity.isText() ? HoomdQuantity.decode(data) : data.array();
    }

    /**
     * Returns the chunk that holds a quantity's value, of the frame itself or of frame 0; {@code null} for the default.
     */
    private @Nullable Chunk source(Present present, HoomdQuantity quantity) throws IOException {
        String container = quantity.container();
        int items = container == null ? 0 : items(present, container);
        Chunk chunk = present.chunk(quantity.name());
        if (chunk == null && (container == null || items == items(first::get, container))) {
            chunk = first.get(quantity.name());
        }
        if (chunk != null) {
            check(quantity, chunk, container == null ? quantity.rows() : items);
        }
        return chunk;
    }

    /**
     * Returns the number of items of a container. It must not exceed the bytes of the file, because defaults may be
     * made for so many items.
     */
    private int items(Present present, String container) throws IOException {
        HoomdQuantity quantity = HoomdQuantity.countOf(container);
        Chunk chunk = present.chunk(quantity.name());
        if (chunk == null) {
            chunk = first.get(quantity.name());
        }
        if (chunk == null) {
            return 0;
        }
        check(quantity, chunk, 1);
        int items = chunk.ints()[0];
        if (items < 0 || items > file.size()) {
            throw wrong(chunk, "is " + Integer.toUnsignedString(items) + ", more than the file has bytes");
        }
        return items;
    }

    private void check(HoomdQuantity quantity, Chunk chunk, int rows) throws DrumlinException {
        boolean shape = quantity.isText() || (chunk.rows() == rows && chunk.columns() == quantity.columns());
        if (!shape || !quantity.allows(chunk.type(), file.schemaVersion().major())) {
            throw wrong(
                    chunk,
                    "has " + chunk.rows() + " rows of " + chunk.columns() + " elements of type "
                            + chunk.type().label() + ", the schema wants " + (quantity.isText() ? "any" : rows)
                            + " of " + quantity.columns() + " of type "
                            + quantity.type().label());
        }
    }

    private DrumlinException wrong(Chunk chunk, String problem) {
        return DrumlinException.during("reading a hoomd frame")
                .path(file.path())
                .problem("chunk " + chunk.name() + " of frame " + chunk.frame() + " " + problem)
                .exception();
    }

    /** Returns the values of consecutive frames, one after the other. */
    ChunkData series(String name, long from, long to) throws IOException {
        HoomdQuantity quantity = HoomdQuantity.named(name);
        if (quantity != null && quantity.isText()) {
            throw new IllegalArgumentException(name + " are texts, of which there is no series");
        }
        List<@Nullable Chunk> chunks = new ArrayList<>();
        for (long frame = from; frame < to; frame++) {
            chunks.add(quantity == null ? freeSource(frame, name) : source(present(frame), quantity));
        }
        Chunk like = chunks.isEmpty() ? null : chunks.get(0);
        ElementType type = type(quantity, chunks);
        long columns = quantity != null ? quantity.columns() : like != null ? like.columns() : 1;
        long rows = chunks.isEmpty() ? 0 : rows(from, like, quantity);
        if (columns > Integer.MAX_VALUE || rows > MOST_ELEMENTS / columns / Math.max(1, chunks.size())) {
            throw DrumlinException.during("reading " + name + " of " + (to - from) + " frames")
                    .path(file.path())
                    .problem(rows + " rows of " + columns + " elements of so many frames do not fit an array")
                    .advice("read fewer frames at once")
                    .exception();
        }
        int length = (int) (rows * columns);
        Object values = Elements.array(type, chunks.size() * length);
        for (int i = 0; i < chunks.size(); i++) {
            Chunk chunk = chunks.get(i);
            boolean alike = chunk == null || quantity != null || (chunk.type() == type && chunk.columns() == columns);
            if (!alike || rows(from + i, chunk, quantity) != rows) {
                throw unlike(name, from, from + i);
            }
            if (chunk != null && chunk.type().bytes() == type.bytes()) {
                chunk.readInto(values, i * length);
            } else if (quantity != null) {
                Object row = chunk != null ? chunk.floats() : quantity.otherwise((int) rows);
                boolean wider = type == ElementType.DOUBLE && row instanceof float[];
                System.arraycopy(wider ? HoomdQuantity.widened((float[]) row) : row, 0, values, i * length, length);
            }
        }
        return ChunkData.of(type, values, (int) columns);
    }

    /** Returns the type of a series: double if any frame has doubles. */
    private static ElementType type(@Nullable HoomdQuantity quantity, List<@Nullable Chunk> chunks) {
        for (Chunk chunk : chunks) {
            if (chunk != null && (quantity == null || chunk.type() == ElementType.DOUBLE)) {
                return chunk.type();
            }
        }
        return quantity == null ? ElementType.DOUBLE : quantity.type();
    }

    /** Returns the texts of consecutive frames. */
    List<String> texts(String name, long from, long to) throws IOException {
        List<String> texts = new ArrayList<>();
        for (long frame = from; frame < to; frame++) {
            texts.add(freeSource(frame, name).text());
        }
        return texts;
    }

    /** Returns the logged quantities of consecutive frames whose names match a pattern. */
    HoomdLog log(String pattern, long from, long to) throws IOException {
        Pattern wanted = HoomdLog.pattern(pattern);
        Map<String, ChunkData> numbers = new LinkedHashMap<>();
        Map<String, List<String>> texts = new LinkedHashMap<>();
        for (String name : logNames()) {
            String shown = name.substring(LOG.length());
            if (!wanted.matcher(shown).matches()) {
                continue;
            }
            if (Objects.requireNonNull(first.get(name)).type() == ElementType.CHARACTER) {
                texts.put(shown, texts(name, from, to));
            } else {
                numbers.put(shown, series(name, from, to));
            }
        }
        return new HoomdLog(series(STEP, from, to), numbers, texts);
    }

    private Present present(long frame) {
        return name -> file.findChunk(frame, name).orElse(null);
    }

    private long rows(long frame, @Nullable Chunk chunk, @Nullable HoomdQuantity quantity) throws IOException {
        if (chunk != null || quantity == null) {
            return chunk == null ? 0 : chunk.rows();
        }
        String container = quantity.container();
        return container == null ? quantity.rows() : items(present(frame), container);
    }

    /** Returns a chunk of a frame for which the schema has no default. */
    private Chunk freeSource(long frame, String name) throws IOException {
        Chunk chunk = file.findChunk(frame, name).orElse(name.startsWith(LOG) ? first.get(name) : null);
        if (chunk == null) {
            throw DrumlinException.during("reading " + name + " of frame " + frame)
                    .path(file.path())
                    .problem("neither this frame nor the first one has it")
                    .advice("read frames that have it")
                    .exception();
        }
        return chunk;
    }

    private DrumlinException unlike(String name, long from, long frame) {
        return DrumlinException.during("reading " + name + " of several frames")
                .path(file.path())
                .problem("frame " + frame + " has another number of rows, or another type, than frame " + from)
                .advice("read the frames with equal numbers at once, or one frame at a time")
                .exception();
    }
}
