package io.drumlin.format.gsd.internal;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.gsd.Version;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names of chunks in the order of their ids; docs/formats/gsd.md, section 4. Not thread-safe.
 *
 * <p>Names are bytes. Names in UTF-8 can be found by their text; others can only be read.
 */
public final class NameList {

    /** Largest number of names in a file. */
    public static final int LIMIT = 65535;

    /** Largest size in bytes of a name in a slot of version 1.0, without the NUL. */
    public static final int SLOT_NAME_BYTES = Header.NAME_UNIT - 1;

    private static final int PIECE = 1 << 16;

    private final boolean slots;
    private final List<byte[]> names = new ArrayList<>();
    private final Map<String, Integer> ids = new HashMap<>();
    private long bytes;

    /**
     * Makes an empty list.
     *
     * @param version version of the file, which determines how names are stored
     */
    public NameList(Version version) {
        this.slots = version.hasSlots();
    }

    /**
     * Returns the same names for a file of another version.
     *
     * @param version version of the file
     * @return a new list
     */
    public NameList convertedTo(Version version) {
        NameList converted = new NameList(version);
        names.forEach(converted::append);
        return converted;
    }

    /**
     * Reads the list. Needs no more memory than the names before the first empty one.
     *
     * @param source the whole file
     * @param header a header that was checked against the file
     * @return the names
     * @throws FormatException the block does not end with a NUL, or has more than 2 GiB of names
     * @throws IOException the source cannot be read
     */
    static NameList read(ByteSource source, Header header) throws IOException {
        long start = header.namelistLocation();
        long end = start + header.namelistAllocatedEntries() * Header.NAME_UNIT;
        ByteBuffer last = ByteBuffer.allocate(1);
        source.readFully(end - 1, last);
        if (last.get(0) != 0) {
            throw new FormatException(
                    GsdMetadata.FORMAT, new Finding("name block", end - 1, "does not end with a NUL byte"));
        }
        NameList list = new NameList(header.gsdVersion());
        ByteArrayOutputStream name = new ByteArrayOutputStream();
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE, end - start));
        for (long at = start; at < end; at += piece.limit()) {
            piece.clear().limit((int) Math.min(piece.capacity(), end - at));
            source.readFully(at, piece);
            if (!(list.slots ? list.takeSlots(piece.flip()) : list.takeStrings(piece.flip(), name))) {
                return list;
            }
            if (list.bytes + name.size() > Integer.MAX_VALUE / 2) {
                throw new FormatException(
                        GsdMetadata.FORMAT, new Finding("name block", start, "has more names than can be read"));
            }
        }
        return list;
    }

    /** Returns false at the end of the list, like the other method. */
    private boolean takeSlots(ByteBuffer piece) {
        while (piece.hasRemaining()) {
            byte[] slot = new byte[Header.NAME_UNIT];
            piece.get(slot);
            int length = 0;
            while (length < SLOT_NAME_BYTES && slot[length] != 0) {
                length++;
            }
            if (length == 0) {
                return false;
            }
            append(Arrays.copyOf(slot, length));
        }
        return true;
    }

    private boolean takeStrings(ByteBuffer piece, ByteArrayOutputStream name) {
        while (piece.hasRemaining()) {
            byte next = piece.get();
            if (next != 0) {
                name.write(next);
            } else if (name.size() == 0) {
                return false;
            } else {
                append(name.toByteArray());
                name.reset();
            }
        }
        return true;
    }

    /**
     * Returns the number of names.
     *
     * @return 0 or more; ids above {@link #LIMIT} cannot be used
     */
    public int size() {
        return names.size();
    }

    /**
     * Returns the id of a name.
     *
     * @param name its text
     * @return the lowest id, or -1 if there is no such name
     */
    public int id(String name) {
        return ids.getOrDefault(name, -1);
    }

    /**
     * Returns the name of an id.
     *
     * @param id 0 to {@link #size()} - 1
     * @return its text; bytes that are not UTF-8 are replaced
     */
    public String name(int id) {
        return new String(names.get(id), StandardCharsets.UTF_8);
    }

    /**
     * Returns the bytes of a name.
     *
     * @param id 0 to {@link #size()} - 1
     * @return a copy
     */
    public byte[] bytes(int id) {
        return names.get(id).clone();
    }

    /**
     * Adds a name, even if the list has it already. Slots of version 1.0 keep 63 bytes of it.
     *
     * @param name not empty and without NUL
     * @return its id
     */
    public int add(String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        append(slots && utf8.length > SLOT_NAME_BYTES ? Arrays.copyOf(utf8, SLOT_NAME_BYTES) : utf8);
        return names.size() - 1;
    }

    private void append(byte[] name) {
        String text = new String(name, StandardCharsets.UTF_8);
        if (Arrays.equals(name, text.getBytes(StandardCharsets.UTF_8))) {
            ids.putIfAbsent(text, names.size());
        }
        names.add(name);
        bytes += stored(name);
    }

    /**
     * Returns the number of bytes that all names take in the name block.
     *
     * @return 64 for each name in version 1.0, the length of each plus one in versions 2.x
     */
    public long bytes() {
        return bytes;
    }

    /**
     * Returns the names in their stored form.
     *
     * @param first id of the first name
     * @return the stored bytes of that name and all later ones
     */
    public ByteBuffer encode(int first) {
        int length = 0;
        for (byte[] name : names.subList(first, names.size())) {
            length = Math.addExact(length, stored(name));
        }
        ByteBuffer encoded = ByteBuffer.allocate(length);
        for (byte[] name : names.subList(first, names.size())) {
            int start = encoded.position();
            encoded.put(name).position(start + stored(name));
        }
        return encoded.flip();
    }

    private int stored(byte[] name) {
        return slots ? Header.NAME_UNIT : name.length + 1;
    }
}
