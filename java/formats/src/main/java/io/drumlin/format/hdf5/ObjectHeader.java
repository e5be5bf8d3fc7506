package io.drumlin.format.hdf5;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.internal.HeaderWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The messages of an object header of version 1; docs/formats/fti-hdf5.md, section 3. */
final class ObjectHeader {

    private static final int PREFIX = 16;

    private final List<Message> messages = new ArrayList<>();
    private final long address;

    /** A message. Reading its data moves their cursor, so they can be read once. */
    private record Message(int type, int flags, Window data) {}

    private ObjectHeader(long address) {
        this.address = address;
    }

    static ObjectHeader read(ByteSource file, long address) throws IOException {
        ObjectHeader header = new ObjectHeader(address);
        Window prefix = Window.of(file, "object header", address, PREFIX);
        int version = prefix.u8("version of the object header");
        if (version == 'O' && prefix.u8("object header") == 'H') {
            throw Window.unsupported("version of the object header", address, "is newer than 1");
        }
        if (version != 1) {
            throw Window.wrong("version of the object header", address, "is " + version + ", not 1");
        }
        prefix.skip("object header", 1);
        int count = prefix.u16("number of messages");
        prefix.u32("reference count");
        long size = prefix.u32("size of the object header");
        Set<Long> blocks = new HashSet<>();
        List<Window> waiting = new ArrayList<>();
        waiting.add(Window.of(file, "object header", address + PREFIX, size));
        while (!waiting.isEmpty() && header.messages.size() < count) {
            Window block = waiting.remove(0);
            if (!blocks.add(block.offset())) {
                throw Window.wrong("continuation of the object header", block.offset(), "it was there before");
            }
            header.readBlock(file, block, count, waiting);
        }
        if (header.messages.size() < count) {
            throw Window.wrong(
                    "number of messages", address, "is " + count + ", and there are " + header.messages.size());
        }
        return header;
    }

    private void readBlock(ByteSource file, Window block, int count, List<Window> waiting) throws IOException {
        while (block.remaining() >= 8 && messages.size() < count) {
            int type = block.u16("message type");
            int size = block.u16("message size");
            int flags = block.u8("message flags");
            Window data = block.skip("message", 3).part("message " + type, size);
            if (type == HeaderWriter.CONTINUATION) {
                long at = data.u64("continuation address");
                waiting.add(Window.of(file, "continuation of the object header", at, data.u64("continuation length")));
            }
            messages.add(new Message(type, flags, data));
        }
    }

    /** Returns the data of the first message of a type. */
    Optional<Window> find(int type) {
        return messages.stream()
                .filter(each -> each.type == type)
                .map(Message::data)
                .findFirst();
    }

    /** Returns the data of the first message of a type, which must be there. */
    Window need(int type, String what) throws FormatException {
        return find(type).orElseThrow(() -> Window.wrong(what, address, "it is missing"));
    }

    /** Checks that this is no group of the newer kind, whose members are in messages or in a heap. */
    void requireNoLinks(String path) throws FormatException {
        if (find(HeaderWriter.LINK_INFO).isPresent() || find(HeaderWriter.LINK).isPresent()) {
            throw Window.unsupported("links of " + path + "/", address, "the group has links in place of symbols");
        }
    }

    /** Returns whether the message of a type only points to the actual message. */
    boolean isShared(int type) {
        return messages.stream()
                .filter(each -> each.type == type)
                .findFirst()
                .filter(each -> (each.flags & HeaderWriter.SHARED) != 0)
                .isPresent();
    }
}
