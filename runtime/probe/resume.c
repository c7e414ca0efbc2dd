/* SPDX-License-Identifier: MIT */
/*
 * resume.c - corrects the stamp at which the program runs again after the slow path. The way out
 * (signals unblocked, registers restored) takes longer than many of the intervals that it would be
 * counted in, so RESUME's stamp is moved after it once the next event exists: to when the gate had
 * unblocked signals (probe_state.left), and further by the ticks of the rest.
 *
 * The ticks of the rest are measured where the fast path would have given two events one stamp: an
 * exit and its caller's after-call, a before-call and its callee's entry. All time between these is
 * the way out. In the thread itself, signals blocked.
 */
#include "runtime.h"

/* ticks that the rest takes; 0: not known yet. Whichever thread stores last */
static uint64_t typical_ticks;
static uint64_t first_at_most; /* ticks that the first pair may make of it */
static int is_possible;	       /* whether a record can be replaced in one piece */

static struct cinstr_record resume_record(uint64_t stamp)
{
	return (struct cinstr_record){ .code = CINSTR_SPECIAL(CINSTR_SP_RESUME, 0),
				       .time_lo = (uint32_t)stamp,
				       .extra = (uint32_t)stamp,
				       .second = (uint32_t)(stamp >> 32) | 1u << 31 };
}

/* Returns the ticks that two system calls of the gate take: the least of some tries. */
static uint64_t gate_ticks(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 20; i++) {
		uint64_t start = clock_now();

		sys_restore_signals(sys_block_signals());
		least = min_of(least, clock_now() - start);
	}
	return least;
}

void resume_init(void)
{
	is_possible = arch_has_replace_16();
	first_at_most = gate_ticks();
	/* Where the gate reads no clock, its system calls are of the rest. */
	if (cinstr.clock != CINSTR_CLOCK_TSC)
		typical_ticks = first_at_most;
}

/* A handler may have come, and folded the buffer, so that another record is there: it stays. */
static int move(struct cinstr_record *r, uint64_t from, uint64_t to)
{
	const struct cinstr_record old = resume_record(from), moved = resume_record(to);

	return is_possible && arch_replace_16(r, (const void *)&old, (const void *)&moved);
}

/* Returns whether the fast path would have stamped both events at once, and then what the interval
 * between them should measure. */
static int is_pair(const struct thread *thread, const struct cinstr_record *first,
		   const struct cinstr_record *second, uint64_t *ticks)
{
	uint32_t kind = CINSTR_CODE_KIND(first->code);

	if (kind == CINSTR_EV_EXIT && CINSTR_CODE_KIND(second->code) == CINSTR_EV_AFTER) {
		*ticks = clock_pair_ticks(1);
		/* Both stand on the return address. */
		return second->extra == thread->resumed_sp + ARCH_RETURN_BYTES;
	}
	if ((kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_TAIL) &&
	    CINSTR_CODE_KIND(second->code) == CINSTR_EV_ENTER) {
		*ticks = clock_pair_ticks(0);
		return fold_returns_to(first->extra, second->extra);
	}
	return 0;
}

/* Ticks from r to the event that ends its interval; now: of one that is not recorded yet. */
static uint64_t interval_behind(const struct thread *thread, const struct cinstr_record *r, uint64_t now)
{
	const struct cinstr_record *next = r + 1;
	uint64_t stamp = CINSTR_SPECIAL_VALUE(r);

	if (next >= thread->probe->cursor)
		return now > stamp ? now - stamp : 0;
	if (CINSTR_CODE_KIND(next->code) != CINSTR_EV_SPECIAL)
		return next->time_lo - r->time_lo;
	if (CINSTR_SPECIAL_TYPE(next->code) == CINSTR_SP_SLOW && CINSTR_SPECIAL_VALUE(next) > stamp)
		return CINSTR_SPECIAL_VALUE(next) - stamp;
	return 0;
}

/*
 * Follows slowly, and hardly what was disturbed. The first pairs of a program are: their code is
 * executed for the first time, and takes ten times as long. What is too much here is time that the
 * program's calls lose.
 */
static void learn(uint64_t ticks)
{
	uint64_t typical = atomic_load_relaxed(&typical_ticks);

	if (!typical)
		typical = min_of(ticks, first_at_most);
	else if (ticks < 2 * typical + 100)
		typical = typical - typical / 8 + ticks / 8;
	else
		typical += typical / 32;
	atomic_store_relaxed(&typical_ticks, typical);
}

/* next: the event behind the RESUME, or NULL. Up to `most` ticks before the gate's reading are the
 * way out's. */
static void settle(struct thread *thread, uint64_t now, const struct cinstr_record *next, uint64_t most)
{
	struct cinstr_record *r = thread->resumed;
	uint64_t ticks, due = 0, rest, stamp, left = thread->probe->left, seen;

	thread->resumed = NULL;
	if (!r || r->code != CINSTR_SPECIAL(CINSTR_SP_RESUME, 0))
		return;
	stamp = CINSTR_SPECIAL_VALUE(r);
	ticks = interval_behind(thread, r, now);
	/* A handler's event may have come before the gate's clock reading. */
	seen = left > stamp && left - stamp <= min_of(ticks, most) ? left - stamp : 0;
	ticks -= seen;
	if (r + 1 < thread->probe->cursor)
		next = r + 1;
	if (next && is_pair(thread, r - 1, next, &due)) {
		rest = ticks > due ? ticks - due : 0;
		learn(rest);
	} else {
		rest = min_of(atomic_load_relaxed(&typical_ticks), ticks);
	}
	if (stamp >> 32 == (stamp + seen + rest) >> 32)
		move(r, stamp, stamp + seen + rest);
}

void resume_settle(struct thread *thread, uint64_t now)
{
	/* if longer, the thread may have been switched out: then it is the interval's */
	settle(thread, now, NULL, cinstr.threshold);
}

void resume_settle_undisturbed(struct thread *thread, uint64_t now, const struct cinstr_record *next)
{
	settle(thread, now, next, UINT64_MAX);
}
