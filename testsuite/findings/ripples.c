/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0407 step; wall
 * flags: -fopenmp
 * Ripples on a pond, by OpenMP. Planted: within the parallel region each row is shared out by
 * itself, so that the threads meet after each row of 300 points. */
#include <stdio.h>

#define N 300
#define STEPS 60

static float now[N][N], before[N][N];

static void step(void)
{
#ifdef REPAIRED
#pragma omp for
	for (int y = 1; y < N - 1; y++)
#else
	for (int y = 1; y < N - 1; y++)
#pragma omp for
#endif
		for (int x = 1; x < N - 1; x++)
			before[y][x] = (now[y][x - 1] + now[y][x + 1] + now[y - 1][x] + now[y + 1][x]) / 2 - before[y][x];
#pragma omp for
	for (int y = 1; y < N - 1; y++)
		for (int x = 1; x < N - 1; x++) {
			float old = now[y][x];

			now[y][x] = before[y][x] * 0.99f;
			before[y][x] = old;
		}
}

static void run(void)
{
#pragma omp parallel
	for (int i = 0; i < STEPS; i++)
		step();
}

int main(void)
{
	double sum = 0;

	now[N / 2][N / 2] = 100;
	run();
	for (int x = 0; x < N; x++)
		sum += now[N / 3][x];
	printf("%.4f\n", sum);
	return 0;
}
