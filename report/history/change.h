/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * change.h - finds changes in a series of values, by ranks: an outlier counts the same however far
 * off it is, so that a single bad run is no change.
 *
 * For each position where the series may be split, the sum of the ranks before it is compared with
 * its expectation (Wilcoxon), in standard deviations; the statistic is the greatest of these. Its
 * distribution without a change depends on the length only and is simulated with random orders, for
 * the next longer length of a ladder, for which it is greater. Beyond the range of simulation it is
 * bounded by the sum of the normal distribution's tails over all positions: those of ranks are
 * shorter. A series with a change is split, and both parts are analysed in the same way.
 *
 * Equal values share a rank. That makes the statistic smaller, never greater.
 */
#ifndef REPORT_HISTORY_CHANGE_H
#define REPORT_HISTORY_CHANGE_H

#include <stddef.h>

/* Least number of values in a series. */
#define CHANGE_LEAST 6

/* Results of simulations. Zero-initialised: empty. */
struct change_null {
	struct change_ladder *steps;
	size_t n, size;
};
void change_null_release(struct change_null *null);

/* Returns the statistic of a series, and sets *place to the index of the first value after the
 * split. */
double change_statistic(const double *values, size_t n, size_t *place);
/* Returns the probability that a series of n values without a change reaches this statistic; most
 * exact near `level`. */
double change_chance(struct change_null *null, double statistic, size_t n, double level);

struct change {
	size_t at;	      /* index of the first value after the change */
	double chance;	      /* probability of such a change by chance */
	double before, after; /* medians since the previous change, and until the next one */
};

/* Returns all changes in order whose probability by chance is at most `level` each. The caller
 * frees them. */
struct change *changes_find(struct change_null *null, const double *values, size_t n, double level,
			    size_t *n_changes);
double change_median(const double *values, size_t n);

#endif
