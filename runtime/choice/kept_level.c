/* SPDX-License-Identifier: MIT */
/*
 * kept_level.c - the levels of recording of all functions (budget.h), two bits each. Changed under
 * the lock of patch.c, where sleds are switched.
 */
#include "budget.h"
#include "runtime.h"

/* Levels as they are kept: 0 is what there is from the start. */
static const uint8_t kept_levels[] = {
	[BUDGET_NONE] = 2, [BUDGET_ENTRY] = 1, [BUDGET_ALL] = 0, [BUDGET_COUNT] = 3
};

int kept_level_of(uint32_t func)
{
	int kept = cinstr.demoted[func >> 5] >> (func >> 2 & 6) & 3, level = 0;

	while (kept_levels[level] != kept)
		level++;
	return level;
}

void kept_level_set(uint32_t func, int level)
{
	uint8_t *byte = &cinstr.demoted[func >> 5];
	unsigned shift = func >> 2 & 6;

	*byte = (uint8_t)((*byte & ~(3u << shift)) | (unsigned)kept_levels[level] << shift);
}
