package io.drumlin.checkpoint.internal.config;

/**
 * How differential checkpoints are taken.
 *
 * @param crc32 whether blocks are compared by CRC32 ({@code dcp_mode = 2}) instead of MD5
 * @param blockSize {@code dcp_block_size}, bytes
 * @param stackSize {@code dcp_stack_size}, layers of a file in the mode POSIX
 */
public record DifferentialConfig(boolean crc32, int blockSize, int stackSize) {

    /** Least {@code dcp_block_size} in the mode FTI-FF. */
    static final int LEAST_BLOCK = 512;

    /** Most {@code dcp_block_size} in the mode FTI-FF. */
    static final int MOST_BLOCK = 65535;

    /** Most layers of a file. */
    static final int MOST_LAYERS = 10;

    /** Most {@code dcp_block_size} in the mode POSIX: C FTI keeps a block on its stack. */
    static final int MOST_POSIX_BLOCK = 8 << 20;

    /** Layers of a file if the configuration has no number or a bad one. */
    static final int DEFAULT_STACK = 5;

    /** Returns this configuration with other sizes. */
    public DifferentialConfig with(int bytes, int layers) {
        return new DifferentialConfig(crc32, bytes, layers);
    }

    /** Returns whether a run in the mode POSIX can continue files with such sizes. */
    public static boolean isPossible(long blockSize, long stackSize) {
        return blockSize >= 1 && blockSize <= MOST_POSIX_BLOCK && stackSize >= 1 && stackSize <= MOST_LAYERS;
    }
}
