package io.drumlin.format.hdf5.internal;

import io.drumlin.format.hdf5.Datatype;
import io.drumlin.format.hdf5.DatatypeWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Puts object headers of version 1 and their messages into a buffer; docs/formats/fti-hdf5.md, section 3. */
public final class HeaderWriter {

    public static final int DATASPACE = 0x01;
    public static final int DATATYPE = 0x03;
    static final int FILL_VALUE = 0x05;
    public static final int LINK_INFO = 0x02;
    public static final int LINK = 0x06;
    public static final int EXTERNAL_FILES = 0x07;
    public static final int LAYOUT = 0x08;
    public static final int FILTERS = 0x0B;
    static final int ATTRIBUTE = 0x0C;
    public static final int CONTINUATION = 0x10;
    public static final int SYMBOL_TABLE = 0x11;

    /** Flag of a message that never changes. */
    static final int CONSTANT = 1;
    /** Flag of a message that only points to the actual message. */
    public static final int SHARED = 2;

    public static final int CHUNKED = 2;
    public static final int CONTIGUOUS = 1;

    /** Space for elements is allocated when the dataset is made. */
    static final int EARLY = 1;
    /** Space for all elements is allocated when the first are written. */
    static final int LATE = 2;
    /** Space is allocated for one chunk at a time. */
    static final int INCREMENTAL = 3;

    public static final int FLETCHER32 = 3;
    private static final int GZIP = 1;
    private static final int SHUFFLE = 2;

    /** Flag of a filter that may be missing in a chunk. */
    private static final int OPTIONAL = 1;

    /** The undefined address. */
    public static final long UNDEFINED = -1;

    /** Class of the type of a text. */
    private static final int STRING = 3;

    /** A string that ends with NUL, in UTF-8. */
    private static final int UTF8 = 1 << 4;

    private static final int PREFIX = 16;
    private static final int MESSAGE_PREFIX = 8;

    private HeaderWriter() {}

    static long roundUp(long bytes) {
        return (bytes + 7) / 8 * 8;
    }

    private static int message(int data) {
        return MESSAGE_PREFIX + (int) roundUp(data);
    }

    static int size(NewGroup group) {
        return PREFIX + message(16) + size(group.attributes());
    }

    private static int size(Map<String, String> attributes) {
        return attributes.entrySet().stream()
                .mapToInt(each -> message(size(each.getKey(), each.getValue())))
                .sum();
    }

    /** Returns the size of the data of a message: 8 bytes, the name, a type, a dataspace and the value. */
    private static int size(String name, String value) {
        return 8 + DatatypeWriter.padded(name) + 8 + 8 + NewGroup.bytes(value).length + 1;
    }

    static int size(NewDatatype type) {
        return PREFIX + message((int) DatatypeWriter.bytes(type.type()));
    }

    static int size(NewDataset dataset) {
        int rank = dataset.dimensions().size();
        int type = dataset.named().isPresent() ? 10 : (int) DatatypeWriter.bytes(dataset.type());
        int layout = dataset.isContiguous() ? 18 : 3 + 8 + 4 * (rank + 1);
        int filters = dataset.isContiguous() ? 0 : message(filters(dataset));
        return PREFIX
                + message(8 + 16 * rank)
                + message(type)
                + message(8)
                + filters
                + message(layout)
                + size(dataset.attributes());
    }

    /** Returns the size of the data of the message with filters. */
    private static int filters(NewDataset dataset) {
        return dataset.compressor().isPresent() ? 80 : 32;
    }

    private static void begin(ByteBuffer file, int messages, int references, int size) {
        file.put((byte) 1).put((byte) 0).putShort((short) messages);
        file.putInt(references).putInt(size - PREFIX).putInt(0);
    }

    /** Begins a message and leaves the position at its data. */
    private static void beginMessage(ByteBuffer file, int type, int data, int flags) {
        file.putShort((short) type).putShort((short) roundUp(data));
        file.put((byte) flags).put((byte) 0).putShort((short) 0);
    }

    /** Pads a message. */
    private static void endMessage(ByteBuffer file) {
        while (file.position() % 8 != 0) {
            file.put((byte) 0);
        }
    }

    static void put(ByteBuffer file, NewGroup group) {
        begin(file, 1 + group.attributes().size(), 1, size(group));
        beginMessage(file, SYMBOL_TABLE, 16, 0);
        file.putLong(group.tree).putLong(group.heap);
        group.attributes().forEach((name, value) -> putAttribute(file, name, value));
    }

