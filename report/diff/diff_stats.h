/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_stats.h - how much two sets of measurements differ, and how certain that is: Welch's t. */
#ifndef REPORT_DIFF_STATS_H
#define REPORT_DIFF_STATS_H

#include <stddef.h>

struct difference {
	double a, b;	/* means */
	double change;	/* b - a */
	double half;	/* the true change is within change +- half; INFINITY: not known */
	double freedom; /* degrees of freedom; 0: there is no spread to tell of */
};

/* What is known of one of two samples: n values with this mean and variance (of n - 1). */
struct moments {
	double mean, variance;
	double n;
};

/* The t below which a share p (0.5 to 1) of Student's distribution lies. */
double student_quantile(double p, double freedom);
/*
 * b against a, so that an interval is wrong with a probability of alpha. With one value on one side
 * the other side's spread counts for both; with one on both sides, half is 0: nothing is known of
 * spread.
 */
struct difference difference_of(const double *a, size_t n_a, const double *b, size_t n_b, double alpha);
/* The same of samples of which only that is known. */
struct difference difference_of_moments(const struct moments *a, const struct moments *b, double alpha);

#endif
