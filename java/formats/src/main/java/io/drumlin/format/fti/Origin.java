package io.drumlin.format.fti;

/**
 * The checkpoint of metadata, and the group in it; docs/formats/fti-posix.md, section 8. Only Drumlin writes it.
 *
 * @param time nanoseconds since 1970 at which the ranks met, the same in the metadata of all groups; 0 or above
 * @param ioMode mode in which the files were written, with the number that the configuration uses ({@code ckpt_io})
 * @param ranks number of ranks of the application
 * @param sector sector of the group, from 0
 * @param group number of the group in the sector, from 0
 */
public record Origin(long time, int ioMode, int ranks, int sector, int group) {}
