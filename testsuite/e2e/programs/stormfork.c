/* A timer's handler walks ever new call paths while the program forks: neither may wait for the
 * other. */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

static volatile unsigned sink, seed;

static void right(unsigned path, int depth);

KEEP static void left(unsigned path, int depth)
{
	if (depth)
		(path & 1 ? left : right)(path >> 1, depth - 1);
	sink++;
}

KEEP static void right(unsigned path, int depth)
{
	if (depth)
		(path & 1 ? left : right)(path >> 1, depth - 1);
	sink++;
}

static void on_alarm(int signal)
{
	(void)signal;
	for (int i = 0; i < 20; i++)
		left(seed = seed * 1664525u + 1013904223u, 16);
}

int main(void)
{
	struct itimerval timer = { { 0, 300 }, { 0, 300 } };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 200; i++) {
		pid_t child = fork();
		int status;

		if (!child) {
			left((unsigned)i, 4);
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			return 1;
	}
	return 0;
}
