package io.drumlin.format.gsd;

/**
 * A version of the file layer or of a schema, stored as one 32-bit word.
 *
 * @param major 0 to 65535
 * @param minor 0 to 65535
 */
public record Version(int major, int minor) {

    /** The first version, whose names have slots of 64 bytes. */
    public static final Version FIRST = new Version(1, 0);

    /** The version with packed names and without chunks of characters. */
    public static final Version PACKED = new Version(2, 0);

    /** The version of new files unless another one is asked for. */
    public static final Version CURRENT = new Version(2, 1);

    /**
     * Checks the range.
     *
     * @param major changes if old readers cannot read the file
     * @param minor changes if they can
     * @throws IllegalArgumentException a part is not within 16 bits
     */
    public Version {
        if (major != (major & 0xffff) || minor != (minor & 0xffff)) {
            throw new IllegalArgumentException(
                    "version " + major + "." + minor + " is out of range: both parts are 0 to 65535");
        }
    }

    /**
     * Returns the version that a file has as one number.
     *
     * @param word 65536 times the first number plus the second
     * @return the version
     */
    public static Version of(int word) {
        return new Version(word >>> 16, word & 0xffff);
    }

    /**
     * Returns the version as files have it.
     *
     * @return 65536 times the first number plus the second
     */
    public int word() {
        return major << 16 | minor;
    }

    /**
     * Returns whether the version can be read: from 1.0 to below 3.0, and 0.3, which has the layout of 1.0.
     *
     * @return false for an unknown version
     */
    public boolean isReadable() {
        return major == 1 || major == 2 || equals(new Version(0, 3));
    }

    /**
     * Returns whether a file of this version has names in slots of 64 bytes, and the entries of a frame in any order.
     *
     * @return true for 1.x and 0.3
     */
    public boolean hasSlots() {
        return major < 2;
    }

    /**
     * Returns the version as text.
     *
     * @return for example {@code 2.1}
     */
    @Override
    public String toString() {
        return major + "." + minor;
    }
}
