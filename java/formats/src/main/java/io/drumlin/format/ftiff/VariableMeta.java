package io.drumlin.format.ftiff;

/**
 * The record of one container and its chunk in an FTI-FF file ({@code FTIFF_dbvar}); docs/formats/fti-ff.md, sections 3
 * and 5.
 *
 * @param id id of the protected variable
 * @param idx position of the variable in the order of first protection (layouts A to C), or {@link #NO_IDX}
 * @param containerId 0, 1, 2 ... for each variable
 * @param hasContent whether the container has a chunk
 * @param hasCkpt whether the container was part of an earlier file (layouts B to F); no reader depends on it
 * @param dptr byte offset of the chunk in the variable
 * @param fptr byte offset of the container in the file
 * @param chunkSize number of bytes used, 0 without content
 * @param containerSize number of bytes reserved
 * @param hash MD5 of the chunk, 32 lower-case hexadecimal digits; without content, see docs/formats/fti-ff.md, section
 *     4
 */
public record VariableMeta(
        int id,
        int idx,
        int containerId,
        boolean hasContent,
        boolean hasCkpt,
        long dptr,
        long fptr,
        long chunkSize,
        long containerSize,
        String hash) {

    /** Stands for an unknown digest. */
    public static final String NO_HASH = "0".repeat(32);

    /** The {@code idx} of layouts that have none. */
    public static final int NO_IDX = -1;

    /**
     * Returns this record with another digest.
     *
     * @param digest 32 lower-case hexadecimal digits
     * @return a copy
     */
    public VariableMeta withHash(String digest) {
        return new VariableMeta(
                id, idx, containerId, hasContent, hasCkpt, dptr, fptr, chunkSize, containerSize, digest);
    }

    VariableMeta withContent(long bytes) {
        return new VariableMeta(id, idx, containerId, true, hasCkpt, dptr, fptr, bytes, containerSize, hash);
    }

    VariableMeta withoutContent() {
        return new VariableMeta(id, idx, containerId, false, hasCkpt, dptr, fptr, 0, containerSize, hash);
    }

    VariableMeta withCheckpoint(long offset) {
        return new VariableMeta(id, idx, containerId, hasContent, true, dptr, offset, chunkSize, containerSize, hash);
    }
}
