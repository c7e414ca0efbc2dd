/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * durations.h - how long calls took: counts of activations by the logarithm of their elapsed
 * inclusive time, for percentiles. A slot is 1/16 of an octave wide, so a percentile is off by at
 * most 4.5 %, and by what the data file's own slots are wide.
 */
#ifndef REPORT_DURATIONS_H
#define REPORT_DURATIONS_H

#include <stdint.h>

#define DURATIONS_PER_OCTAVE 16
/* 1 ns to 4.9 hours; what is outside counts in the first or last slot */
#define DURATIONS_OCTAVES 44
#define DURATIONS_SLOTS (DURATIONS_PER_OCTAVE * DURATIONS_OCTAVES)

struct durations_slot {
	uint32_t slot;
	uint64_t n;
};

/* Zero-initialised is empty. There may be a row for each of millions of call paths: slots that hold
 * nothing take no memory. */
struct durations {
	uint64_t n;
	struct durations_slot *slots; /* in order */
	uint32_t n_slots, size;
	uint32_t last; /* index that was found last */
};

/* n calls of about this many nanoseconds. */
void durations_add(struct durations *durations, long double ns, uint64_t n);
/* n calls that took from `low` up to `high` nanoseconds: they may all have taken the least, or the
 * most. */
void durations_add_between(struct durations *durations, long double low, long double high, uint64_t n);
/* n calls of a slot. */
void durations_add_slot(struct durations *durations, uint32_t slot, uint64_t n);
void durations_merge(struct durations *durations, const struct durations *from);
/* The time that a share of the calls (0 to 1) does not exceed, ns; < 0: there are none. */
long double durations_quantile(const struct durations *durations, double share);
/* How many take longer than so many nanoseconds; *ns: these together, about. */
uint64_t durations_above(const struct durations *durations, long double least, long double *ns);
/* The middle of a slot, ns. */
long double durations_slot_ns(uint32_t slot);
void durations_release(struct durations *durations);

#endif
