package io.drumlin.format.gsd.internal;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.internal.FindingSink;
import java.io.IOException;

/** Checks every entry of an index; opening a file checks only those that it meets. The data have no checksum. */
public final class GsdVerifier {

    private final Header header;
    private final GsdIndex index;

    /**
     * Makes a verifier of one file.
     *
     * @param metadata the metadata of the file
     */
    public GsdVerifier(GsdMetadata metadata) {
        this.header = metadata.header();
        this.index = metadata.index();
    }

    /**
     * Opens a file and checks all of it.
     *
     * @param source the whole file
     * @param problems receives all faults
     * @throws FormatException thrown by {@code problems}
     * @throws IOException the source cannot be read
     */
    public static void verify(ByteSource source, FindingSink problems) throws IOException {
        GsdMetadata metadata;
        try {
            metadata = GsdMetadata.read(source);
        } catch (FormatException e) {
            problems.add(e.finding());
            return;
        }
        new GsdVerifier(metadata).verify(problems);
    }

    /**
     * Checks all entries: fields, order, unused slots among them, and data that overlap the index or the names.
     *
     * @param problems receives all faults
     * @throws FormatException thrown by {@code problems}
     * @throws IOException the source cannot be read
     */
    public void verify(FindingSink problems) throws IOException {
        IndexEntry before = null;
        for (long slot = 0; slot < index.used(); slot++) {
            IndexEntry entry = index.slot(slot);
            if (!entry.isUsed()) {
                add(problems, "location", slot, "is 0, but entries follow");
                continue;
            }
            boolean sound = entry.check(index.limits(), slot, index.offset(slot), problems);
            if (before != null) {
                checkOrder(before, entry, slot, problems);
            }
            if (sound) {
                checkPlace(entry, slot, problems);
            }
            before = entry;
        }
        for (long slot = index.used(); slot < header.indexAllocatedEntries(); slot++) {
            if (index.slot(slot).isUsed()) {
                add(problems, "location", slot, "is not 0, but the index ended before it");
            }
        }
    }

    private void checkOrder(IndexEntry before, IndexEntry entry, long slot, FindingSink problems)
            throws FormatException {
        int frames = Long.compareUnsigned(entry.frame(), before.frame());
        if (frames < 0) {
            add(problems, "frame", slot, "is " + entry.frame() + ", less than " + before.frame() + " before it");
        } else if (frames == 0 && !header.gsdVersion().hasSlots() && entry.id() <= before.id()) {
            String problem = entry.id() == before.id() ? "twice in frame " : "not in order in frame ";
            add(problems, "id", slot, "is " + entry.id() + ", " + problem + entry.frame());
        }
    }

    private void checkPlace(IndexEntry entry, long slot, FindingSink problems) throws FormatException {
        long end = entry.location() + entry.rows() * entry.rowBytes();
        long indexEnd = header.indexLocation() + header.indexAllocatedEntries() * IndexEntry.BYTES;
        long namesEnd = header.namelistLocation() + header.namelistAllocatedEntries() * Header.NAME_UNIT;
        if (end > entry.location()
                && (overlap(entry.location(), end, header.indexLocation(), indexEnd)
                        || overlap(entry.location(), end, 0, Header.BYTES)
                        || overlap(entry.location(), end, header.namelistLocation(), namesEnd))) {
            add(
                    problems,
                    "location",
                    slot,
                    "is " + entry.location() + ": the data lie in the header, the index or the names");
        }
    }

    private static boolean overlap(long start, long end, long otherStart, long otherEnd) {
        return start < otherEnd && otherStart < end;
    }

    private void add(FindingSink problems, String field, long slot, String problem) throws FormatException {
        problems.add(new Finding(field, index.offset(slot), "of index entry " + slot + " " + problem));
    }
}
