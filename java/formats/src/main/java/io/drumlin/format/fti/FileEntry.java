package io.drumlin.format.fti;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of the file of one member of a group; docs/formats/fti-posix.md, section 3.
 *
 * @param name the file's name, without a directory; in MPI-IO mode the name that a file of this rank alone would have
 * @param size size of the file in bytes; of the rank's block in a file of all ranks
 * @param maxSize size in bytes of the largest file of the group
 * @param checksum MD5 of the file, 32 lower-case hexadecimal digits; empty or meaningless in some modes
 * @param variables the variables in the order of first protection
 * @param layers the layers of a differential checkpoint; otherwise empty
 * @param rsedChecksum MD5 of the rank's encoded file, 32 lower-case hexadecimal digits; at level 3 only
 * @param ownChecksum MD5 of the file if {@code checksum} is empty; only Drumlin writes it
 * @param stripedChecksum striped MD5 of the file, in place of the others or beside one of them, 32 lower-case hexadecimal
 *     digits; only Drumlin writes it
 * @param rank the rank whose block it is, where the name is that of a file of all ranks; -1 where the name tells it, and
 *     in files of C FTI
 */
public record FileEntry(
        String name,
        long size,
        long maxSize,
        String checksum,
        List<VariableEntry> variables,
        List<LayerEntry> layers,
        @Nullable String rsedChecksum,
        @Nullable String ownChecksum,
        @Nullable String stripedChecksum,
        int rank) {

    /** Drumlin's own key; C FTI ignores it. */
    static final String OWN_CHECKSUM = "drumlin_checksum";

    /** Another one. */
    static final String STRIPED_CHECKSUM = "drumlin_striped_checksum";

    /** Another one. */
    static final String RANK = "drumlin_rank";

    private static final int DRAIN_LENGTH = 1 << 16;

    /**
     * Copies the lists.
     *
     * @param name the name
     * @param size size in bytes
     * @param maxSize size in bytes of the largest
     * @param checksum MD5 or empty
     * @param variables the variables in the order of first protection
     * @param layers the layers of a differential checkpoint
     * @param rsedChecksum MD5 of the encoded file, or null
     * @param ownChecksum MD5 of the file, or null
     * @param stripedChecksum striped MD5 of the file, or null
     * @param rank the rank whose block it is, or -1
     */
    public FileEntry {
        variables = List.copyOf(variables);
        layers = List.copyOf(layers);
    }

    /**
     * Makes an entry as C FTI writes it.
     *
     * @param name the name
     * @param size size in bytes
     * @param maxSize size in bytes of the largest
     * @param checksum MD5 or empty
     * @param variables the variables in the order of first protection
     * @param layers the layers of a differential checkpoint
     * @param rsedChecksum MD5 of the encoded file, or null
     */
    public FileEntry(
            String name,
            long size,
            long maxSize,
            String checksum,
            List<VariableEntry> variables,
            List<LayerEntry> layers,
            @Nullable String rsedChecksum) {
        this(name, size, maxSize, checksum, variables, layers, rsedChecksum, null, null, -1);
    }

    /**
     * Returns the digest of the file, C FTI's or Drumlin's.
     *
     * @return MD5, of the kind that {@link #isStriped} says, or empty if there is none
     */
    public String digest() {
        return stripedChecksum != null ? stripedChecksum : plainDigest();
    }

    /**
     * Returns the MD5 of the file, C FTI's or Drumlin's, also if there is a striped one.
     *
     * @return MD5, or empty if there is none
     */
    public String plainDigest() {
        return checksum.isEmpty() && ownChecksum != null ? ownChecksum : checksum;
    }

    /**
     * Returns whether the digest is a striped MD5 (docs/formats/fti-posix.md, section 9).
     *
     * @return false if it is a plain one, or there is none
     */
    public boolean isStriped() {
        return stripedChecksum != null;
    }

    /**
     * Returns whether a digest in metadata is that of some bytes. C FTI v1.0 writes every second digit of an MD5 only.
     *
     * @param stored the digest in the metadata
     * @param computed digest of the bytes, 32 lower-case hexadecimal digits
     * @return false if the bytes are others
     */
    public static boolean isDigestOf(String stored, String computed) {
        return stored.equals(computed)
                || (stored.length() * 2 == computed.length() && stored.equals(computed.replaceAll("(.).", "$1")));
    }

    /**
     * Returns this entry with a striped MD5 as the only digest of the file. C FTI then looks only at the size.
     *
     * @param md5 32 lower-case hexadecimal digits
     * @return the changed entry
     */
    public FileEntry withStripedChecksum(String md5) {
        return new FileEntry(name, size, maxSize, "", variables, layers, rsedChecksum, null, md5, rank);
    }

    /**
     * Returns this entry with a striped MD5 beside the plain one. Drumlin compares the striped one.
     *
     * @param md5 32 lower-case hexadecimal digits
     * @return the changed entry
     */
    public FileEntry withStripedBeside(String md5) {
        return new FileEntry(name, size, maxSize, checksum, variables, layers, rsedChecksum, ownChecksum, md5, rank);
    }

    /**
     * Returns whether a striped MD5 takes the place of the plain one.
     *
     * @return false also if there is no striped MD5
     */
    public boolean isOnlyStriped() {
        return stripedChecksum != null && plainDigest().isEmpty();
    }

    /**
     * Returns this entry with a digest of the file that only Drumlin reads.
     *
     * @param md5 32 lower-case hexadecimal digits, or null
     * @return the changed entry
     */
    public FileEntry withOwnChecksum(@Nullable String md5) {
        return new FileEntry(
                name, size, maxSize, checksum, variables, layers, rsedChecksum, md5, stripedChecksum, rank);
    }

    /**
     * Returns this entry under another name.
     *
     * @param other a name without a directory
     * @param owner the rank whose block it is, if the name is that of a file of all ranks; otherwise -1
     * @return the changed entry
     */
    public FileEntry withName(String other, int owner) {
        return new FileEntry(
                other, size, maxSize, checksum, variables, layers, rsedChecksum, ownChecksum, stripedChecksum, owner);
    }

    /**
     * Returns this entry for another group.
     *
     * @param largest size in bytes of the largest file of the group
     * @return the changed entry
     */
    public FileEntry withMaxSize(long largest) {
        return new FileEntry(
                name, size, largest, checksum, variables, layers, rsedChecksum, ownChecksum, stripedChecksum, rank);
    }

    /**
     * Returns this entry with another digest of the encoded file.
     *
     * @param md5 32 lower-case hexadecimal digits, or null
     * @return the changed entry
     */
    public FileEntry withRsedChecksum(@Nullable String md5) {
        return new FileEntry(name, size, maxSize, checksum, variables, layers, md5, ownChecksum, stripedChecksum, rank);
    }

    /**
     * Returns this entry with another digest of the file.
     *
     * @param md5 32 lower-case hexadecimal digits, or empty
     * @return the changed entry
     */
    public FileEntry withChecksum(String md5) {
        return new FileEntry(
                name, size, maxSize, md5, variables, layers, rsedChecksum, ownChecksum, stripedChecksum, rank);
    }

    /**
     * Returns this entry as one of a differential checkpoint.
     *
     * @param written the layers, from the first on
     * @return the changed entry
     */
    public FileEntry withLayers(List<LayerEntry> written) {
        return new FileEntry(
                name, size, maxSize, checksum, variables, written, rsedChecksum, ownChecksum, stripedChecksum, rank);
    }

    void write(IniText text, OutputStream target, Release release) throws IOException {
        text.define("ckpt_file_name", name);
        text.define("ckpt_file_size", size);
        text.define("ckpt_file_maxs", maxSize);
        // The first release has the key only where it has a checksum.
        if (!checksum.isEmpty() || release != Release.V1_0 || name.endsWith(".h5")) {
            text.define("ckpt_checksum", checksum);
        }
        if (ownChecksum != null) {
            text.define(OWN_CHECKSUM, ownChecksum);
        }
        if (stripedChecksum != null) {
            text.define(STRIPED_CHECKSUM, stripedChecksum);
        }
        if (rank >= 0) {
            text.define(RANK, rank);
        }
        for (int i = 0; i < variables.size(); i++) {
            variables.get(i).define("var" + i, text, release);
            drain(text, target);
        }
        for (int i = 0; i < layers.size(); i++) {
            layers.get(i).define("dcp_layer" + i, layers.get(layers.size() - 1).variables(), text);
            drain(text, target);
        }
        if (rsedChecksum != null) {
            text.define("rsed_checksum", rsedChecksum);
        }
    }

    private static void drain(IniText text, OutputStream target) throws IOException {
        if (text.length() >= DRAIN_LENGTH) {
            text.drainTo(target);
        }
    }
}
