/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lock_holders.h - what functions do while they hold a lock, by where their calls are: between the
 * call that takes a lock and the one that gives it back. Which lock it is nobody has recorded.
 */
#ifndef REPORT_FINDINGS_LOCK_HOLDERS_H
#define REPORT_FINDINGS_LOCK_HOLDERS_H

#include "known_functions.h"
#include "rules.h"

struct lock_holder {
	uint32_t entity;
	long double held;	/* time that it has held locks, all threads together */
	long double worked;	/* ... without that for which others had the processor */
	long double waited;	/* ... that it has waited for them */
	const struct row *most; /* the call that took most of `held`; NULL: it computes by itself */
};

struct lock_holders {
	const struct finder *finder;
	/* by entity: a call of it takes a lock (1), gives one back (-1) */
	int8_t *takes;
	struct lock_holder *list;
	size_t n;
	uint32_t *of; /* by entity: number in list, or NAMES_NONE */
};

void lock_holders_make(struct lock_holders *holders, const struct finder *finder);
void lock_holders_release(struct lock_holders *holders);
/* Has it been at work with the lock long enough to explain such waits? Else threads that held
 * it had lost their processor. */
int lock_holder_explains(const struct lock_holder *holder, long double waited);
/* Who most likely held the lock that a function has waited for so long; NULL: nobody is likely. */
const struct lock_holder *lock_holder_of(const struct lock_holders *holders, uint32_t waiter,
					 long double waited);
/*
 * What a call mostly leads to: from callee to callee while one of them has most of its caller's
 * time. path[max] gets the functions, the call's callee first; returns how many.
 */
size_t call_leads_to(const struct finder *finder, const struct row *edge, uint32_t *path, size_t max);

#endif
