/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forks in a signal handler, 300 times. The child goes on where the handler has interrupted: in a
 * function that is called millions of times, or its probe. Prints how many children died. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS 300

static volatile int parts[64], sum;
static volatile sig_atomic_t forks, died, is_child;

__attribute__((noinline, noclone)) static int step(int i)
{
	int r = i + sum;

	for (int k = 0; k < 4; k++)
		if (r >> k & 1)
			parts[(r >> k) & 63]++;
	return r + parts[0] * 3;
}

__attribute__((noinline, noclone)) static void steps(void)
{
	for (int i = 0; i < 200000; i++)
		sum += step(i);
}

static void again(void)
{
	const struct itimerval timer = { { 0, 0 }, { 0, 1000 + forks % 97 * 9 } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

__attribute__((no_instrument_function)) static void on_alarm(int number)
{
	pid_t pid = is_child ? -1 : fork();
	int status;

	(void)number;
	if (pid < 0)
		return;
	if (!pid) {
		is_child = 1;
		return;
	}
	waitpid(pid, &status, 0);
	died += WIFSIGNALED(status);
	forks++;
	again();
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		steps();
	signal(SIGALRM, on_alarm);
	again();
	while (forks < FORKS) {
		steps();
		if (is_child)
			_exit(0);
	}
	signal(SIGALRM, SIG_IGN);
	printf("%d children died\n", (int)died);
	return 0;
}
