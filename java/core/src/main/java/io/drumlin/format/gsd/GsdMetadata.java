package io.drumlin.format.gsd;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import java.io.IOException;

/**
 * What a file says of itself.
 *
 * @param header the first 256 bytes
 * @param names the names of chunks
 * @param index the entries, which stay in the source
 */
public record GsdMetadata(Header header, NameList names, GsdIndex index) {

    /** The format's name in messages. */
    public static final String FORMAT = "GSD";

    /**
     * Reads header and names and opens the index; docs/formats/gsd.md, section 7. Accepts what the C library accepts,
     * entries that it would come upon later included: {@link GsdVerifier} checks all.
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
     * The metadata of a file that is being written. Nothing is checked: as in the C library, a writer finds also what
     * could not be opened again.
     *
     * @param source the whole file; entries are read from it later
     * @param header of the file
     * @param names of the file
     * @param used how many entries the index has
     * @return the metadata
     */
    public static GsdMetadata written(ByteSource source, Header header, NameList names, long used) {
        return new GsdMetadata(header, names, GsdIndex.written(source, header, names.size(), used));
    }
}
