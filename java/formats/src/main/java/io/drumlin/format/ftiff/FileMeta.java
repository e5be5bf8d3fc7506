package io.drumlin.format.ftiff;

/**
 * The file block, FB, of an FTI-FF file ({@code FTIFF_metaInfo}); field meanings in docs/formats/fti-ff.md, sections 3
 * and 5.
 *
 * @param checksum 32 lower-case hexadecimal digits
 * @param myHash MD5 over the other fields, 32 lower-case hexadecimal digits
 * @param ckptId id of the checkpoint; -1 in layouts A and B, which have none
 * @param ckptSize equals {@code fs} in plain files; in encoded ones the size of the plain file of the same rank
 * @param metaSize size in bytes of all metadata; undefined in encoded files; -1 in layouts A and B, which have none
 * @param dataSize size in bytes of all containers; undefined in encoded files; -1 in layouts A and B, which have none
 * @param fs file size; in encoded files the number of bytes before this record
 * @param maxFs at level 3, the largest size in the group, plus 8 in layouts C to F; else -1
 * @param ptFs size of the partner copy at level 2, else -1
 * @param timestamp nanoseconds since 1970; in layouts E and F their low 32 bits, unsigned
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
        long timestamp) {

    FileMeta withMyHash(String digest) {
        return new FileMeta(checksum, digest, ckptId, ckptSize, metaSize, dataSize, fs, maxFs, ptFs, timestamp);
    }

    FileMeta withTimestamp(long time) {
        return new FileMeta(checksum, myHash, ckptId, ckptSize, metaSize, dataSize, fs, maxFs, ptFs, time);
    }
}
