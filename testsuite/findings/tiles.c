/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0407 smooth_row|smooth_all; wall
 * flags: -fopenmp
 * Smooths the rows of a roof's tiles. Planted: a parallel region for each row of 600 tiles, so that
 * threads are started and waited for more than they work. */
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 600
#define HEIGHT 600
#define ROUNDS 30

static float tiles[HEIGHT][WIDTH], smooth[HEIGHT][WIDTH];

static void smooth_row(int y)
{
#ifndef REPAIRED
#pragma omp parallel for
#endif
	for (int x = 1; x < WIDTH - 1; x++)
		smooth[y][x] = (tiles[y][x - 1] + tiles[y][x + 1] + tiles[y - 1][x] + tiles[y + 1][x]) / 4;
}

static void smooth_all(void)
{
#ifdef REPAIRED
#pragma omp parallel for
#endif
	for (int y = 1; y < HEIGHT - 1; y++)
		smooth_row(y);
}

static void take(void)
{
#pragma omp parallel for
	for (int y = 1; y < HEIGHT - 1; y++)
		for (int x = 1; x < WIDTH - 1; x++)
			tiles[y][x] = smooth[y][x];
}

static void lay(void)
{
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			tiles[y][x] = (float)((x * 31 + y * 17) % 97);
}

int main(void)
{
	double sum = 0;

	lay();
	for (int i = 0; i < ROUNDS; i++) {
		smooth_all();
		take();
	}
	for (int x = 0; x < WIDTH; x++)
		sum += tiles[HEIGHT / 2][x];
	printf("%.3f\n", sum);
	return 0;
}
