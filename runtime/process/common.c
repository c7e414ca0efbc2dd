/* SPDX-License-Identifier: MIT */
/*
 * common.c - what processes of a session need not measure each for itself: what a probe costs, and a
 * question to the kernel. The first one leaves it in the session's page (struct cinstr_common); one
 * that joins takes it over if it runs the same code on the same machine and kind of core. One that
 * records for longer measures again in any case (thread.c).
 *
 * While the process is attached, in one thread, signals blocked. The page is shared with processes
 * of this user that may write anything there.
 */
#include "runtime.h"

static struct cinstr_common *common(void)
{
	char *page = session_page().at;

	return page ? (struct cinstr_common *)(void *)(page + CINSTR_COMMON_OFFSET) : NULL;
}

static uint64_t checksum(const struct cinstr_common *c)
{
	return store_checksum(&c->pid,
			      offsetof(struct cinstr_common, checksum) - offsetof(struct cinstr_common, pid));
}

static struct cinstr_common found; /* state 2: it holds for this process */

/* Of what was measured: the code of probes, and whether they rely on restartable sequences. */
static uint64_t code_number(void)
{
	return thunks_identity() + (uint64_t)cinstr.restartable;
}

void common_find(void)
{
	const struct cinstr_common *c = common();

	found.state = 0;
	if (!c || cinstr.clock != CINSTR_CLOCK_TSC || atomic_load_acquire(&c->state) != 2)
		return;
	arch_copy(&found, c, sizeof(found));
	if (found.checksum != checksum(&found) || found.machine != store_machine() ||
	    found.code != code_number() || found.core != arch_core_kind() || !found.calibration.rounds)
		found.state = 0;
}

int common_prices(uint64_t *price_ticks, uint64_t *entry_ticks)
{
	if (found.state != 2)
		return 0;
	*price_ticks = found.price_ticks;
	*entry_ticks = found.entry_ticks;
	return 1;
}

int common_calibration(void)
{
	if (found.state != 2 || (atomic_load_relaxed(&cinstr.has_lines) && !(found.measured & 1)))
		return 0;
	cinstr.header->calibration = found.calibration;
	cinstr.header->common_rounds = (uint32_t)found.calibration.rounds;
	cinstr.header->common_pid = found.pid;
	return 1;
}

void common_offer(uint64_t price_ticks)
{
	struct cinstr_common *c = common();
	uint32_t free = 0;

	if (!c || !session_page().writable || !cinstr.header->calibration.rounds ||
	    !atomic_compare_swap(&c->state, &free, 1))
		return;
	c->pid = cinstr.header->pid;
	c->machine = store_machine();
	c->code = code_number();
	c->core = arch_core_kind();
	c->measured = atomic_load_relaxed(&cinstr.has_lines) != 0;
	c->price_ticks = price_ticks;
	c->entry_ticks = cinstr.entry_ticks;
	c->calibration = cinstr.header->calibration;
	c->checksum = checksum(c);
	atomic_store_release(&c->state, 2); /* find */
}
