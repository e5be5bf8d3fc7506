package io.drumlin.scr.internal.index;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.store.KvFields;
import java.util.OptionalLong;

/**
 * A file of a dataset.
 *
 * @param path below the prefix directory; in datasets of SCR 1.1 below the dataset's own directory
 * @param size size in bytes; SCR 3 does not store it
 * @param crc CRC32 of all bytes; SCR 3 does not store it
 */
public record DatasetFile(String path, OptionalLong size, OptionalLong crc) {

    static DatasetFile of(String path, KvTree tree) {
        return new DatasetFile(path, KvFields.number(tree, "SIZE"), KvFields.number(tree, "CRC"));
    }

    void addTo(KvTree files) {
        KvTree tree = files.add(path);
        size.ifPresent(bytes -> tree.set("SIZE", bytes));
        crc.ifPresent(value -> tree.set("CRC", hexadecimal(value)));
    }

    /** Formats a CRC like C's {@code %#lx}. */
    public static String hexadecimal(long crc) {
        return crc == 0 ? "0" : "0x" + Long.toHexString(crc);
    }
}
