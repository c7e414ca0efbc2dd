/* SPDX-License-Identifier: GPL-3.0-or-later */
/* durations.h - distribution of call durations: counts of activations by the logarithm of their
 * elapsed inclusive time, for percentiles. A slot is 1/16 octave wide, so a percentile is off by at
 * most 4.5 %, plus the width of the data file's own slots. */
#ifndef REPORT_DURATIONS_H
#define REPORT_DURATIONS_H

#include <stdint.h>

#define DURATIONS_PER_OCTAVE 16
/* 1 ns to 4.9 hours; shorter and longer calls count in the first and last slot */
#define DURATIONS_OCTAVES 44
#define DURATIONS_SLOTS (DURATIONS_PER_OCTAVE * DURATIONS_OCTAVES)

struct durations_slot {
	uint32_t slot;
	uint64_t n;
};

/* Zero-initialised: empty. Stores only slots with calls, as there may be a row for each of millions
 * of call paths. */
struct durations {
	uint64_t n;
	struct durations_slot *slots; /* ascending */
	uint32_t n_slots, size;
	uint32_t last; /* index of the slot used last */
};

/* Adds n calls of about `ns` nanoseconds. */
void durations_add(struct durations *durations, long double ns, uint64_t n);
/* Adds n calls that took between `low` and `high` nanoseconds, at the value between them whose
 * greatest possible relative error is least. */
void durations_add_between(struct durations *durations, long double low, long double high, uint64_t n);
/* Adds n calls to a slot. */
void durations_add_slot(struct durations *durations, uint32_t slot, uint64_t n);
void durations_merge(struct durations *durations, const struct durations *from);
/* Returns the time that a share of the calls (0 to 1) does not exceed, ns; < 0: there are no
 * calls. */
long double durations_quantile(const struct durations *durations, double share);
/* Returns the number of calls longer than `least` nanoseconds, by the middle of their slots; *ns:
 * their approximate total. */
uint64_t durations_above(const struct durations *durations, long double least, long double *ns);
/* Returns the middle of a slot, ns. */
long double durations_slot_ns(uint32_t slot);
void durations_release(struct durations *durations);

#endif
