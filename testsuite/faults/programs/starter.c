/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * starter N KILLED SEED PROGRAM...: starts the program N times at one moment, and kills KILLED of
 * them (signal 9) at random moments of their first milliseconds. Prints a line "PID STATUS" for
 * each, the status as from waitpid.
 */
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_MAX 64
#define LATEST_US 4000

static void wait_us(long us)
{
	struct timespec time = { 0, us * 1000 };

	nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
	int n = argc > 4 ? atoi(argv[1]) : 0, killed = argc > 4 ? atoi(argv[2]) : 0, barrier[2];
	pid_t pids[N_MAX];

	if (n < 1 || n > N_MAX || killed > n || pipe(barrier))
		return 2;
	srand((unsigned)atoi(argv[3]));
	for (int i = 0; i < n; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			char c;

			close(barrier[1]);
			while (read(barrier[0], &c, 1) > 0) /* until the other end is closed */
				;
			close(barrier[0]);
			execv(argv[4], argv + 4);
			_exit(127);
		}
	}
	close(barrier[0]);
	close(barrier[1]);
	for (int i = 0; i < killed; i++) {
		wait_us(rand() % LATEST_US / killed);
		kill(pids[i], SIGKILL);
	}
	for (int i = 0; i < n; i++) {
		int status = -1;

		waitpid(pids[i], &status, 0);
		printf("%d %d\n", (int)pids[i], status);
	}
	return 0;
}
