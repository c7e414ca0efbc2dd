/* SPDX-License-Identifier: MIT */
/*
 * Reads places of a table that follow from what was read there last: of one that no cache holds
 * ("far"), or of one that fits into the smallest ("near"). "calls": by a function that is called
 * for each, and has no probes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FAR (32u << 20) /* numbers */
#define NEAR 1024u
#define STEPS 3000000

static uint32_t *table;
static volatile uint32_t sink;

__attribute__((noipa)) static uint32_t walk(uint32_t mask, unsigned steps)
{
	uint32_t at = 1;

	for (unsigned i = 0; i < steps; i++)
		at = (table[at] ^ at * 2654435761u ^ i) & mask;
	return at;
}

__attribute__((noipa)) static uint32_t one(uint32_t at, uint32_t i, uint32_t mask)
{
	return (table[at] ^ at * 2654435761u ^ i) & mask;
}

__attribute__((noipa)) static uint32_t walk_by_calls(uint32_t mask, unsigned steps)
{
	uint32_t at = 1;

	for (unsigned i = 0; i < steps; i++)
		at = one(at, i, mask);
	return at;
}

__attribute__((noipa)) static uint32_t compute(unsigned steps)
{
	uint32_t x = 1;

	for (unsigned i = 0; i < steps; i++)
		x = (x << 1 ^ i) + (x >> 7 | i);
	return x;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "far";
	int is_near = !strcmp(what, "near");

	table = calloc(is_near ? NEAR : FAR, sizeof(*table));
	for (uint32_t i = 0; i < (is_near ? NEAR : FAR); i += 7)
		table[i] = i * 2246822519u;
	sink = !strcmp(what, "calls") ? walk_by_calls(FAR - 1, STEPS)
				      : walk((is_near ? NEAR : FAR) - 1, is_near ? 20 * STEPS : STEPS);
	sink = compute(20 * STEPS);
	return 0;
}