    /** Writes a text as a string that ends with NUL, with one value. */
    private static void putAttribute(ByteBuffer file, String name, String value) {
        byte[] text = NewGroup.bytes(value);
        beginMessage(file, ATTRIBUTE, size(name, value), 0);
        file.put((byte) 1).put((byte) 0);
        file.putShort((short) (NewGroup.bytes(name).length + 1))
                .putShort((short) 8)
                .putShort((short) 8);
        int afterName = file.position() + DatatypeWriter.padded(name);
        file.put(NewGroup.bytes(name)).position(afterName);
        file.put((byte) (1 << 4 | STRING)).put((byte) UTF8).putShort((short) 0);
        file.putInt(text.length + 1);
        // A dataspace of version 1 without dimensions.
        file.put((byte) 1).put(new byte[7]);
        file.put(text).put((byte) 0);
        endMessage(file);
    }

    static void put(ByteBuffer file, NewDatatype type) {
        begin(file, 1, 1 + type.uses, size(type));
        putType(file, type.type());
    }

    private static void putType(ByteBuffer file, Datatype type) {
        ByteBuffer encoding = DatatypeWriter.encoding(type);
        beginMessage(file, DATATYPE, encoding.remaining(), CONSTANT);
        file.put(encoding);
        endMessage(file);
    }

    static void put(ByteBuffer file, NewDataset dataset) {
        begin(file, (dataset.isContiguous() ? 4 : 5) + dataset.attributes().size(), 1, size(dataset));
        putDataspace(file, dataset.dimensions());
        if (dataset.named().isPresent()) {
            beginMessage(file, DATATYPE, 10, CONSTANT | SHARED);
            file.put((byte) 2).put((byte) 2).putLong(dataset.named().get().header);
            endMessage(file);
        } else {
            putType(file, dataset.type());
        }
        // The default: zeros, written when space is allocated.
        beginMessage(file, FILL_VALUE, 8, CONSTANT);
        file.put((byte) 2)
                .put((byte) dataset.allocation())
                .put((byte) 2)
                .put((byte) 1)
                .putInt(0);
        if (dataset.isContiguous()) {
            beginMessage(file, LAYOUT, 18, 0);
            file.put((byte) 3).put((byte) CONTIGUOUS);
            boolean empty = dataset.bytes() == 0;
            file.putLong(empty ? UNDEFINED : dataset.chunks().get(0).offset()).putLong(dataset.bytes());
        } else {
            putChunking(file, dataset);
        }
        endMessage(file);
        dataset.attributes().forEach((name, value) -> putAttribute(file, name, value));
    }

    private static void putDataspace(ByteBuffer file, List<Long> dimensions) {
        beginMessage(file, DATASPACE, 8 + 16 * dimensions.size(), 0);
        file.put((byte) 1)
                .put((byte) dimensions.size())
                .put((byte) 1)
                .put((byte) 0)
                .putInt(0);
        dimensions.forEach(file::putLong);
        // The largest possible dimensions.
        dimensions.forEach(file::putLong);
    }

    private static void putChunking(ByteBuffer file, NewDataset dataset) {
        Optional<ChunkCompressor> compressor = dataset.compressor();
        beginMessage(file, FILTERS, filters(dataset), CONSTANT);
        file.put((byte) 1)
                .put((byte) (compressor.isPresent() ? 3 : 1))
                .putShort((short) 0)
                .putInt(0);
        compressor.ifPresent(each -> {
            putFilter(file, SHUFFLE, "shuffle", OPTIONAL, each.elementSize());
            putFilter(file, GZIP, "deflate", OPTIONAL, each.level());
        });
        putFilter(file, FLETCHER32, "fletcher32", 0);
        List<Long> chunk = dataset.shape().chunk();
        beginMessage(file, LAYOUT, 3 + 8 + 4 * (chunk.size() + 1), 0);
        file.put((byte) 3).put((byte) CHUNKED).put((byte) (chunk.size() + 1)).putLong(dataset.tree);
        chunk.forEach(along -> file.putInt((int) (long) along));
        file.putInt(dataset.type().size());
    }

    private static void putFilter(ByteBuffer file, int filter, String name, int flags, int... parameters) {
        file.putShort((short) filter).putShort((short) DatatypeWriter.padded(name));
        file.putShort((short) flags).putShort((short) parameters.length);
        file.put(NewGroup.bytes(name));
        endMessage(file);
        for (int parameter : parameters) {
            file.putInt(parameter);
        }
        endMessage(file);
    }
}
