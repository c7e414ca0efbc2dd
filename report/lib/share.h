/* SPDX-License-Identifier: GPL-3.0-or-later */
/* share.h - part of a whole number in proportion. */
#ifndef REPORT_LIB_SHARE_H
#define REPORT_LIB_SHARE_H

#include <stdint.h>

/* whole * part / all, rounded down; all 0: 0. */
static inline uint64_t share(uint64_t whole, uint64_t part, uint64_t all)
{
	uint64_t product;

	if (!all)
		return 0;
	if (!__builtin_mul_overflow(whole, part, &product)) /* wider division takes long */
		return product / all;
	return (uint64_t)((unsigned __int128)whole * part / all);
}

#endif
