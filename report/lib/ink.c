/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ink.h"

const char *ink(int is_coloured, enum ink ink)
{
	static const char *const begins[INK_KINDS] = {
		[INK_PLAIN] = "",	[INK_HEADING] = "\033[1m",    [INK_STRONG] = "\033[1m",
		[INK_HOT] = "\033[31m", [INK_WARM] = "\033[33m",      [INK_DIM] = "\033[2m",
		[INK_BAR] = "\033[36m", [INK_WARNING] = "\033[1;33m", [INK_ERROR] = "\033[1;31m",
	};

	return is_coloured ? begins[ink] : "";
}

const char *ink_end(int is_coloured, enum ink ink)
{
	return is_coloured && ink != INK_PLAIN ? "\033[0m" : "";
}

enum ink ink_of_share(long double percent)
{
	return percent >= INK_HOT_PERCENT ? INK_HOT : percent >= INK_WARM_PERCENT ? INK_WARM : INK_PLAIN;
}
