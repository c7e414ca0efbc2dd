/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wilson_interval.h - the confidence interval of a share estimated from samples. Of n samples, k
 * were in a function; if its true share is p, k has a binomial distribution. Wilson's interval
 * contains the values of p that k does not contradict: valid for few samples, too, and for shares
 * near 0 and 1 (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927).
 */
#ifndef REPORT_VALUES_WILSON_INTERVAL_H
#define REPORT_VALUES_WILSON_INTERVAL_H

/* With fewer samples reports warn that there are few. With this number a share of 10 % is known
 * within 2 % of the whole. */
#define SHARE_ENOUGH 1000

/* Bounds of a share, as parts of 1. */
struct share {
	long double low, high;
};

/* Returns the 95 % confidence interval; without samples: 0 to 1. */
struct share share_of(long double samples, long double all);

#endif
