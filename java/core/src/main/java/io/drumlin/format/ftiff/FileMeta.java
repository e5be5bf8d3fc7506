package io.drumlin.format.ftiff;

/**
 * The file block, FB, of an FTI-FF file ({@code FTIFF_metaInfo}); field meanings in docs/formats/fti-ff.md, section 4.
 *
 * @param checksum 32 lower-case hexadecimal digits
 * @param myHash MD5 over the other fields, 32 lower-case hexadecimal digits
 * @param ckptId id of the checkpoint
 * @param ckptSize equals {@code fs} in plain files
 * @param metaSize bytes of all metadata
 * @param dataSize bytes of all containers
 * @param fs file size
 * @param maxFs largest size in the group plus 8 at level 3, else -1
 * @param ptFs size of the partner copy at level 2, else -1
 * @param timestamp low 32 bits of the nanoseconds since 1970, unsigned
 */
public record FileMeta(
        String checksum,
        String myHash,
        int ckptId,
        long ckptSize,
        long metaSize,
        long dataSize,
        long fs,
        long maxFs,
        long ptFs,
        long timestamp) {}
