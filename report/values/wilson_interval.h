/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wilson_interval.h - how well a share is known that was found by samples. Of n samples, k were in
 * a function; if its true share is p, k is distributed binomially. Wilson's interval holds the
 * values of p that k does not contradict: good for few samples, too, and for shares near 0 and 1
 * (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927).
 */
#ifndef REPORT_VALUES_WILSON_INTERVAL_H
#define REPORT_VALUES_WILSON_INTERVAL_H

/* From so many samples on nothing is said about how few there are: a share of 10 % is known within
 * 2 % of the whole. */
#define SHARE_ENOUGH 1000

/* Of 1. */
struct share {
	long double low, high;
};

/* With 95 % confidence; of no samples: 0 to 1. */
struct share share_of(long double samples, long double all);

#endif
