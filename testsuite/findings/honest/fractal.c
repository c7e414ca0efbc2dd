/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flags: -fopenmp
 * A picture of the Mandelbrot set, whose lines the threads of OpenMP take one after another. */
#include <stdio.h>
#define WIDTH 1000
#define HEIGHT 800
#define MOST 2000
static unsigned short picture[HEIGHT][WIDTH];

static unsigned short steps(double a, double b)
{
	double x = 0, y = 0;
	unsigned short n = 0;

	for (; n < MOST && x * x + y * y < 4; n++) {
		double next = x * x - y * y + a;

		y = 2 * x * y + b;
		x = next;
	}
	return n;
}

int main(void)
{
	unsigned long sum = 0;

#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum)
	for (int line = 0; line < HEIGHT; line++)
		for (int column = 0; column < WIDTH; column++)
			sum += picture[line][column] = steps(column * 3.0 / WIDTH - 2.2, line * 2.4 / HEIGHT - 1.2);
	printf("%lu\n", sum);
	return 0;
}
