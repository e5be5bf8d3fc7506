package io.drumlin.format.gsd.internal;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import java.io.IOException;

/**
 * The metadata of a file.
 *
 * @param header the first 256 bytes
 * @param names the names of chunks
 * @param index the entries, which stay in the source
 */
public record GsdMetadata(Header header, NameList names, GsdIndex index) {

    /** The format's name in messages. */
    public static final String FORMAT = "GSD";

    /**
     * Reads header and names and opens the index; docs/formats/gsd.md, section 7. Accepts everything that the C library
     * accepts, including bad entries that it would only meet later. {@link GsdVerifier} checks all entries.
     *
     * @param source the whole file; entries are read from it later
     * @return the metadata
     * @throws FormatException the first field that is wrong
     * @throws IOException the source cannot be read
     */
    public static GsdMetadata read(ByteSource source) throws IOException {
        Header header = Header.read(source);
        NameList names = NameList.read(source, header);
        return new GsdMetadata(header, names, GsdIndex.open(source, header, names.size()));
    }

    /**
     * Makes the metadata of a file that is being written. Nothing is checked. As in the C library, a writer also finds
     * chunks of a file that could not be opened again.
     *
     * @param source the whole file; entries are read from it later
     * @param header the header of the file
     * @param names the names of the file
     * @param used number of entries in the index
     * @return the metadata
     */
    public static GsdMetadata written(ByteSource source, Header header, NameList names, long used) {
        return new GsdMetadata(header, names, GsdIndex.written(source, header, names.size(), used));
    }
}
