/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads come and go, children are forked, handlers run, while others turn recording off and on at
 * every level. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cinstr.h"

#define NOINLINE __attribute__((noinline, noclone))
#define QUIET __attribute__((no_instrument_function))

static volatile int sink, over;

NOINLINE void leaf(void)
{
	sink++;
}

NOINLINE int recurse(int n)
{
	leaf();
	return n ? recurse(n - 1) + 1 : 0;
}

static void on_alarm(int number)
{
	static volatile sig_atomic_t n;

	(void)number;
	leaf();
	if (n++ % 2)
		cinstr_suspend(CINSTR_THREAD, CINSTR_SELF);
	else
		cinstr_resume(CINSTR_THREAD, CINSTR_SELF);
	leaf();
}

QUIET static void *toggle(void *data)
{
	for (unsigned i = 0; !over; i++) {
		enum cinstr_level level = i % 2 ? CINSTR_PROCESS : CINSTR_SESSION;

		cinstr_stop(level, CINSTR_SELF);
		usleep(300);
		cinstr_start(level, CINSTR_SELF);
		usleep(300);
		if (i % 16 == 0)
			cinstr_flush();
	}
	return data;
}

NOINLINE void *short_life(void *data)
{
	cinstr_name(CINSTR_THREAD, CINSTR_SELF, "short-life");
	if (recurse(20) != 20)
		abort();
	return data;
}

NOINLINE void child(void)
{
	if (recurse(30) != 30)
		abort();
}

int main(int argc, char **argv)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } };
	int rounds = argc > 1 ? atoi(argv[1]) : 100, bad = 0;
	pthread_t toggler;
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	signal(SIGALRM, on_alarm);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	pthread_create(&toggler, NULL, toggle, NULL);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < rounds; i++) {
		pthread_t threads[4];
		int status = 1;
		pid_t pid = fork();

		if (!pid) {
			child();
			exit(0);
		}
		for (int t = 0; t < 4; t++)
			pthread_create(&threads[t], NULL, short_life, NULL);
		for (int t = 0; t < 4; t++)
			pthread_join(threads[t], NULL);
		if (recurse(50) != 50)
			abort();
		while (waitpid(pid, &status, 0) < 0)
			;
		bad += status != 0;
	}
	over = 1;
	pthread_join(toggler, NULL);
	printf("%d bad\n", bad);
	return 0;
}
