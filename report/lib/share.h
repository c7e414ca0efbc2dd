/* SPDX-License-Identifier: GPL-3.0-or-later */
/* share.h - proportional parts. */
#ifndef REPORT_LIB_SHARE_H
#define REPORT_LIB_SHARE_H

#include <stdint.h>

/* Returns whole * part / all, rounded down; 0 if `all` is 0. */
static inline uint64_t share(uint64_t whole, uint64_t part, uint64_t all)
{
	uint64_t product;

	if (!all)
		return 0;
	if (!__builtin_mul_overflow(whole, part, &product)) /* wider division is slow */
		return product / all;
	return (uint64_t)((unsigned __int128)whole * part / all);
}

/* Returns `part` in percent of `whole`; 0 if there is no whole. */
static inline long double share_percent(long double part, long double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

#endif
