/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "durations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/search.h"

static uint32_t slot_of(long double ns)
{
	/* log2l takes five times as long */
	double slot = ns > 1 ? log2((double)ns) * DURATIONS_PER_OCTAVE : 0;

	return slot < DURATIONS_SLOTS ? (uint32_t)slot : DURATIONS_SLOTS - 1;
}

/* Where it is, or belongs. */
static uint32_t place_of(const struct durations *durations, uint32_t slot)
{
	uint32_t from = 0, high = durations->n_slots, last = durations->last, i;

	/* Most are near one another. */
	if (last < high && durations->slots[last].slot <= slot) {
		if (durations->slots[last].slot == slot)
			return last;
		from = last + 1;
		if (from == high || durations->slots[from].slot >= slot)
			return from;
	}
	SEARCH_IN(i, from, high, durations->slots[i].slot >= slot);
	return i;
}

static void add_slot(struct durations *durations, uint32_t slot, uint64_t n)
{
	uint32_t i = place_of(durations, slot);

	durations->last = i;
	durations->n += n;
	if (i < durations->n_slots && durations->slots[i].slot == slot) {
		durations->slots[i].n += n;
		return;
	}
	ARRAY_ROOM(durations->slots, durations->n_slots, durations->size, 1);
	memmove(&durations->slots[i + 1], &durations->slots[i],
		(durations->n_slots - i) * sizeof(*durations->slots));
	durations->slots[i] = (struct durations_slot){ slot, n };
	durations->n_slots++;
}

void durations_add(struct durations *durations, long double ns, uint64_t n)
{
	if (n)
		add_slot(durations, slot_of(ns), n);
}

void durations_add_slot(struct durations *durations, uint32_t slot, uint64_t n)
{
	if (n)
		add_slot(durations, slot < DURATIONS_SLOTS ? slot : DURATIONS_SLOTS - 1, n);
}

/* Of all values between them, this one is off by the least part at most: by (high - low) / (high +
 * low). */
static long double between(long double low, long double high)
{
	return low > 0 ? 2 * low * high / (low + high) : high / 2;
}

void durations_add_between(struct durations *durations, long double low, long double high, uint64_t n)
{
	durations_add(durations, between(low, high), n);
}

void durations_merge(struct durations *durations, const struct durations *from)
{
	for (uint32_t i = 0; i < from->n_slots; i++)
		add_slot(durations, from->slots[i].slot, from->slots[i].n);
}

long double durations_slot_ns(uint32_t slot)
{
	static _Thread_local long double known[DURATIONS_SLOTS]; /* 0: not known yet */

	if (!known[slot])
		known[slot] = exp2l(((long double)slot + 0.5L) / DURATIONS_PER_OCTAVE);
	return known[slot];
}

long double durations_quantile(const struct durations *durations, double share)
{
	/* Slightly less: 0.9 as a double is more than nine tenths. */
	uint64_t below = 0, rank = (uint64_t)ceill((long double)durations->n * (long double)share - 1e-6L);

	for (uint32_t i = 0; i < durations->n_slots; i++) {
		below += durations->slots[i].n;
		if (below >= rank)
			return durations_slot_ns(durations->slots[i].slot);
	}
	return -1;
}

uint64_t durations_above(const struct durations *durations, long double least, long double *ns)
{
	uint64_t n = 0;

	*ns = 0;
	for (uint32_t i = durations->n_slots; i-- && durations_slot_ns(durations->slots[i].slot) > least;) {
		n += durations->slots[i].n;
		*ns += (long double)durations->slots[i].n * durations_slot_ns(durations->slots[i].slot);
	}
	return n;
}

void durations_release(struct durations *durations)
{
	free(durations->slots);
	*durations = (struct durations){ 0 };
}
