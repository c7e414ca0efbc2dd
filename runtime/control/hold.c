/* SPDX-License-Identifier: MIT */
/*
 * hold.c - has a thread that has just folded wait a little for a reader from outside (cinstr
 * control snapshot), which otherwise might never get a consistent copy: the thread folds more often
 * than its tree can be copied. In the thread's slow path, signals blocked, in the runtime's own
 * time; system calls only. The time is limited by both sides: a reader that was killed stops
 * nobody.
 */
#include "runtime.h"

#define HOLD_MAX_MS 50
#define NAP_NS 200000

void hold_still(void)
{
	struct timespec nap = { 0, NAP_NS };

	for (int i = 0; i < HOLD_MAX_MS * (1000000 / NAP_NS); i++) {
		uint32_t until = atomic_load_acquire(&control_block()->hold);
		uint32_t now = until ? (uint32_t)(sys_clock_ns(CLOCK_REALTIME) / 1000000) : 0;

		if (!until || until - now - 1 >= HOLD_MAX_MS)
			return;
		SYS2(SYS_nanosleep, &nap, NULL);
	}
}
