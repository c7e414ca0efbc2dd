/* SPDX-License-Identifier: MIT */
/*
 * session_lock.h - a session's file `session`: its lock, and its page, which is mapped by all who
 * record into it. For session.c. Errors are -errno.
 */
#ifndef CINSTR_SESSION_LOCK_H
#define CINSTR_SESSION_LOCK_H

#include <stdint.h>

#include "cinstr/format.h"

/* What a session's lock file begins with. */
struct lock_head {
	char magic[CINSTR_LAST_END_OFFSET];
	uint64_t last_end_ns; /* CLOCK_REALTIME */
	uint64_t launch;      /* of the ranks that may join it; 0: none */
};

/* A new one in the folder, and one that is there: shared from here on, its page mapped. */
int lock_make(int folder);
int lock_join(int folder);
/* No more. */
void lock_drop(void);
/* The file, open, and what it says; -ENOENT: there is none, or it is somebody else's file. */
int lock_open(int folder, struct lock_head *head);

#endif
