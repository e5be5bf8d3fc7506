/* What the queue takes from file.c beyond core.h. */
#ifndef DRUMLIN_CORE_FILE_H
#define DRUMLIN_CORE_FILE_H

#include <stdint.h>

/*
 * Whether a read that came short at position has reached the end of the file. Asked before a further read, because that
 * one would start off the boundary of a direct file and fail.
 */
int file_at_end(int fd, int64_t position);

#endif
