/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0401 simulate; wall
 * Water in a bay, step by step by threads with a barrier. Planted: the rows are shared out equally,
 * but most water is in the last rows, so that one thread waits at the barrier for the other one. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#define WIDTH 512
#define ROWS 512
#define STEPS 300
#define THREADS 2

static double level[ROWS][WIDTH], next[ROWS][WIDTH];
static int shore[ROWS]; /* water begins there */
static pthread_barrier_t barrier;

static double flow(double here, double there)
{
	double slope = there - here;

	return slope / (1 + sqrt(fabs(slope)));
}

static void row_step(int y)
{
	for (int x = shore[y]; x < WIDTH - 1; x++) {
		double sum = flow(level[y][x], level[y][x - 1]) + flow(level[y][x], level[y][x + 1]);

		if (y > 0)
			sum += flow(level[y][x], level[y - 1][x]);
		if (y < ROWS - 1)
			sum += flow(level[y][x], level[y + 1][x]);
		next[y][x] = level[y][x] + 0.2 * sum;
	}
}

static void row_take(int y)
{
	for (int x = shore[y]; x < WIDTH - 1; x++)
		level[y][x] = next[y][x];
}

static void *simulate(void *arg)
{
	long thread = (long)arg;

	for (int step = 0; step < STEPS; step++) {
#ifdef REPAIRED
		for (int y = (int)thread; y < ROWS; y += THREADS)
			row_step(y);
		pthread_barrier_wait(&barrier);
		for (int y = (int)thread; y < ROWS; y += THREADS)
			row_take(y);
#else
		int first = (int)thread * ROWS / THREADS, last = (int)(thread + 1) * ROWS / THREADS;

		for (int y = first; y < last; y++)
			row_step(y);
		pthread_barrier_wait(&barrier);
		for (int y = first; y < last; y++)
			row_take(y);
#endif
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	double sum = 0;

	for (int y = 0; y < ROWS; y++) {
		shore[y] = y < ROWS / 2 ? WIDTH - 20 : 1;
		for (int x = 0; x < WIDTH; x++)
			level[y][x] = (x * 7 + y * 13) % 31;
	}
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, simulate, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int y = 0; y < ROWS; y++)
		sum += level[y][WIDTH - 5];
	printf("%.3f\n", sum);
	return 0;
}
