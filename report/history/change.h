/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * change.h - where in a series of values something has changed, by ranks: a value more or less far
 * off counts no more than that it is off, so that a single bad run is no change.
 *
 * For each place where the series may be cut, the sum of the ranks before it is compared with what
 * it would be by chance (Wilcoxon), in standard deviations; the statistic is the greatest of these.
 * How great it gets in a series without a change depends on the length alone: that is simulated,
 * with as many random orders, for the next longer one of a ladder of lengths, for which it is
 * greater. Beyond what simulation can tell, the sum over all places of the normal distribution's
 * tails bounds it: ranks have shorter ones. A series that has changed is cut, and both parts are
 * looked at in the same way.
 *
 * Values that are equal share a rank. That makes the statistic smaller, never greater.
 */
#ifndef REPORT_HISTORY_CHANGE_H
#define REPORT_HISTORY_CHANGE_H

#include <stddef.h>
#include <stdint.h>

/* So many values, at least, are a series. */
#define CHANGE_LEAST 6

/* What was simulated so far. Zero-initialised is empty. */
struct change_null {
	struct change_ladder *steps;
	size_t n, size;
};
void change_null_release(struct change_null *null);

/* The statistic of a series, and the first value behind the place where it is reached. */
double change_statistic(const double *values, size_t n, size_t *place);
/* How likely a series of n values without a change reaches this; more exact about `level`. */
double change_chance(struct change_null *null, double statistic, size_t n, double level);

struct change {
	size_t at;	      /* the first value of what came then */
	double chance;	      /* that there is none */
	double before, after; /* medians, from the change before, to the next one */
};

/* All changes, in order, of which the chance to be none is at most `level` each. The caller frees
 * them. */
struct change *changes_find(struct change_null *null, const double *values, size_t n, double level,
			    size_t *n_changes);
double change_median(const double *values, size_t n);

#endif
