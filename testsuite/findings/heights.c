/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0213 smooth; processor
 * Smooths a map of heights. Planted: the inner loop goes over rows, so that each access is in
 * another page of memory. */
#include <stdio.h>
#include <stdlib.h>

#define SIDE 3000

struct map {
	float height[SIDE][SIDE];
};

static void fill(struct map *map)
{
	unsigned value = 1;

	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			value = value * 1664525u + 1013904223u;
			map->height[y][x] = (float)(value >> 16) / 64.0f;
		}
}

static void smooth(const struct map *from, struct map *to)
{
#ifdef REPAIRED
	for (int y = 1; y < SIDE - 1; y++)
		for (int x = 1; x < SIDE - 1; x++)
#else
	for (int x = 1; x < SIDE - 1; x++)
		for (int y = 1; y < SIDE - 1; y++)
#endif
			to->height[y][x] = 0.5f * from->height[y][x] +
					   0.125f * (from->height[y - 1][x] + from->height[y + 1][x] +
						     from->height[y][x - 1] + from->height[y][x + 1]);
}

static double roughness(const struct map *map)
{
	double sum = 0;

	for (int y = 0; y < SIDE; y++)
		for (int x = 1; x < SIDE; x++) {
			double step = map->height[y][x] - map->height[y][x - 1];

			sum += step * step;
		}
	return sum;
}

int main(void)
{
	struct map *a = calloc(1, sizeof(*a)), *b = calloc(1, sizeof(*b));

	fill(a);
	printf("before %.1f\n", roughness(a));
	for (int i = 0; i < 3; i++) {
		smooth(a, b);
		smooth(b, a);
	}
	printf("after %.1f\n", roughness(a));
	free(a);
	free(b);
	return 0;
}
