/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mapping.h - large data files that are no longer written are mapped instead of read: privately, so
 * that undo and fold change copies of the pages they touch. If the file is truncated meanwhile, the
 * command ends with a message, not with a signal.
 */
#ifndef REPORT_MAPPING_H
#define REPORT_MAPPING_H

#include <stdint.h>

/* Whether the file may be mapped: `bytes`, its used part, is large, its process has ended, and only
 * this user may write to it. What was checked in a mapping could be changed by a writer. */
int mapping_may(int fd, uint64_t bytes, int has_ended);
/* Maps the first `bytes` of the file over existing memory. Returns 0 or -1. */
int mapping_add(void *memory, uint64_t bytes, int fd, const char *path);
/* To be called before the memory is unmapped. */
void mapping_remove(const void *memory);

#endif
