/* What file.c has for the queue beyond core.h. */
#ifndef DRUMLIN_CORE_FILE_H
#define DRUMLIN_CORE_FILE_H

#include <stdint.h>

/*
 * Whether a read that came short at position has reached the end of the file. To be asked before another read, which
 * would start off the boundaries of a direct file and fail.
 */
int file_at_end(int fd, int64_t position);

#endif
