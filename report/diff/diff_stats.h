/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_stats.h - the difference of two sets of measurements, and how certain it is: Welch's
 * t-test. */
#ifndef REPORT_DIFF_STATS_H
#define REPORT_DIFF_STATS_H

#include <stddef.h>

struct difference {
	double a, b;	/* means */
	double change;	/* b - a */
	double half;	/* the true change is within change +- half; INFINITY: not known */
	double freedom; /* degrees of freedom; 0: no spread is known */
};

/* A set of n values, by their mean and variance (n - 1). */
struct moments {
	double mean, variance;
	double n;
};

/* Returns the t below which a share p (0.5 to 1) of Student's distribution lies. */
double student_quantile(double p, double freedom);
/* Compares b with a; the interval is wrong with a probability of alpha. With one value on one side
 * the other side's spread is used for both; with one on both sides half is 0, as no spread is
 * known. */
struct difference difference_of(const double *a, size_t n_a, const double *b, size_t n_b, double alpha);
/* Compares sets of which only moments are known, like difference_of(). */
struct difference difference_of_moments(const struct moments *a, const struct moments *b, double alpha);

#endif
