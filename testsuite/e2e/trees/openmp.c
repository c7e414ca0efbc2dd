/* OpenMP: regions are functions of their own, in every thread of the team. */
#include "e2e.h"
#include <omp.h>

KEEP static int work(int x)
{
	return x * 3 + 1;
}

KEEP static long team(int n)
{
	long sum = 0;

#pragma omp parallel for num_threads(3) schedule(static) reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += work(i);
	return sum;
}

KEEP static int sections(void)
{
	int a = 0, b = 0;

#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		a = work(1);
#pragma omp section
		b = work(2);
	}
	return a + b;
}

KEEP static int tasks(int n)
{
	int sum = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task
		{
			int x = work(i);
#pragma omp atomic
			sum += x;
		}
	}
	return sum;
}

int main(void)
{
	printf("%ld %d %d\n", team(300), sections(), tasks(50));
	return 0;
}
