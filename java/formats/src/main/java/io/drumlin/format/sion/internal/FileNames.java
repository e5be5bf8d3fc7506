package io.drumlin.format.sion.internal;

import java.util.Locale;

/** The names of the physical files of a set; docs/formats/sion.md, section 6. */
public final class FileNames {

    private FileNames() {}

    /**
     * Returns the name of a physical file of a set.
     *
     * @param name name of the set
     * @param fileNumber number of the file, 0 or above
     * @return the name itself for the first file
     */
    public static String member(String name, int fileNumber) {
        return fileNumber == 0 ? name : name + String.format(Locale.ROOT, ".%06d", fileNumber);
    }

    /**
     * Returns the name of a set of buddy copies.
     *
     * @param name name of the copied set
     * @param copy 0 for the first copy
     * @return the name of the set of copies, from which {@link #member} makes the name of a file
     */
    public static String buddy(String name, int copy) {
        return name + String.format(Locale.ROOT, "_BUDDY_%02d", copy);
    }
}
