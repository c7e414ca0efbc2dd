/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank, argv[1], of a job without MPI: what stands for MPI_Barrier takes the time that it is told
 * to take. argv[2]: unequal (rank 3 computes more), equal, polls, sleeps (in the barrier), calls (a
 * function that polls, longest in ranks 1 and 3). */
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned sink;

__attribute__((noinline)) static void compute(unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		sink += i;
}

/* A part of MPI_Barrier, as a library waits in its own code. */
static inline __attribute__((always_inline)) void spin(long ms)
{
	struct timespec t;
	long end;

	clock_gettime(CLOCK_MONOTONIC, &t);
	end = t.tv_sec * 1000 + t.tv_nsec / 1000000 + ms;
	do {
		for (int i = 0; i < 10000; i++)
			sink++;
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < end);
}

/* As a library built with probes, or a callback. */
__attribute__((noinline)) static void progress(long ms)
{
	spin(ms);
}

__attribute__((noinline)) void MPI_Barrier(const char *way, long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	if (!strcmp(way, "polls"))
		spin(ms);
	else if (!strcmp(way, "calls"))
		progress(ms > 2 ? 12 : ms);
	else if (!strcmp(way, "sleeps"))
		nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
	int rank = argc > 2 ? atoi(argv[1]) : 0;
	const char *way = argc > 2 ? argv[2] : "equal";

	for (int step = 0; step < 20; step++) {
		compute(rank == 3 && !strcmp(way, "unequal") ? 8000000 : 1000000);
		MPI_Barrier(way, 2 + rank % 2);
	}
	return 0;
}
