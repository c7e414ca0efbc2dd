/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lock_holders.h - what functions do while they hold a lock, by the positions of their calls:
 * between the call that takes a lock and the one that releases it. Which lock it is was not
 * recorded. */
#ifndef REPORT_FINDINGS_LOCK_HOLDERS_H
#define REPORT_FINDINGS_LOCK_HOLDERS_H

#include "known_functions.h"
#include "rules.h"

struct lock_holder {
	uint32_t entity;
	long double held;	/* time that it held locks, all threads together */
	long double worked;	/* ... without time in which others had the processor */
	long double waited;	/* ... that it waited for locks */
	const struct row *most; /* the call with most of `held`; NULL: it computes by itself */
};

struct lock_holders {
	const struct finder *finder;
	/* by entity: a call of it takes a lock (1), releases one (-1) */
	int8_t *takes;
	struct lock_holder *list;
	size_t n;
	uint32_t *of; /* by entity: index in list, or NAMES_NONE */
};

void lock_holders_make(struct lock_holders *holders, const struct finder *finder);
void lock_holders_release(struct lock_holders *holders);
/* Whether the holder worked long enough with the lock to explain such waits. If not, threads lost
 * their processor while they held it. */
int lock_holder_explains(const struct lock_holder *holder, long double waited);
/* Returns the most likely holder of the lock that `waiter` waited for during `waited`; NULL: none
 * is likely. */
const struct lock_holder *lock_holder_of(const struct lock_holders *holders, uint32_t waiter,
					 long double waited);
/* Follows a call from callee to callee while one of them has most of its caller's time. Writes the
 * functions to path[max], the call's callee first, and returns their number. */
size_t call_leads_to(const struct finder *finder, const struct row *edge, uint32_t *path, size_t max);

#endif
