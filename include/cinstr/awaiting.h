/* SPDX-License-Identifier: MIT */
/*
 * cinstr/awaiting.h - what a thread waits for that has come to a call of a known function
 * (cinstr/objects.h), and has had no event since: so it is still there. It stands in the second
 * halves (`extra` and `second`) of the three places behind the last record of the thread's buffer,
 * where the next records will be: who reads records stops at the first half of the first of them.
 * Written by the thunk before the call, or by the slow path behind its event; doc/format.md.
 */
#ifndef CINSTR_AWAITING_H
#define CINSTR_AWAITING_H

#include <stdint.h>

enum cinstr_awaiting_place {
	CINSTR_AWAITING_OBJECT, /* its address */
	/* of a mutex, the tid of the thread that has it, or 0 | cinstr_awaiting_check() << 32 */
	CINSTR_AWAITING_HOLDER,
	/* stamp at which this thread has last given back a lock that others may have waited for */
	CINSTR_AWAITING_GAVE,
	CINSTR_AWAITING_PLACES
};

/* By this it is known to be of the call at `code`, and nothing that an older record has left. */
static inline uint32_t cinstr_awaiting_check(uint32_t code, uint64_t object)
{
	return (code & ~7u) + (uint32_t)object;
}

#endif
