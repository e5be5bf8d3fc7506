package io.drumlin.format.sion;

import java.util.Locale;

/** What the physical files of a set are called; docs/formats/sion.md, section 6. */
public final class FileNames {

    private FileNames() {}

    /**
     * A physical file of a set.
     *
     * @param name of the set
     * @param fileNumber 0 or above
     * @return the name itself for the first file
     */
    public static String member(String name, int fileNumber) {
        return fileNumber == 0 ? name : name + String.format(Locale.ROOT, ".%06d", fileNumber);
    }

    /**
     * A set of buddy copies.
     *
     * @param name of the set that is copied
     * @param copy 0 for the first copy
     * @return the name of the copied set, of which {@link #member} makes that of a file
     */
    public static String buddy(String name, int copy) {
        return name + String.format(Locale.ROOT, "_BUDDY_%02d", copy);
    }
}
