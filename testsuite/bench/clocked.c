// SPDX-License-Identifier: GPL-3.0-or-later
// clocked FILE PROGRAM [ARGUMENT...]: writes the seconds that the program took, and its processor
// time, into FILE. What a tool in front of it does before and after is not in them.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct timespec begin, end;
	struct rusage used;
	int status = 0;
	FILE *out;
	pid_t child;

	if (argc < 3)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	child = fork();
	if (!child) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &used) != child)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &end);
	out = fopen(argv[1], "w");
	if (!out)
		return 2;
	fprintf(out, "%.6f %.6f\n",
		(double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
		seconds(&used.ru_utime) + seconds(&used.ru_stime));
	fclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
