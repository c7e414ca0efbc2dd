/*
 * A parallel region of OpenMP. argv[1]:
 *   static   equal numbers of rows for two threads; each row is longer than the one before
 *   dynamic  the same rows, one at a time for who is done
 *   equal    equal rows
 */
#include <stdio.h>
#include <string.h>

#define ROWS 6000

static volatile double points[ROWS];
static int is_equal;

static double row(int i)
{
	double sum = 0;

	for (int k = 0; k < 4; k++)
		for (int j = 0; j < (is_equal ? ROWS / 2 : i); j++)
			sum += points[i] * points[j];
	return sum;
}

static double all_static(void)
{
	double total = 0;

#pragma omp parallel for schedule(static) reduction(+ : total) num_threads(2)
	for (int i = 0; i < ROWS; i++)
		total += row(i);
	return total;
}

static double all_dynamic(void)
{
	double total = 0;

#pragma omp parallel for schedule(dynamic) reduction(+ : total) num_threads(2)
	for (int i = 0; i < ROWS; i++)
		total += row(i);
	return total;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "static";

	is_equal = !strcmp(what, "equal");
	for (int i = 0; i < ROWS; i++)
		points[i] = i % 7;
	printf("%g\n", strcmp(what, "dynamic") ? all_static() : all_dynamic());
	return 0;
}
