/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mapping.h - large data files that nobody writes any more are mapped instead of read: private, so
 * that undo and fold change copies of the pages they touch. A file that gets shorter meanwhile ends
 * the command with a message, not with a signal.
 */
#ifndef REPORT_MAPPING_H
#define REPORT_MAPPING_H

#include <stdint.h>

/*
 * Whether the file may be mapped: what is used of it is large, its process has ended, and nobody
 * but who reads it may write to it. What has been checked in a mapping can be changed by a writer.
 */
int mapping_may(int fd, uint64_t bytes, int has_ended);
/* Maps the first `bytes` of the file over memory that is there. 0 or -1. */
int mapping_add(void *memory, uint64_t bytes, int fd, const char *path);
/* The memory is about to go. */
void mapping_remove(const void *memory);

#endif
