/* SPDX-License-Identifier: MIT */
/*
 * session_lock.h - a session's file `session`: its lock, and its page, which all processes that
 * record into the session map. For session.c. Errors are -errno.
 */
#ifndef CINSTR_SESSION_LOCK_H
#define CINSTR_SESSION_LOCK_H

#include <stdint.h>

#include "cinstr/format.h"

/* The begin of a session's lock file. */
struct lock_head {
	char magic[CINSTR_LAST_END_OFFSET];
	uint64_t last_end_ns; /* CLOCK_REALTIME */
	uint64_t launch;      /* launch whose ranks may join the session; 0: none */
};

/* Make the lock file in the folder, or open the existing one; take the lock shared and map the
 * page. Return 0 or -errno. */
int lock_make(int folder);
int lock_join(int folder);
/* Gives up the lock and the page. */
void lock_drop(void);
/* Opens the lock file and reads its head. Returns the descriptor, or -errno; -ENOENT: no such file,
 * or no lock file of a session. */
int lock_open(int folder, struct lock_head *head);

#endif
