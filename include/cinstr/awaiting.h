/* SPDX-License-Identifier: MIT */
/*
 * cinstr/awaiting.h - the object that a thread waits for: it has come to a call of a known function
 * (cinstr/objects.h) and has had no event since, so it is still in the call. Stored in the second
 * halves (`extra` and `second`) of the three records after the last one in the thread's buffer,
 * which the next events will overwrite; readers of records stop at the first half of the first one.
 * Written by the thunk before the call, or by the slow path after its event; doc/format.md.
 */
#ifndef CINSTR_AWAITING_H
#define CINSTR_AWAITING_H

#include <stdint.h>

enum cinstr_wait_end {
	CINSTR_WAIT_FAILED = 1, /* the call did not return 0: its time limit, if any, was over */
	/* the read-write lock was given back by the writer that had it when the wait began */
	CINSTR_WAIT_BY_WRITER = 2,
	/* nobody else has released or signalled the object in the time of the wait */
	CINSTR_WAIT_BY_ONLY = 4,
};

/* `given_by` of waits for the ends of several threads, which did end, added up without an object:
 * there was no room for each. */
#define CINSTR_WAIT_BY_SEVERAL UINT32_MAX

/* Who had a lock when a wait began: the tid of the thread that had the mutex; of a read-write lock
 * that of its writer with this bit ... */
#define CINSTR_HOLDER_WRITER (1u << 30)
/* ... or how many readers, with this bit. */
#define CINSTR_HOLDER_READERS (1u << 31)

enum cinstr_awaiting_place {
	CINSTR_AWAITING_OBJECT, /* address of the object */
	/* who holds the lock, as in struct cinstr_wait, or 0 | cinstr_awaiting_check() << 32 */
	CINSTR_AWAITING_HOLDER,
	/* stamp of this thread's last release of a lock that others may have waited for */
	CINSTR_AWAITING_GAVE,
	CINSTR_AWAITING_PLACES
};

/* Returns a check value that ties the entry to the call at `code`; remains of older records do not
 * match. */
static inline uint32_t cinstr_awaiting_check(uint32_t code, uint64_t object)
{
	return (code & ~7u) + (uint32_t)object;
}

#endif
