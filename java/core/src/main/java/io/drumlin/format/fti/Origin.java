package io.drumlin.format.fti;

/**
 * From which checkpoint, and from which of its groups, metadata are; docs/formats/fti-posix.md, section 8. Only Drumlin writes it.
 *
 * @param time nanoseconds since 1970 at which the ranks met, the same in the metadata of all groups; 0 or above
 * @param ioMode mode in which the files were written, as the configuration counts them ({@code ckpt_io})
 * @param ranks how many ranks the application has
 * @param sector of the group, from 0
 * @param group its number in the sector, from 0
 */
public record Origin(long time, int ioMode, int ranks, int sector, int group) {}
