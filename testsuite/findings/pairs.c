/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0401 main|forces; wall
 * flags: -fopenmp -lm
 * Forces between all pairs of bodies, by OpenMP. Planted: the rows of a triangle are shared out in
 * equal blocks, so that the thread with the first rows has three times the work. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define BODIES 5000

struct body {
	double x, y, z, mass;
};

static double pull(const struct body *a, const struct body *b)
{
	double x = a->x - b->x, y = a->y - b->y, z = a->z - b->z;
	double square = x * x + y * y + z * z + 0.01;

	return a->mass * b->mass / (square * sqrt(square));
}

static double forces(const struct body *bodies)
{
	double sum = 0;

#ifdef REPAIRED
#pragma omp parallel for reduction(+ : sum) num_threads(2) schedule(dynamic, 50)
#else
#pragma omp parallel for reduction(+ : sum) num_threads(2) schedule(static)
#endif
	for (int i = 0; i < BODIES; i++)
		for (int k = i + 1; k < BODIES; k++)
			sum += pull(&bodies[i], &bodies[k]);
	return sum;
}

static void step(struct body *bodies, double by)
{
	for (int i = 0; i < BODIES; i++) {
		bodies[i].x += by * bodies[i].y;
		bodies[i].y -= by * bodies[i].x;
	}
}

int main(void)
{
	struct body *bodies = calloc(BODIES, sizeof(*bodies));
	double sum = 0;

	for (int i = 0; i < BODIES; i++)
		bodies[i] = (struct body){ sin(i), cos(i), sin(i * 0.3), 1 + i % 3 };
	for (int i = 0; i < 25; i++) {
		sum += forces(bodies);
		step(bodies, 0.01);
	}
	printf("%.6e\n", sum);
	free(bodies);
	return 0;
}
