package io.drumlin.format.gsd.internal;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The used entries of an index block; docs/formats/gsd.md, sections 3 and 7. They stay in the source. Pages of it are
 * read when they are needed, and at most 64 MiB of them are kept. Not thread-safe.
 */
public final class GsdIndex {

    private static final int PAGE_ENTRIES = 128;
    private static final int PAGES = 16384;

    private final ByteSource source;
    private final long location;
    private final boolean sorted;
    private final IndexEntry.Limits limits;
    private final @Nullable Page[] pages;
    private long used;

    /** Neighbouring entries in the form of the source. */
    private record Page(long number, ByteBuffer bytes) {}

    private GsdIndex(ByteSource source, Header header, int names) {
        this.source = source;
        this.location = header.indexLocation();
        this.sorted = !header.gsdVersion().hasSlots();
        this.limits = new IndexEntry.Limits(source.size(), header.indexAllocatedEntries(), names);
        long all = (limits.allocatedEntries() + PAGE_ENTRIES - 1) / PAGE_ENTRIES;
        this.pages = new @Nullable Page[(int) Math.min(PAGES, all)];
    }

    /**
     * Opens an index. The cost grows with the logarithm of its size.
     *
     * @param source the whole file
     * @param header a header that was checked against the file
     * @param names number of names
     * @return the index
     * @throws FormatException an entry that the search met is wrong
     * @throws IOException the source cannot be read
     */
    static GsdIndex open(ByteSource source, Header header, int names) throws IOException {
        GsdIndex index = new GsdIndex(source, header, names);
        index.used = index.countUsed();
        return index;
    }

    /** Makes the index of a file whose writer knows the number of entries. */
    static GsdIndex written(ByteSource source, Header header, int names, long used) {
        GsdIndex index = new GsdIndex(source, header, names);
        index.used = used;
        return index;
    }

    /** Determines the number of used slots by bisection, and checks the entries that it meets. */
    private long countUsed() throws IOException {
        IndexEntry first = slot(0);
        if (!first.isUsed()) {
            return 0;
        }
        first.checkAsReference(limits, 0, offset(0));
        long left = 0;
        long right = limits.allocatedEntries();
        do {
            long middle = (left + right) >>> 1;
            IndexEntry entry = slot(middle);
            if (entry.isUsed()) {
                entry.checkAsReference(limits, middle, offset(middle));
                checkOrder(slot(left), entry, middle);
                left = middle;
            } else {
                right = middle;
            }
        } while (right - left > 1);
        return right;
    }

    private void checkOrder(IndexEntry before, IndexEntry entry, long slot) throws FormatException {
        if (Long.compareUnsigned(entry.frame(), before.frame()) < 0) {
            throw new FormatException(
                    GsdMetadata.FORMAT,
                    new Finding(
                            "frame",
                            offset(slot),
                            "of index entry " + slot + " is " + entry.frame() + ", less than " + before.frame()
                                    + " of an entry before it"));
        }
    }

    /**
     * Returns the number of used slots.
     *
     * @return number of entries
     */
    public long used() {
        return used;
    }

    /**
     * Returns the limits against which entries are checked.
     *
     * @return the limits of the file
     */
    public IndexEntry.Limits limits() {
        return limits;
    }

    /**
     * Returns the offset of an entry.
     *
     * @param slot number of the entry
     * @return byte offset in the file
     */
    public long offset(long slot) {
        return location + slot * IndexEntry.BYTES;
    }

    /**
     * Returns the number of frames.
     *
     * @return one more than the frame of the last entry; 0 without entries
     * @throws IOException the source cannot be read
     */
    public long frames() throws IOException {
        return used == 0 ? 0 : slot(used - 1).frame() + 1;
    }

    /**
     * Returns an entry as it is in the file. {@link IndexEntry#check} tells whether its data can be read.
     *
     * @param slot 0 to the number of allocated entries - 1
     * @return the entry
     * @throws IOException the source cannot be read
     */
    public IndexEntry slot(long slot) throws IOException {
        long number = slot / PAGE_ENTRIES;
        int place = (int) (number % pages.length);
        Page page = pages[place];
        if (page == null || page.number() != number) {
            page = read(number);
            pages[place] = page;
        }
        return IndexEntry.decode(page.bytes(), (int) (slot % PAGE_ENTRIES) * IndexEntry.BYTES);
    }

    private Page read(long number) throws IOException {
        long first = number * PAGE_ENTRIES;
        int entries = (int) Math.min(PAGE_ENTRIES, limits.allocatedEntries() - first);
        ByteBuffer bytes = ByteBuffer.allocate(entries * IndexEntry.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        source.readFully(offset(first), bytes);
        return new Page(number, bytes);
    }

    /**
     * Finds an entry by bisection, in the C library's way. If several have the same name, this determines which one is
     * found.
     *
     * @param frame number of the frame
     * @param id number of the name
     * @return its slot, or empty
     * @throws IOException the source cannot be read
     */
    public OptionalLong find(long frame, int id) throws IOException {
        return sorted ? findSorted(frame, id) : findInFrame(frame, id);
    }

    private OptionalLong findSorted(long frame, int id) throws IOException {
        long low = 0;
        long high = used - 1;
        while (low <= high) {
            long middle = (low + high) >>> 1;
            IndexEntry entry = slot(middle);
            int order = Long.compareUnsigned(entry.frame(), frame);
            order = order == 0 ? Integer.compare(entry.id(), id) : order;
            if (order == 0) {
                return OptionalLong.of(middle);
            } else if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return OptionalLong.empty();
    }

    /** Finds an entry in a frame of version 1.0, where the last entry of a name counts. */
    private OptionalLong findInFrame(long frame, int id) throws IOException {
        long left = 0;
        long right = used;
        while (right - left > 1) {
            long middle = (left + right) >>> 1;
            if (Long.compareUnsigned(frame, slot(middle).frame()) < 0) {
                right = middle;
            } else {
                left = middle;
            }
        }
        for (long slot = left; slot >= 0 && slot < used; slot--) {
            IndexEntry entry = slot(slot);
            if (entry.frame() != frame) {
                break;
            }
            if (entry.id() == id) {
                return OptionalLong.of(slot);
            }
        }
        return OptionalLong.empty();
    }

    /**
     * Returns the first slot after a frame. The entries of a frame extend from {@code firstAfter(frame - 1)} to before
     * {@code firstAfter(frame)}.
     *
     * @param frame number of a frame; -1 gives 0
     * @return the first slot of a later frame, or {@link #used()}
     * @throws IOException the source cannot be read
     */
    public long firstAfter(long frame) throws IOException {
        long low = 0;
        long high = frame < 0 ? 0 : used;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (Long.compareUnsigned(slot(middle).frame(), frame) > 0) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
