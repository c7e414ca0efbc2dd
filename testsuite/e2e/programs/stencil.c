/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stencil in one dimension over MPI: ranks exchange their edges each step. One of them, the
 * first argument, computes six times as much. The second one: how often each step computes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 20000
#define STEPS 30

static double now[CELLS + 2], next[CELLS + 2];

__attribute__((noinline)) static void compute(int times)
{
	for (int k = 0; k < times; k++)
		for (int i = 1; i <= CELLS; i++)
			next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
	for (int i = 1; i <= CELLS; i++)
		now[i] = next[i];
}

__attribute__((noinline)) static void exchange(int left, int right)
{
	MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, left, 1, &now[CELLS + 1], 1, MPI_DOUBLE, right, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&now[CELLS], 1, MPI_DOUBLE, right, 2, &now[0], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int rank, ranks, slow = argc > 1 ? atoi(argv[1]) : -1;
	int times = argc > 2 ? atoi(argv[2]) : 4;
	double sum = 0, all = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	now[CELLS / 2] = rank;
	for (int step = 0; step < STEPS; step++) {
		compute(rank == slow ? 6 * times : times);
		exchange(rank ? rank - 1 : MPI_PROC_NULL, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL);
	}
	for (int i = 1; i <= CELLS; i++)
		sum += now[i];
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("sum %.1f\n", all);
	MPI_Finalize();
	return 0;
}
